#include "runtime_wrappers/libraries/cufft/line_transform.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numbers>

namespace cudash::libraries::cufft {
namespace {

/// Above it a convolution is faster.
constexpr std::size_t largest_factor = 61;

bool has_large_factor(std::size_t number) {
    for (std::size_t factor = 2; factor <= largest_factor; ++factor)
        while (number % factor == 0) number /= factor;
    return number > 1;
}

std::size_t padded_length(std::size_t length) {
    return has_large_factor(length) ? std::bit_ceil(2 * length - 1) : length;
}

}  // namespace

LineTransform::LineTransform(std::size_t length, bool inverse)
    : length_(length),
      padded_(padded_length(length)),
      there_(padded_, padded_ == length && inverse),
      back_(padded_ == length ? 1 : padded_, true) {
    if (padded_ == length_) return;
    const double sign = inverse ? 1 : -1;
    chirp_.resize(length_);
    for (std::uint64_t k = 0; k < length_; ++k) {
        // The square, reduced to one turn before it is rounded.
        const auto turned = static_cast<double>(k * k % (2 * length_));
        chirp_[k] = std::polar(1.0, sign * std::numbers::pi * turned / static_cast<double>(length_));
    }
    std::vector<Complex> around(padded_);
    around[0] = std::conj(chirp_[0]);
    for (std::size_t k = 1; k < length_; ++k) around[k] = around[padded_ - k] = std::conj(chirp_[k]);
    kernel_.resize(padded_);
    there_.transform(around.data(), kernel_.data());
    for (Complex& value : kernel_) value /= static_cast<double>(padded_);
    product_.resize(padded_);
    transformed_.resize(padded_);
}

void LineTransform::operator()(const Complex* from, std::size_t stride, Complex* to) const {
    if (padded_ == length_)
        there_.transform(from, to, 0, 1, stride);
    else
        convolve(from, stride, to);
}

// L. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform".
void LineTransform::convolve(const Complex* from, std::size_t stride, Complex* to) const {
    std::fill(product_.begin(), product_.end(), Complex{});
    for (std::size_t k = 0; k < length_; ++k) product_[k] = from[k * stride] * chirp_[k];
    there_.transform(product_.data(), transformed_.data());
    for (std::size_t k = 0; k < padded_; ++k) transformed_[k] *= kernel_[k];
    back_.transform(transformed_.data(), product_.data());
    for (std::size_t k = 0; k < length_; ++k) to[k] = product_[k] * chirp_[k];
}

}  // namespace cudash::libraries::cufft
