#include "repl/grade/compare.h"

#include <doctest/doctest.h>

using namespace cudash::grade;

TEST_CASE("transcript: elisions inside a line") {
    CHECK(matches_line("a [..] c", "a b c"));
    CHECK(matches_line("[..]", ""));
    CHECK(matches_line("x[..]y[..]z", "x1y2y3z"));
    CHECK(matches_line("\\...", "..."));
    CHECK_FALSE(matches_line("a [..] c", "a b d"));
    CHECK_FALSE(matches_line("a[..]a", "a"));
    CHECK_FALSE(matches_line("x[..]y[..]z", "xz"));
    CHECK_FALSE(matches_line("\\[..]", "a"));
    CHECK_FALSE(matches_line("a", "a "));
}

TEST_CASE("transcript: a line of dots stands for any lines") {
    CHECK(matches({"..."}, {}));
    CHECK(matches({"...", "b"}, {"a", "b", "b"}));
    CHECK(matches({"a", "...", "c", "..."}, {"a", "b", "c"}));
    CHECK(matches({"...", "..."}, {"a"}));
    CHECK_FALSE(matches({"...", "b"}, {"a"}));
    CHECK_FALSE(matches({"a"}, {"a", "a"}));
    CHECK_FALSE(matches({"a", "a"}, {"a"}));
    CHECK_FALSE(matches({}, {"a"}));
}

TEST_CASE("transcript: the diff shows what is missing and what is new") {
    CHECK(diff({"a", "b", "c"}, {"a", "x", "c"}) == " a\n-b\n+x\n c\n");
    CHECK(diff({"a"}, {"a", "b"}) == " a\n+b\n");
    CHECK(diff({"...", "z"}, {"a", "b"}) == " ...\n-z\n");
    CHECK(diff({}, {"a"}) == "+a\n");
}

TEST_CASE("transcript: merging keeps the elisions that still match") {
    CHECK(merge({"address [..]", "...", "old"}, {"address 0x10", "a", "b", "new"}) == Lines{"address [..]", "..."});
    CHECK(merge({"a", "b [..]"}, {"c", "b 7", "d"}) == Lines{"c", "b [..]", "d"});
    CHECK(merge({}, {"...", ">> x", "\\y", "```", "..z"}) == Lines{"\\...", "\\>> x", "\\\\y", "\\```", "\\..z"});
    for (const Lines& actual : {Lines{"...", ">> x", "\\y"}, Lines{}, Lines{"a", "", "b"}})
        CHECK(matches(merge({"q", "..."}, actual), actual));
}

TEST_CASE("transcript: long outputs are compared without a table of their square") {
    Lines expected(20'000, "a"), actual(20'000, "b");
    CHECK_FALSE(matches(expected, actual));
    CHECK(matches(merge(expected, actual), actual));
}
