// The two ways to form the sums of tensor cores: for any elements (semantics_tensor.h), and for those with moderate
// exponents (semantics_tensor_moderate.h). An H200 recorded what the first one gives (tests/hardware).
#include "runtime_wrappers/virtual_gpu/isa/semantics_tensor.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "runtime_wrappers/virtual_gpu/isa/semantics_tensor_moderate.h"

using namespace cudash::virtual_gpu::semantics;

namespace {

constexpr unsigned rows = 16, columns = 16, depth = 16;

/// Elements of `bits` bits behind the leading one, with exponents from `least` to `most`; one in eight is 0.
float random_number(std::mt19937& random, int bits, int least, int most) {
    const unsigned chosen = random();
    if (chosen % 8 == 0) return chosen & 8 ? -0.0f : 0.0f;
    const auto fraction = static_cast<float>(random() & ((1u << bits) - 1));
    const int exponent = least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
    const float number = std::ldexp(1.0f + std::ldexp(fraction, -bits), exponent);
    return chosen & 16 ? -number : number;
}

struct Both {
    TensorOperand any;
    ModerateOperand moderate;
    bool is_moderate = false;

    void fill(std::mt19937& random, unsigned count, int bits, int least, int most, int least_encoded, bool is_sum) {
        for (unsigned i = 0; i < count; ++i) {
            const float number = random_number(random, bits, least, most);
            any.set(i, number, least_encoded);
            moderate.value[i] = number;
        }
        is_moderate = moderate.find_powers(count, least_encoded, is_sum ? least_moderate_sum : least_moderate,
                                           is_sum ? most_moderate_sum : most_moderate);
    }
};

/// How many of the sums of a product differ, as .f32 and as .f16.
unsigned different_sums(const Both& a, const Both& b, const Both& c) {
    std::array<std::uint8_t, depth> ks;
    std::iota(ks.begin(), ks.end(), std::uint8_t{0});
    unsigned different = 0;
    for (unsigned row = 0; row < rows; ++row) {
        std::array<double, columns> any;
        alignas(64) std::array<double, columns> moderate;
        add_tensor_row(a.any, row * depth, b.any, columns, c.any, row * columns, ks, any.data());
        add_moderate_row<columns, depth>(a.moderate, row * depth, b.moderate, 0, columns,
                                         &c.moderate.value[row * columns], &c.moderate.power[row * columns],
                                         moderate.data());
        for (unsigned j = 0; j < columns; ++j) {
            different += std::bit_cast<std::uint64_t>(any[j]) != std::bit_cast<std::uint64_t>(moderate[j]);
            different += std::bit_cast<std::uint32_t>(cut_to_f32(any[j])) !=
                         std::bit_cast<std::uint32_t>(cut_moderate(moderate[j]));
            const std::uint32_t half = round_to<format_f16, Rounding::rn>(any[j]);
            different += ((half & 0x7FFF) == 0 ? 0 : half) != half_from_moderate(odd_moderate(moderate[j]));
        }
    }
    return different;
}

}  // namespace

TEST_CASE("tensor sums: of moderate elements, both ways give the same bits") {
    struct Type {
        int bits, least_encoded;
    };
    struct Exponents {
        int least, most, least_sum, most_sum;
    };
    std::mt19937 random(1);
    auto a = std::make_unique<Both>(), b = std::make_unique<Both>(), c = std::make_unique<Both>();
    for (const Type& type : {Type{10, -14}, Type{7, -126}, Type{10, -126}})
        for (const Exponents& range :
             {Exponents{-3, 3, -3, 3}, Exponents{-24, 15, -40, 40}, Exponents{-14, -8, -24, -10},
              Exponents{-30, 30, -60, 60}, Exponents{-30, -28, -60, -60}})
            for (int round = 0; round < 20; ++round) {
                a->fill(random, rows * depth, type.bits, range.least, range.most, type.least_encoded, false);
                b->fill(random, depth * columns, type.bits, range.least, range.most, type.least_encoded, false);
                c->fill(random, rows * columns, 23, range.least_sum, range.most_sum, -126, true);
                CAPTURE(type.bits);
                CAPTURE(range.least);
                REQUIRE(a->is_moderate);
                REQUIRE(b->is_moderate);
                REQUIRE(c->is_moderate);
                CHECK(different_sums(*a, *b, *c) == 0);
            }
}

TEST_CASE("tensor sums: elements out of the ordinary are not moderate") {
    ModerateOperand operand{};
    const auto is_moderate = [&](float number) {
        operand.value[3] = number;
        return operand.find_powers(8, -126, least_moderate, most_moderate);
    };
    CHECK(is_moderate(0.0f));
    CHECK(is_moderate(-0.0f));
    CHECK(is_moderate(0x1.0p-30f));
    CHECK(is_moderate(-0x1.8p30f));
    CHECK(!is_moderate(0x1.8p-31f));
    CHECK(!is_moderate(0x1.0p31f));
    CHECK(!is_moderate(0x1.0p-140f));
    CHECK(!is_moderate(std::numeric_limits<float>::infinity()));
    CHECK(!is_moderate(-std::numeric_limits<float>::quiet_NaN()));
}
