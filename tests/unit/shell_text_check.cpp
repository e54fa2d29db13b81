#include <doctest/doctest.h>

#include "repl/shell/suggest.h"
#include "repl/shell/text_check.h"

using namespace cudash;
using namespace cudash::shell;
using namespace std::string_view_literals;

TEST_CASE("shell: well-formed UTF-8 passes") {
    for (const auto text : {""sv, "int x;\n"sv, "é€😀"sv, "\xed\x9f\xbf"sv, "\xf4\x8f\xbf\xbf"sv, "\x7f\t\r"sv})
        CHECK_FALSE(check_text("cell 1", text));
}

TEST_CASE("shell: the first bad byte is named by line and column") {
    struct Case {
        std::string_view text;
        unsigned line, column;
    };
    // NUL; stray continuation; truncated; overlong; surrogate; beyond U+10FFFF; never-used bytes.
    for (const Case& c : {Case{"a\0b"sv, 1, 2},
                          {"a\nb\x80"sv, 2, 2},
                          {"\xe2\x82"sv, 1, 1},
                          {"\xc0\x80"sv, 1, 1},
                          {"\n\n\xed\xa0\x80"sv, 3, 1},
                          {"\xf4\x90\x80\x80"sv, 1, 1},
                          {"\xfe"sv, 1, 1},
                          {"é\xff"sv, 1, 3},
                          {"\xe0\x80\x80"sv, 1, 1},
                          {"\xf0\x80\x80\x80"sv, 1, 1}}) {
        const auto problem = check_text("cell 9", c.text);
        REQUIRE(problem);
        CHECK(problem->where.file == "cell 9");
        CHECK(problem->where.line == c.line);
        CHECK(problem->where.column == c.column);
    }
}

TEST_CASE("shell: suggestions") {
    const std::string_view names[] = {"help", "quit", "replay", "reset", "history"};
    CHECK(suggest("hlep", names) == "help");
    CHECK(suggest("qiut", names) == "quit");
    CHECK(suggest("hist", names) == "history");
    CHECK(suggest("resset", names) == "reset");
    CHECK_FALSE(suggest("completely", names));
}
