// The discrete Fourier transform of one line of numbers, of any length, in double precision.
//
// KissFFT computes it, from the header that Debian's package has beside the library: the library itself is built for
// float alone, and float transforms of a GPU are as exact as double ones rounded once. A prime factor p costs KissFFT
// n * p multiplications; lengths with a large one go through Bluestein's algorithm, which makes a convolution of a
// power of two of them.
#pragma once

#include <kissfft/kissfft.hh>

#include <complex>
#include <cstddef>
#include <vector>

namespace cudash::libraries::cufft {

using Complex = std::complex<double>;

class LineTransform {
public:
    LineTransform(std::size_t length, bool inverse);
    /// `from`: its numbers are `stride` apart; `to`: elsewhere, one after the other. Nothing is scaled.
    void operator()(const Complex* from, std::size_t stride, Complex* to) const;

private:
    void convolve(const Complex* from, std::size_t stride, Complex* to) const;

    std::size_t length_, padded_;    ///< `padded_`: that of the convolution, or `length_` where there is none
    std::vector<Complex> chirp_{};   ///< exp(-+ i pi k^2 / length)
    kissfft<double> there_, back_;   ///< of `padded_` numbers; without a convolution, `there_` is the transform
    std::vector<Complex> kernel_{};  ///< the chirp's conjugate, transformed and divided by `padded_`
    mutable std::vector<Complex> product_{}, transformed_{};
};

}  // namespace cudash::libraries::cufft
