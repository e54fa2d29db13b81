#include "repl/session/device/text_scan.h"

#include <doctest/doctest.h>

#include <string>

namespace cudash::session {
namespace {

/// The runs with their texts, one per line: "code:int ".
std::string runs_of(std::string_view text) {
    constexpr std::string_view names[] = {"code", "comment", "literal", "directive"};
    std::string all;
    std::size_t end = 0;
    for (const TextRun& run : scan_text(text)) {
        REQUIRE(run.begin == end);  // no gap, no overlap
        REQUIRE(run.end > run.begin);
        end = run.end;
        all += names[static_cast<int>(run.kind)];
        all += ':';
        all += text.substr(run.begin, run.end - run.begin);
        all += '|';
    }
    REQUIRE(end == text.size());
    return all;
}

}  // namespace

TEST_CASE("scan_text: comments, literals and directives apart from code") {
    CHECK(runs_of("") == "");
    CHECK(runs_of("int a;") == "code:int a;|");
    CHECK(runs_of("a // b\nc") == "code:a |comment:// b|code:\nc|");
    CHECK(runs_of("a /* b\n */ c") == "code:a |comment:/* b\n */|code: c|");
    CHECK(runs_of("f(\"//\", '\"')") == "code:f(|literal:\"//\"|code:, |literal:'\"'|code:)|");
    CHECK(runs_of(R"(s = "a\"b";)") == "code:s = |literal:\"a\\\"b\"|code:;|");
}

TEST_CASE("scan_text: a directive begins its line and goes on past continuations and comments") {
    CHECK(runs_of("#define A 1\nb") == "directive:#define A 1|code:\nb|");
    CHECK(runs_of("  # if X\nb") == "code:  |directive:# if X|code:\nb|");
    CHECK(runs_of("#define A \\\n 1\nb") == "directive:#define A \\\n 1|code:\nb|");
    CHECK(runs_of("#define A /* one\n two */ 1\nb") == "directive:#define A /* one\n two */ 1|code:\nb|");
    CHECK(runs_of("/**/ #if X\n") == "comment:/**/|code: |directive:#if X|code:\n|");
    CHECK(runs_of("a # b") == "code:a # b|");
}

TEST_CASE("scan_text: raw literals end at their own delimiter") {
    CHECK(runs_of("R\"(a\"b\n#c)\"; d") == "code:R|literal:\"(a\"b\n#c)\"|code:; d|");
    CHECK(runs_of("R\"x()\")x\" d") == "code:R|literal:\"x()\")x\"|code: d|");
}

TEST_CASE("scan_text: a digit separator begins no literal") {
    CHECK(runs_of("int a = 1'000'000; // n") == "code:int a = 1'000'000; |comment:// n|");
    CHECK(runs_of("f('a')") == "code:f(|literal:'a'|code:)|");
}

TEST_CASE("scan_text: text that never ends is taken to its end") {
    CHECK(runs_of("a /* b") == "code:a |comment:/* b|");
    CHECK(runs_of("\"a\nb") == "literal:\"a|code:\nb|");
    CHECK(runs_of("R\"(a") == "code:R|literal:\"(a|");
    CHECK(runs_of("\"a\\") == "literal:\"a\\|");
    CHECK(runs_of("#define A \\") == "directive:#define A \\|");
}

TEST_CASE("leading_directives: up to the first line of code") {
    const auto leading = [](std::string_view text) { return std::string(text.substr(0, leading_directives(text))); };
    CHECK(leading("") == "");
    CHECK(leading("int a;") == "");
    CHECK(leading("#include <a>\nint a;") == "#include <a>\n");
    CHECK(leading("#include <a>\n// b\n\n#define C 1\nint a;\n#define D\n") == "#include <a>\n// b\n\n#define C 1\n");
    CHECK(leading("#include <a>") == "#include <a>");
    CHECK(leading("\"a\"") == "");
}

TEST_CASE("leading_directives: never ends inside an #if") {
    const auto leading = [](std::string_view text) { return std::string(text.substr(0, leading_directives(text))); };
    CHECK(leading("#define A\n#ifdef A\n#define B\nint a;\n#endif\n") == "#define A\n");
    CHECK(leading("#if A\n#define B\n#endif\nint a;") == "#if A\n#define B\n#endif\n");
    CHECK(leading("#if A\n# if B\n# endif\n#else\n#endif\nint a;") == "#if A\n# if B\n# endif\n#else\n#endif\n");
    CHECK(leading("#endif\nint a;") == "");
}

}  // namespace cudash::session
