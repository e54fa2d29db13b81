// Arrays as text.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "repl/view/array_difference.h"
#include "repl/view/array_views.h"
#include "repl/view/memory_map.h"

using namespace cudash;
using namespace cudash::view;
using session::Element;
using session::Scalar;

namespace {

template <class T>
Array array_of(const std::vector<T>& values, Scalar::Kind kind, std::vector<std::uint64_t> extent = {}) {
    Array array;
    array.element = {"T", sizeof(T), {{kind, sizeof(T), 0, {}}}};
    array.extent = extent.empty() ? std::vector<std::uint64_t>{values.size()} : extent;
    array.stride.assign(array.extent.size(), sizeof(T));
    for (std::size_t i = array.extent.size() - 1; i-- > 0;) array.stride[i] = array.stride[i + 1] * array.extent[i + 1];
    array.first.assign(array.extent.size(), 0);
    array.read = [values](std::uint64_t offset, std::span<std::byte> to) {
        if (offset + to.size() > values.size() * sizeof(T)) return false;
        std::memcpy(to.data(), reinterpret_cast<const std::byte*>(values.data()) + offset, to.size());
        return true;
    };
    return array;
}

Screen screen(bool utf8 = true) {
    return {{false, utf8}, 80};
}

std::string shown(bool (*print)(const Array&, const Screen&, std::string&), const Array& array, bool utf8 = true) {
    std::string text;
    CHECK(print(array, screen(utf8), text));
    return text;
}

double half(std::uint16_t bits) {
    std::byte bytes[2];
    std::memcpy(bytes, &bits, 2);
    return number({Scalar::Kind::floating, 2, 0, {}}, bytes);
}

}  // namespace

TEST_CASE("array: numbers of every kind are read and stored") {
    const struct {
        Scalar::Kind kind;
        std::uint32_t bytes;
        double value;
    } cases[] = {
        {Scalar::Kind::signed_integer, 1, -128},
        {Scalar::Kind::signed_integer, 2, -32768},
        {Scalar::Kind::signed_integer, 4, -5},
        {Scalar::Kind::signed_integer, 8, -1e15},
        {Scalar::Kind::unsigned_integer, 1, 255},
        {Scalar::Kind::unsigned_integer, 8, 1e15},
        {Scalar::Kind::floating, 2, -1.5},
        {Scalar::Kind::floating, 4, 0.1f},
        {Scalar::Kind::floating, 8, 0.1},
        {Scalar::Kind::brain, 2, 3.0},
        {Scalar::Kind::boolean, 1, 1},
    };
    for (const auto& each : cases) {
        CAPTURE(static_cast<int>(each.kind));
        CAPTURE(each.bytes);
        std::byte bytes[16]{};
        const Scalar scalar{each.kind, each.bytes, 8, {}};
        CHECK(store(scalar, each.value, bytes));
        CHECK(number(scalar, bytes) == each.value);
    }
    std::byte bytes[8]{};
    CHECK_FALSE(store({Scalar::Kind::pointer, 8, 0, {}}, 1, bytes));
    CHECK(store({Scalar::Kind::signed_integer, 1, 0, {}}, 1000, bytes));
    CHECK(number({Scalar::Kind::signed_integer, 1, 0, {}}, bytes) == 127);
}

TEST_CASE("array: half precision at its limits") {
    CHECK(half(0x3c00) == 1);
    CHECK(half(0x7bff) == 65504);
    CHECK(half(0x0001) == std::ldexp(1.0, -24));
    CHECK(half(0x03ff) == 1023 * std::ldexp(1.0, -24));
    CHECK(std::isinf(half(0x7c00)));
    CHECK(std::isnan(half(0x7e00)));
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        std::byte bytes[2];
        const double value = half(static_cast<std::uint16_t>(bits));
        CHECK(store({Scalar::Kind::floating, 2, 0, {}}, value, bytes));
        std::uint16_t again = 0;
        std::memcpy(&again, bytes, 2);
        if (again != bits) CHECK_MESSAGE(false, "half ", bits, " became ", again);
    }
    std::byte bytes[2];
    store({Scalar::Kind::floating, 2, 0, {}}, 1e6, bytes);
    CHECK(std::isinf(number({Scalar::Kind::floating, 2, 0, {}}, bytes)));
}

