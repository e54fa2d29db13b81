#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "repl/grade/values.h"
#include "repl/session/base64.h"

using namespace cudash;
using namespace cudash::grade;

namespace {

Bytes floats(std::vector<double> values) {
    return listed_values(*find_type("float"), values);
}

}  // namespace

TEST_CASE("values: random ones are the same for the same seed, and in their range") {
    for (const ElementType& type : element_types()) {
        CAPTURE(type.name);
        const Bytes once = random_values(type, 1000, 3, 9, Key{5, 0});
        CHECK(once == random_values(type, 1000, 3, 9, Key{5, 0}));
        CHECK(once != random_values(type, 1000, 3, 9, Key{5, 1}));
        bool low = false, high = false;
        for (std::size_t i = 0; i < 1000; ++i) {
            const double value = type.read(&once[i * type.size]);
            REQUIRE(value >= 3);
            REQUIRE(value <= 9);
            low |= value < 4;
            high |= value > 8;
        }
        CHECK((low && high));
    }
}

TEST_CASE("values: the first wrong elements are shown, and those around them") {
    const auto& ints = *find_type("int");
    const Bytes expected = counted_values(ints, 12, 0, 1);
    Bytes actual = expected;
    CHECK(compare_values("out", ints, expected, actual, {}, 0).wrong == 0);
    ints.write(7, &actual[5 * 4]);
    ints.write(7, &actual[6 * 4]);
    const Comparison found = compare_values("out", ints, expected, actual, {}, 4);
    CHECK(found.wrong == 2);
    CHECK(found.reason == "2 of 12 elements of out are wrong; the first is out[1][1]");
    CHECK(found.expected == "from out[1][0]: 4 5 6 7\n");
    CHECK(found.actual == "from out[1][0]: 4 [7] [7] 7\n");
    // Fewer bytes than there should be are no match.
    actual.resize(8);
    CHECK(compare_values("out", ints, expected, actual, {}, 0).wrong == 10);
}

TEST_CASE("values: tolerances, infinities and numbers that are none") {
    const auto& type = *find_type("float");
    const double nan = std::nan(""), inf = INFINITY;
    const Tolerance by_type{type.relative, type.absolute};
    CHECK(compare_values("x", type, floats({1, 100}), floats({1.00001, 100.001}), by_type, 0).wrong == 0);
    CHECK(compare_values("x", type, floats({1, 100}), floats({1.001, 100}), by_type, 0).wrong == 1);
    CHECK(compare_values("x", type, floats({nan, inf}), floats({nan, inf}), by_type, 0).wrong == 0);
    CHECK(compare_values("x", type, floats({1, inf, 1}), floats({nan, 1, inf}), by_type, 0).wrong == 3);
    CHECK(compare_values("x", type, floats({0}), floats({-0.0}), {}, 0).wrong == 0);
}

TEST_CASE("words: numbers may differ by the tolerance, all else may not") {
    CHECK(compare_words("sum = 1.0\n", "sum = 1.00001", {1e-3, 0}).wrong == 0);
    CHECK(compare_words("sum = 1.0\n", "total = 1.0", {1e-3, 0}).wrong == 1);
    CHECK(compare_words("1 2 3", "1 2", {}).wrong == 1);
    CHECK(compare_words("1", "", {}).reason == "it prints nothing");
    CHECK(compare_words("1\n2\n3", "1\n2\n4", {}).reason ==
          "1 of 3 words of the output are wrong; the first is in line 3");
}

TEST_CASE("base64: there and back; what is none is told") {
    for (std::size_t size = 0; size < 20; ++size) {
        const Bytes bytes = random_values(*find_type("unsigned char"), size, 0, 255, Key{size, 0});
        CHECK(session::from_base64(session::to_base64(bytes)) == bytes);
    }
    const std::string_view text = "light wor";
    CHECK(session::to_base64(std::as_bytes(std::span(text))) == "bGlnaHQgd29y");
    for (const char* bad : {"a", "ab!=", "====x", "a=bc"}) CHECK_FALSE(session::from_base64(bad));
}
