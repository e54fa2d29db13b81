#include "repl/shell/input/edit_text.h"

#include <doctest/doctest.h>

#include <clocale>

using namespace cudash::shell;

TEST_CASE("edit text: lines and columns") {
    const std::wstring_view text = L"one\nlonger line\n\nx";
    CHECK(line_begin(text, 0) == 0);
    CHECK(line_begin(text, 3) == 0);
    CHECK(line_begin(text, 4) == 4);
    CHECK(line_end(text, 4) == 15);
    CHECK(line_end(text, text.size()) == text.size());
    CHECK_FALSE(line_up(text, 2));
    CHECK(line_up(text, 6) == 2);
    CHECK(line_up(text, 14) == 3);  // the line above is shorter
    CHECK(line_up(text, 16) == 4);
    CHECK(line_up(text, 17) == 16);
    CHECK(line_down(text, 2) == 6);
    CHECK(line_down(text, 12) == 16);
    CHECK_FALSE(line_down(text, 17));
    CHECK_FALSE(line_up(L"", 0));
    CHECK_FALSE(line_down(L"", 0));
}

TEST_CASE("edit text: words") {
    const std::wstring_view text = L"int a_b = f(12);";
    CHECK(word_begin(text, text.size()) == 12);
    CHECK(word_begin(text, 7) == 4);
    CHECK(word_begin(text, 2) == 0);
    CHECK(word_begin(text, 0) == 0);
    CHECK(word_end(text, 0) == 3);
    CHECK(word_end(text, 3) == 7);
    CHECK(word_end(text, text.size()) == text.size());
}

TEST_CASE("edit text: indentation follows the brackets") {
    CHECK(indentation_after(L"") == 0);
    CHECK(indentation_after(L"int x = 1;") == 0);
    CHECK(indentation_after(L"void f() {") == 4);
    CHECK(indentation_after(L"void f() {\n    if (a) {") == 8);
    CHECK(indentation_after(L"void f() {\n    if (a) {\n        g();\n    }") == 4);
    CHECK(indentation_after(L"void f() {\n    g(1,") == 8);
    CHECK(indentation_after(L"void f() {\n    g(1,\n        2);") == 4);
    CHECK(indentation_after(L"void f() {\n\n\n") == 4);
    CHECK(indentation_after(L"  void f() { // {") == 6);
    CHECK(indentation_after(L"const char* s = \"{\";") == 0);
    CHECK(indentation_after(L"char c = '{';") == 0);
    CHECK(indentation_after(L"int n = 1'000; /* { */") == 0);
    CHECK(indentation_after(L"}") == 0);
    CHECK(closing_indentation(L"void f() {\n    if (a) {\n        g();\n        ") == 4);
    CHECK(closing_indentation(L"void f() {\n    ") == 0);
    CHECK_FALSE(closing_indentation(L"int x = 1;\n"));
    CHECK_FALSE(closing_indentation(L"f(\n    "));
}

TEST_CASE("edit text: where the cursor is after a text") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    const auto is = [](Place place, std::size_t row, std::size_t column) {
        return place.row == row && place.column == column;
    };
    CHECK(is(place_after(L"abc", 10), 0, 3));
    CHECK(is(place_after(L"abc", 10, {0, 8}), 1, 1));
    CHECK(is(place_after(L"ab", 10, {0, 8}), 1, 0));  // a full line goes on at the next one's begin
    CHECK(is(place_after(L"a\nbc", 10, {2, 5}), 3, 2));
    CHECK(is(place_after(L"a\tb", 20), 0, 9));
    CHECK(is(place_after(L"\u4e2d", 10, {0, 9}), 1, 2));  // two columns do not fit in one
    CHECK(is(place_after(L"", 10), 0, 0));
}