TEST_CASE("array: long lines leave their middle out") {
    std::vector<int> values(200);
    for (int i = 0; i < 200; ++i) values[static_cast<std::size_t>(i)] = i;
    const std::string text = shown(array_forms()[0].print, array_of(values, Scalar::Kind::signed_integer));
    CHECK(text.find("[64]   64  65") != std::string::npos);
    CHECK(text.find("... 104 more ...") != std::string::npos);
    CHECK(text.find(" 184 185") != std::string::npos);
    CHECK(text.find(" 100 ") == std::string::npos);
    std::string all;
    CHECK(print_numbers(array_of(values, Scalar::Kind::signed_integer), screen(), true, all));
    CHECK(all.find(" 100 ") != std::string::npos);
}

TEST_CASE("array: rows with labels") {
    const Array array = array_of<float>({1, 2.5f, 3, 4, 5, 6}, Scalar::Kind::floating, {2, 3});
    CHECK(shown(array_forms()[0].print, array) ==
          "[0,0]   1 2.5   3\n"
          "[1,0]   4   5   6\n");
}

TEST_CASE("array: sparkline and heat map, with and without UTF-8") {
    const Array line = array_of<int>({0, 1, 2, 3, 4, 5, 6, 7}, Scalar::Kind::signed_integer);
    CHECK(shown(print_sparkline, line) == "▁▂▃▄▅▆▇█\n0 to 7\n");
    CHECK(shown(print_sparkline, line, false) == " .:=+#%@\n0 to 7\n");
    const Array square = array_of<int>({0, 9, 9, 0}, Scalar::Kind::signed_integer, {2, 2});
    CHECK(shown(print_heat_map, square) == "  @@\n@@\n' ' = 0 to '@' = 9\n");
    Screen coloured = screen();
    coloured.style.colour = true;
    std::string text;
    CHECK(print_heat_map(square, coloured, text));
    CHECK(text.find("\033[97;48;5;227m@@\033[0m") != std::string::npos);
}

TEST_CASE("array: what is not a number is told apart") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
    const Array array = array_of<float>({1, nan, infinite, 3}, Scalar::Kind::floating);
    CHECK(shown(print_sparkline, array) == "▁??█\n1 to 3\n");
    const std::string text = shown(print_histogram, array);
    CHECK(text.find("4 elements, 1 to 3, mean 2, standard deviation 1, 0 zero, 1 NaN, 1 infinite") !=
          std::string::npos);
    Summary summary;
    CHECK(summarise(array, summary));
    CHECK(summary.finite() == 2);
}

TEST_CASE("array: summaries and intervals are those of plain loops") {
    std::vector<double> values;
    for (int i = 0; i < 7 * 13; ++i)
        values.push_back(i % 10 == 3   ? std::numeric_limits<double>::quiet_NaN()
                         : i % 17 == 5 ? -std::numeric_limits<double>::infinity()
                                       : (i % 4 == 0 ? 0 : i * 0.5 - 20));
    Summary plain;
    plain.least = 1e300;
    plain.most = -1e300;
    for (const double value : values) {
        ++plain.count;
        plain.nans += std::isnan(value);
        plain.infinite += std::isinf(value);
        if (!std::isfinite(value)) continue;
        plain.least = std::min(plain.least, value);
        plain.most = std::max(plain.most, value);
        plain.sum += value;
        plain.squares += value * value;
        plain.zeros += value == 0;
    }
    const Array array = array_of(values, Scalar::Kind::floating, {7, 13});
    Summary summary;
    REQUIRE(summarise(array, summary));
    CHECK(summary.count == plain.count);
    CHECK(summary.nans == plain.nans);
    CHECK(summary.infinite == plain.infinite);
    CHECK(summary.zeros == plain.zeros);
    CHECK(summary.least == plain.least);
    CHECK(summary.most == plain.most);
    CHECK(summary.sum == doctest::Approx(plain.sum));
    CHECK(summary.squares == doctest::Approx(plain.squares));
    std::vector<std::uint64_t> counts(16), expected(16);
    REQUIRE(tally(array, plain.least, plain.most, counts));
    for (const double value : values)
        if (std::isfinite(value)) ++expected[level(value, plain.least, plain.most, expected.size())];
    CHECK(counts == expected);
    // The distance of the two ends is not a number any more.
    const Array wide = array_of<double>({-1.7e308, 0, 1.7e308}, Scalar::Kind::floating);
    std::vector<std::uint64_t> few(4);
    REQUIRE(tally(wide, -1.7e308, 1.7e308, few));
    CHECK(few[0] + few[1] + few[2] + few[3] == 3);
}

