#include "runtime_wrappers/libraries/curand/engines.h"

#include <bit>

namespace cudash::libraries::curand {
namespace {

/// What some steps of XORWOW make of each of its 160 bits.
class BitMatrix {
public:
    using Words = std::array<std::uint32_t, 5>;

    static BitMatrix one_step() {
        BitMatrix step;
        for (std::size_t bit = 0; bit < bits; ++bit) {
            Xorwow unit;
            unit.words[bit / 32] = std::uint32_t{1} << bit % 32;
            unit.next();
            step.images_[bit] = unit.words;
        }
        return step;
    }
    Words operator()(const Words& words) const {
        Words sum{};
        for (std::size_t word = 0; word < words.size(); ++word)
            for (std::uint32_t rest = words[word]; rest != 0; rest &= rest - 1) {
                const Words& image = images_[word * 32 + static_cast<std::size_t>(std::countr_zero(rest))];
                for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= image[i];
            }
        return sum;
    }
    BitMatrix twice() const {
        BitMatrix result;
        for (std::size_t bit = 0; bit < bits; ++bit) result.images_[bit] = (*this)(images_[bit]);
        return result;
    }

private:
    static constexpr std::size_t bits = 160;
    std::array<Words, bits> images_{};
};

constexpr unsigned xorwow_subsequence = 67, mrg_subsequence = 76;  // powers of two

/// By how many steps: a power of two.
const BitMatrix& steps_of_two_to(unsigned power) {
    static const auto matrices = [] {
        std::vector<BitMatrix> made = {BitMatrix::one_step()};
        while (made.size() <= xorwow_subsequence) made.push_back(made.back().twice());
        return made;
    }();
    return matrices[power];
}

using Matrix = std::array<std::array<std::uint64_t, 3>, 3>;
constexpr Matrix mrg_step1 = {{{0, 1, 0}, {0, 0, 1}, {Mrg32k3a::modulus1 - 810728, 1403580, 0}}};
constexpr Matrix mrg_step2 = {{{0, 1, 0}, {0, 0, 1}, {Mrg32k3a::modulus2 - 1370589, 0, 527612}}};

Matrix product(const Matrix& a, const Matrix& b, std::uint64_t modulus) {
    Matrix result{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k) result[i][j] = (result[i][j] + a[i][k] * b[k][j] % modulus) % modulus;
    return result;
}
std::array<std::uint64_t, 3> product(const Matrix& a, const std::array<std::uint64_t, 3>& b, std::uint64_t modulus) {
    std::array<std::uint64_t, 3> result{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) result[i] = (result[i] + a[i][k] * b[k] % modulus) % modulus;
    return result;
}
/// step^(exponent * 2^doublings)
Matrix power(Matrix step, std::uint64_t exponent, unsigned doublings, std::uint64_t modulus) {
    for (unsigned i = 0; i < doublings; ++i) step = product(step, step, modulus);
    Matrix result = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result = product(result, step, modulus);
        step = product(step, step, modulus);
    }
    return result;
}

}  // namespace

Xorwow Xorwow::seeded(std::uint64_t seed) {
    const std::uint32_t low = 1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xAAD26B49u);
    const std::uint32_t high = 2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xF7DCEFDDu);
    return {.words = {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
            .sum = 6615241u + high + low};
}

void Xorwow::skip(std::uint64_t results) {
    sum += static_cast<std::uint32_t>(results) * 362437u;
    for (unsigned power = 0; results != 0; ++power, results >>= 1)
        if (results & 1) words = steps_of_two_to(power)(words);
}

std::vector<Xorwow> Xorwow::lanes(std::uint64_t seed, std::size_t count, std::uint64_t skipped) {
    Xorwow lane = seeded(seed);
    lane.skip(skipped);
    std::vector<Xorwow> result;
    result.reserve(count);
    // A subsequence is a multiple of 2^32 results: the sum is the same in all.
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(lane);
        lane.words = steps_of_two_to(xorwow_subsequence)(lane.words);
    }
    return result;
}

std::vector<Xorwow> Xorwow::seeded_lanes(std::uint64_t seed, std::size_t count, std::uint64_t skipped) {
    constexpr std::uint64_t distance = 3133713;
    std::vector<Xorwow> result;
    result.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(seeded(seed + i * distance));
        result.back().skip(skipped);
    }
    return result;
}

Mrg32k3a Mrg32k3a::seeded(std::uint64_t seed) {
    Mrg32k3a result{.first = {12345, 12345, 12345}, .second = {12345, 12345, 12345}};
    if (seed == 0) return result;
    const std::uint64_t low = static_cast<std::uint32_t>(seed) ^ 0x55555555u;
    const std::uint64_t high = static_cast<std::uint32_t>(seed >> 32) ^ 0xAAAAAAAAu;
    const std::array<std::uint64_t, 3> of_first = {low, high, low}, of_second = {high, low, high};
    for (std::size_t i = 0; i < 3; ++i) {
        result.first[i] = of_first[i] * 12345 % modulus1;
        result.second[i] = of_second[i] * 12345 % modulus2;
    }
    return result;
}

void Mrg32k3a::skip(std::uint64_t results) {
    first = product(power(mrg_step1, results, 0, modulus1), first, modulus1);
    second = product(power(mrg_step2, results, 0, modulus2), second, modulus2);
}

std::vector<Mrg32k3a> Mrg32k3a::lanes(std::uint64_t seed, std::size_t count, std::uint64_t skipped) {
    Mrg32k3a lane = seeded(seed);
    lane.skip(skipped);
    const Matrix next1 = power(mrg_step1, 1, mrg_subsequence, modulus1);
    const Matrix next2 = power(mrg_step2, 1, mrg_subsequence, modulus2);
    std::vector<Mrg32k3a> result;
    result.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(lane);
        lane.first = product(next1, lane.first, modulus1);
        lane.second = product(next2, lane.second, modulus2);
    }
    return result;
}

std::array<std::uint32_t, 4> Philox::block(std::uint64_t subsequence, std::uint64_t number) const {
    std::array<std::uint32_t, 4> c = {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32),
                                      static_cast<std::uint32_t>(subsequence),
                                      static_cast<std::uint32_t>(subsequence >> 32)};
    std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
        c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key0, static_cast<std::uint32_t>(b),
             static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key1, static_cast<std::uint32_t>(a)};
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    return c;
}

}  // namespace cudash::libraries::curand
