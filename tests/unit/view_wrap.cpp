// Text in lines that a terminal has room for.
#include "repl/view/wrap_value.h"

#include <doctest/doctest.h>

using cudash::view::wrap_value;

TEST_CASE("a value is broken behind its commas, and only where it is too long") {
    CHECK(wrap_value("(int[3]) {1, 2, 3}", 0) == "(int[3]) {1, 2, 3}");
    CHECK(wrap_value("(int[3]) {1, 2, 3}", 18) == "(int[3]) {1, 2, 3}");
    CHECK(wrap_value("(int[3]) {1, 2, 3}", 17) == "(int[3]) {1, 2,\n  3}");
    CHECK(wrap_value("(int[6]) {10, 20, 30, 40, 50, 60}", 14) == "(int[6]) {10,\n  20, 30, 40,\n  50, 60}");
}

TEST_CASE("strings in a value stay whole") {
    CHECK(wrap_value(R"({"a, b, c", 'd', "e\", f"})", 12) == "{\"a, b, c\",\n  'd',\n  \"e\\\", f\"}");
    CHECK(wrap_value("(const char *) \"no comma in all of it\"", 12) == "(const char *) \"no comma in all of it\"");
}