TEST_CASE("array: a constant array has one interval") {
    const std::string text = shown(print_histogram, array_of<int>({5, 5, 5}, Scalar::Kind::signed_integer), false);
    CHECK(text.find("5          3  ####") != std::string::npos);
}

TEST_CASE("array: images in braille and in characters") {
    const Array array =
        array_of<unsigned char>({0, 255, 0, 255, 0, 255, 0, 255}, Scalar::Kind::unsigned_integer, {4, 2});
    CHECK(shown(print_image, array) == "\u28b8\n");
    CHECK(shown(print_image, array, false) == " @\n @\n");
}

TEST_CASE("array: bytes") {
    CHECK(shown([](const Array& a, const Screen& s, std::string& t) { return print_hex(a, s, false, t); },
                array_of<unsigned char>({0x41, 0x00, 0xff}, Scalar::Kind::unsigned_integer)) ==
          "00000000  41 00 ff                                          A..\n");
}

TEST_CASE("array: memory that ends is told") {
    Array array = array_of<int>({1, 2, 3}, Scalar::Kind::signed_integer);
    array.extent = {5};
    std::string text;
    for (const ArrayForm& form : array_forms()) {
        CAPTURE(form.name);
        if (form.name == "image") continue;
        CHECK_FALSE(form.print(array, screen(), text));
    }
}

TEST_CASE("array: differences") {
    const Array a = array_of<float>({1, 2, 3, 4}, Scalar::Kind::floating);
    Array b = array_of<float>({1, 2.5f, 3, 4}, Scalar::Kind::floating);
    const auto difference = compare(a, b, 0);
    REQUIRE(difference);
    CHECK_FALSE(difference->is_none());
    CHECK(print(*difference, screen()) ==
          "  [0]  1    1\n"
          "> [1]  2  2.5  differ by 0.5\n"
          "  [2]  3    3\n"
          "1 of 4 elements differ; the largest difference is 0.5 at [1]\n");
    const auto tolerated = compare(a, b, 0.5);
    REQUIRE(tolerated);
    CHECK(tolerated->is_none());
    CHECK(print(*tolerated, screen()) == "4 elements, no difference above 0.5; the largest is 0.5 at [1]\n");
    // Another type, the same numbers.
    const Array c = array_of<int>({1, 2, 3, 4}, Scalar::Kind::signed_integer);
    CHECK(compare(a, c, 0)->is_none());
    // NaN differs from numbers, not from itself.
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Array d = array_of<float>({nan, 2}, Scalar::Kind::floating),
                e = array_of<float>({nan, nan}, Scalar::Kind::floating);
    CHECK(print(*compare(d, e, 1e30), screen()).find("1 of 2 elements differ") != std::string::npos);
}

TEST_CASE("memory map: a bar for each region") {
    const std::string text = print_memory_map(
        {{0x1000, 0x1000, "device"}, {0x2000, 0x1000, "device"}, {1ull << 40, 64, "pinned"}}, {{}, 64});
    CHECK(text ==
          "0x1000 [ddddddddddDDDDDDDDDD] 8 KiB\n"
          "0x10000000000 [pppppppppppppppppppp] 64 B\n"
          "d device, p pinned; upper and lower case tell neighbors apart, . is free\n");
    CHECK(print_memory_map({}, {}).empty());
}
