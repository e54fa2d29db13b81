// Transforms of one to three dimensions, of complex and of real numbers, wherever the numbers are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime_wrappers/libraries/cufft/layout.h"
#include "runtime_wrappers/libraries/cufft/line_transform.h"

namespace cudash::libraries::cufft {

enum class Kind : std::uint8_t { complex_to_complex, real_to_complex, complex_to_real };

class Transform {
public:
    /// `sizes`: in real numbers, where one side has them.
    Transform(Kind kind, const Sizes& sizes) : kind_(kind), sizes_(sizes) {}

    /// `Real`: float or double. Each transform is read before it is written, so that both may be in one place. Of a
    /// spectrum that becomes real numbers, what would have to be 0 is not looked at.
    template <class Real>
    void run(const void* from, const Layout& read, void* to, const Layout& written, std::int64_t batch, bool inverse);

private:
    const LineTransform& line(std::size_t dimension, bool inverse);
    /// All lines along a dimension of `numbers_`, which has those sizes.
    void along(std::size_t dimension, const Sizes& sizes, bool inverse);

    template <class Real>
    void complex_to_complex(const std::complex<Real>* from, const Layout& read, std::complex<Real>* to,
                            const Layout& written, bool inverse);
    template <class Real>
    void real_to_complex(const Real* from, const Layout& read, std::complex<Real>* to, const Layout& written);
    template <class Real>
    void complex_to_real(const std::complex<Real>* from, const Layout& read, Real* to, const Layout& written);

    Kind kind_;
    Sizes sizes_;
    std::array<std::array<std::optional<LineTransform>, 2>, 3> lines_{};  ///< made when they are needed
    std::vector<Complex> numbers_{}, line_{}, row_{};
};

}  // namespace cudash::libraries::cufft
