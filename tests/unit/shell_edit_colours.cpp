#include "repl/shell/input/edit_colours.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cwchar>
#include <cwctype>
#include <random>
#include <vector>

#include "repl/shell/input/characters.h"
#include "repl/view/highlight.h"

using namespace cudash;
using namespace cudash::shell;

namespace {

const view::Style colours{.colour = true, .utf8 = true};

/// As much of a terminal as the sequences need: it wraps when the next character comes.
struct Screen {
    Screen(std::size_t width, std::size_t height) : rows(height, std::wstring(width, L' ')), looks(height) {
        for (auto& row : looks) row.assign(width, "");
    }

    void write(const std::string& bytes) {
        const std::wstring all = widen_all(bytes);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i] == L'\r') {
                column = 0;
            } else if (all[i] == L'\033' && (all[i + 1] == L'7' || all[i + 1] == L'8')) {
                if (all[++i] == L'7') saved = {row, column};
                if (all[i] == L'8') row = saved.row, column = saved.column;
            } else if (all[i] == L'\033') {
                std::size_t end = i + 2;
                while (!std::iswalpha(static_cast<std::wint_t>(all[end]))) ++end;
                control(narrow(all.substr(i + 2, end - i - 2)), all[end]);
                i = end;
            } else {
                put(all[i]);
            }
        }
    }

    std::vector<std::wstring> rows;
    std::vector<std::vector<std::string>> looks;  ///< the SGR sequence of each character
    std::size_t row = 0, column = 0;

private:
    static std::wstring widen_all(const std::string& bytes) {
        std::wstring text(bytes.size(), L'\0');
        const char* from = bytes.c_str();
        std::mbstate_t state{};
        text.resize(std::mbsrtowcs(text.data(), &from, text.size(), &state));
        return text;
    }
    void control(const std::string& parameters, wchar_t kind) {
        std::size_t count = 1;
        std::from_chars(parameters.data(), parameters.data() + parameters.size(), count);
        if (kind == L'A') row -= std::min(row, count);
        if (kind == L'B') row = std::min(row + count, rows.size() - 1);
        if (kind == L'C') column += count;
        if (kind == L'm') look = parameters == "0" ? "" : parameters;
    }
    void put(wchar_t c) {
        const auto columns = static_cast<std::size_t>(wcwidth(c));
        if (column + columns > rows[0].size()) ++row, column = 0;
        REQUIRE(row < rows.size());
        rows[row][column] = c;
        looks[row][column] = look;
        column += columns;
    }

    Place saved;
    std::string look;
};

/// The text as libedit leaves it, the cursor at its place.
Screen drawn_plain(const EditedText& edited) {
    Screen screen(edited.width, edited.height);
    Place at = edited.begin;
    for (const wchar_t c : edited.text) {
        Place next = place_after({&c, 1}, edited.width, at);
        const bool wraps = wcwidth(c) == 2 && at.column + 2 > edited.width;
        if (c > L' ') screen.rows[wraps ? at.row + 1 : at.row][wraps ? 0 : at.column] = c;
        at = next;
    }
    const Place cursor = place_after(edited.text.substr(0, edited.cursor), edited.width, edited.begin);
    screen.row = cursor.row;
    screen.column = cursor.column;
    return screen;
}

std::string look_of(const std::wstring& text, std::size_t cursor, std::size_t character) {
    const EditedText edited{text, cursor, {0, 3}, 200, 24};
    Screen screen = drawn_plain(edited);
    screen.write(coloured_edit(edited, colours, true));
    return screen.looks[0][3 + character];
}

}  // namespace

TEST_CASE("edit colours: keywords, CUDA's words, comments and the pair of brackets at the cursor") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    const std::wstring text = L"__global__ void k(int* p) { p[0] = ')'; } // (";
    CHECK(look_of(text, 0, 0) == "1;35");
    CHECK(look_of(text, 0, 11) == "1;36");
    CHECK(look_of(text, 0, 16) == "");
    CHECK(look_of(text, 0, text.size() - 1) == "2");
    // At the bracket, behind it, and at its partner; the one in the literal and the one in the comment are none.
    for (const std::size_t cursor : {17u, 18u, 24u, 25u}) {
        CHECK(look_of(text, cursor, 17) == "1;4");
        CHECK(look_of(text, cursor, 24) == "1;4");
    }
    CHECK(look_of(text, 36, 36) == "1;32");
    CHECK(look_of(text, text.size(), text.size() - 1) == "2");
    CHECK(look_of(L":show d", 7, 0) == "1");
    CHECK(look_of(L"f((1)", 1, 1) == "");      // open
    CHECK(look_of(L"f(1])", 1, 1) == "");      // crossed
    CHECK(look_of(L"f((1))", 6, 1) == "1;4");  // the one before the cursor
    CHECK(coloured_edit({L"int x", 0, {}, 80, 24}, {}, true).empty());
    CHECK(coloured_edit({L"", 0, {}, 80, 24}, colours, true).empty());
}

TEST_CASE("edit colours: nothing on the screen moves, whatever is wide, wraps or ends lines") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    const std::wstring pieces[] = {L"int ",  L"x",      L"(",
                                   L")",     L"{",      L"}",
                                   L"\n",    L"\n    ", L"// a\n",
                                   L"\"s\"", L"漢",     L"é",
                                   L"\t",    L"for",    L"__syncthreads()",
                                   L"/* ",   L"*/",     L"                   "};
    std::mt19937 random(7);
    std::size_t drawn = 0;
    for (int round = 0; round < 3000; ++round) {
        std::wstring text;
        for (std::size_t i = random() % 14; i > 0; --i) text += pieces[random() % std::size(pieces)];
        const std::size_t width = 10 + random() % 30;
        const EditedText edited{text, random() % (text.size() + 1), {0, random() % 9}, width, 12};
        if (place_after(text, width, edited.begin).row >= edited.height) {
            CHECK(coloured_edit(edited, colours, true).empty());
            continue;
        }
        const Screen before = drawn_plain(edited);
        Screen after = before;
        after.write(coloured_edit(edited, colours, true));
        CAPTURE(narrow(text));
        CAPTURE(width);
        REQUIRE(after.rows == before.rows);
        REQUIRE(after.row == before.row);
        REQUIRE(after.column == before.column);
        ++drawn;
    }
    CHECK(drawn > 1000);
}

TEST_CASE("edit colours: a text of which a part is above the screen, or with control characters, stays as it is") {
    CHECK(coloured_edit({L"int \a x", 0, {}, 80, 24}, colours, true).empty());
    const std::wstring text(900, L'7');
    CHECK(coloured_edit({text, 0, {}, 80, 11}, colours, true).empty());
    CHECK_FALSE(coloured_edit({text, 0, {}, 80, 12}, colours, true).empty());
}
