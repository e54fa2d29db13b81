#include "runtime_wrappers/libraries/cufft/transform.h"

#include <algorithm>

namespace cudash::libraries::cufft {
namespace {

/// The last dimension's beginnings, in order.
template <class Visit>
void each_row(const Sizes& sizes, const Layout& layout, Visit visit) {
    for (std::int64_t x = 0; x < sizes[0]; ++x)
        for (std::int64_t y = 0; y < sizes[1]; ++y) visit(x * layout.strides[0] + y * layout.strides[1]);
}

template <class Element>
void load(const Element* from, const Layout& layout, const Sizes& sizes, std::vector<Complex>& numbers) {
    numbers.resize(static_cast<std::size_t>(count_of(sizes)));
    auto number = numbers.begin();
    each_row(sizes, layout, [&](std::int64_t row) {
        for (std::int64_t z = 0; z < sizes[2]; ++z) *number++ = Complex(from[row + z * layout.strides[2]]);
    });
}

template <class Real>
void store(const std::vector<Complex>& numbers, const Sizes& sizes, std::complex<Real>* to, const Layout& layout) {
    auto number = numbers.begin();
    each_row(sizes, layout, [&](std::int64_t row) {
        for (std::int64_t z = 0; z < sizes[2]; ++z) to[row + z * layout.strides[2]] = std::complex<Real>(*number++);
    });
}

}  // namespace

const LineTransform& Transform::line(std::size_t dimension, bool inverse) {
    auto& made = lines_[dimension][inverse ? 1 : 0];
    if (!made) made.emplace(static_cast<std::size_t>(sizes_[dimension]), inverse);
    return *made;
}

void Transform::along(std::size_t dimension, const Sizes& sizes, bool inverse) {
    const auto length = static_cast<std::size_t>(sizes[dimension]);
    if (length == 1) return;
    const LineTransform& transform = line(dimension, inverse);
    std::size_t stride = 1;
    for (std::size_t i = dimension + 1; i < sizes.size(); ++i) stride *= static_cast<std::size_t>(sizes[i]);
    line_.resize(length);
    for (std::size_t block = 0; block < numbers_.size(); block += length * stride)
        for (std::size_t start = block; start < block + stride; ++start) {
            transform(&numbers_[start], stride, line_.data());
            for (std::size_t i = 0; i < length; ++i) numbers_[start + i * stride] = line_[i];
        }
}

template <class Real>
void Transform::complex_to_complex(const std::complex<Real>* from, const Layout& read, std::complex<Real>* to,
                                   const Layout& written, bool inverse) {
    load(from, read, sizes_, numbers_);
    for (std::size_t i = 0; i < sizes_.size(); ++i) along(i, sizes_, inverse);
    store(numbers_, sizes_, to, written);
}

template <class Real>
void Transform::real_to_complex(const Real* from, const Layout& read, std::complex<Real>* to, const Layout& written) {
    const Sizes half = half_of(sizes_);
    const auto length = static_cast<std::size_t>(sizes_[2]);
    const LineTransform& transform = line(2, false);
    numbers_.resize(static_cast<std::size_t>(count_of(half)));
    row_.resize(length);
    line_.resize(length);
    auto number = numbers_.begin();
    each_row(sizes_, read, [&](std::int64_t row) {
        for (std::int64_t z = 0; z < sizes_[2]; ++z)
            row_[static_cast<std::size_t>(z)] = from[row + z * read.strides[2]];
        transform(row_.data(), 1, line_.data());
        number = std::copy_n(line_.begin(), half[2], number);
    });
    along(0, half, false);
    along(1, half, false);
    store(numbers_, half, to, written);
}

template <class Real>
void Transform::complex_to_real(const std::complex<Real>* from, const Layout& read, Real* to, const Layout& written) {
    const Sizes half = half_of(sizes_);
    load(from, read, half, numbers_);
    along(0, half, true);
    along(1, half, true);
    // In place, that is what stays in the padding of the rows (recorded on an H100).
    if (static_cast<const void*>(from) == static_cast<const void*>(to))
        store(numbers_, half, reinterpret_cast<std::complex<Real>*>(to), read);
    const auto length = static_cast<std::size_t>(sizes_[2]);
    const LineTransform& transform = line(2, true);
    row_.resize(length);
    line_.resize(length);
    auto number = numbers_.begin();
    each_row(sizes_, written, [&](std::int64_t row) {
        const auto spectrum = number;
        number += half[2];
        row_[0] = spectrum->real();
        for (std::size_t z = 1; z <= length / 2; ++z) {
            row_[z] = spectrum[static_cast<std::ptrdiff_t>(z)];
            row_[length - z] = std::conj(row_[z]);
        }
        if (length % 2 == 0) row_[length / 2] = row_[length / 2].real();
        transform(row_.data(), 1, line_.data());
        for (std::int64_t z = 0; z < sizes_[2]; ++z)
            to[row + z * written.strides[2]] = static_cast<Real>(line_[static_cast<std::size_t>(z)].real());
    });
}

template <class Real>
void Transform::run(const void* from, const Layout& read, void* to, const Layout& written, std::int64_t batch,
                    bool inverse) {
    const auto* real_from = static_cast<const Real*>(from);
    const auto* complex_from = static_cast<const std::complex<Real>*>(from);
    auto* real_to = static_cast<Real*>(to);
    auto* complex_to = static_cast<std::complex<Real>*>(to);
    for (std::int64_t i = 0; i < batch; ++i) {
        const std::int64_t first_read = i * read.batch, first_written = i * written.batch;
        switch (kind_) {
            case Kind::complex_to_complex:
                complex_to_complex(complex_from + first_read, read, complex_to + first_written, written, inverse);
                break;
            case Kind::real_to_complex:
                real_to_complex(real_from + first_read, read, complex_to + first_written, written);
                break;
            case Kind::complex_to_real:
                complex_to_real(complex_from + first_read, read, real_to + first_written, written);
                break;
        }
    }
}

template void Transform::run<float>(const void*, const Layout&, void*, const Layout&, std::int64_t, bool);
template void Transform::run<double>(const void*, const Layout&, void*, const Layout&, std::int64_t, bool);

}  // namespace cudash::libraries::cufft
