#include "repl/view/diagnostic_printer.h"

#include <doctest/doctest.h>

using namespace cudash;
using view::print;
using view::Style;

namespace {

std::optional<std::string> text_of(std::string_view file, unsigned line) {
    if (file == "cell 3" && line == 2) return "\tx + y;";
    if (file == "cell 1" && line == 1) return "int é = y;";
    return std::nullopt;
}

Diagnostic compile_error() {
    Diagnostic diagnostic = error("compile-error", "use of undeclared identifier 'y'");
    diagnostic.where = {"cell 3", 2, 6};
    return diagnostic;
}

}  // namespace

TEST_CASE("view: a compiler's message has its source line and a caret under it") {
    CHECK(print(compile_error(), text_of, {}) ==
          "cell 3:2:6: error: use of undeclared identifier 'y'\n    \tx + y;\n    \t    ^\n");
}

TEST_CASE("view: a caret counts characters, not bytes") {
    Diagnostic diagnostic = compile_error();
    diagnostic.where = {"cell 1", 1, 10};
    CHECK(print(diagnostic, text_of, {}).ends_with("    int é = y;\n            ^\n"));
}

TEST_CASE("view: a column past the line's end shows the line alone, an unknown line nothing") {
    Diagnostic diagnostic = compile_error();
    diagnostic.where.column = 4000;
    CHECK(print(diagnostic, text_of, {}).ends_with("'y'\n    \tx + y;\n"));
    diagnostic.where.line = 99;
    CHECK(print(diagnostic, text_of, {}) == "cell 3:99:4000: error: use of undeclared identifier 'y'\n");
}

TEST_CASE("view: a finding names thread, kernel and place, then what belongs to it") {
    Diagnostic diagnostic = error("oob-write", "4-byte write past the end", "is the guard right?");
    diagnostic.where = {"cell 7", 1, 0};
    diagnostic.thread = ThreadSpot{"k", {0, 1, 0}, {1, 0, 0}};
    diagnostic.notes = {
        {"allocated here", {"cell 2", 4, 0}}, {"nothing else", {}}, {"declared here", {"cell 3", 2, 2}}};
    CHECK(print(diagnostic, text_of, {}) ==
          "error[oob-write]: 4-byte write past the end\n"
          "  thread (1,0,0) block (0,1,0) in k, cell 7 line 1\n"
          "  allocated here, cell 2 line 4\n"
          "  nothing else\n"
          "cell 3:2:2: note: declared here\n    \tx + y;\n    \t^\n"
          "  hint: is the guard right?\n");
}

TEST_CASE("view: severities, and a diagnostic without a place") {
    Diagnostic diagnostic = error("unknown-profile", "there is no profile 'x'");
    CHECK(print(diagnostic, {}, {}) == "error[unknown-profile]: there is no profile 'x'\n");
    diagnostic.severity = Diagnostic::Severity::warning;
    CHECK(print(diagnostic, {}, {}) == "warning[unknown-profile]: there is no profile 'x'\n");
    diagnostic.severity = Diagnostic::Severity::note;
    CHECK(print(diagnostic, {}, {}) == "note[unknown-profile]: there is no profile 'x'\n");
}

TEST_CASE("view: control characters of a message do not reach the terminal") {
    CHECK(print(error("", "a\033[31mb\rc\nd"), {}, {}) == "error: a\\x1b[31mb\\x0dc\n    d\n");
}

TEST_CASE("view: colour frames words and changes none") {
    std::string coloured = print(compile_error(), text_of, {true}), plain;
    CHECK(coloured.find("\033[1;31merror\033[0m") != std::string::npos);
    for (std::size_t i = 0; i < coloured.size(); ++i) {
        if (coloured[i] == '\033')
            i = coloured.find('m', i);
        else
            plain += coloured[i];
    }
    CHECK(plain == print(compile_error(), text_of, {}));
}

TEST_CASE("diagnostics are wrapped between words, and lines of source cut") {
    Diagnostic diagnostic = error("c", "aaaa bbbb cccc", "dddd eeee ffff");
    diagnostic.where = {"x", 3, 0};
    diagnostic.notes = {{"gggg hhhh iiii", {"y", 1, 0}}};
    const auto lines = [](std::string_view, unsigned) { return std::optional<std::string>("1 + 2 + 3 + 4 + 5 + 6"); };
    CHECK(print(diagnostic, lines, {}, 20) ==
          "x:3: error[c]: aaaa\n    bbbb cccc\n    1 + 2 + 3 + 4...\n  gggg hhhh iiii, y\n    line 1\n"
          "  hint: dddd eeee\n    ffff\n");
    CHECK(print(error("", "0123456789abcdefghijklmnop x"), {}, {}, 20) == "error: 0123456789abcdefghijklmnop\n    x\n");
}

TEST_CASE("a line of source that is too long is cut on both sides of the caret") {
    Diagnostic diagnostic = error("", "no");
    diagnostic.where = {"x", 1, 1};
    const std::string line = "int é = aaaa + bbbb + cccc + dddd + eeee + ffff;";
    const auto lines = [&](std::string_view, unsigned) { return std::optional(line); };
    CHECK(print(diagnostic, lines, {}, 30) == "x:1:1: error: no\n    int é = aaaa + bbbb + c...\n    ^\n");
    diagnostic.where.column = static_cast<unsigned>(line.find("ffff") + 1);
    CHECK(print(diagnostic, lines, {}, 30) ==
          "x:1:45: error: no\n    ...c + dddd + eeee + ffff;\n                         ^\n");
    diagnostic.where.column = static_cast<unsigned>(line.find("cccc") + 1);
    CHECK(print(diagnostic, lines, {}, 30) ==
          "x:1:24: error: no\n    ...aaa + bbbb + cccc + ...\n                    ^\n");
}
