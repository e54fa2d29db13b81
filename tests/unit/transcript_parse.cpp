#include <doctest/doctest.h>

#include "repl/lesson/transcript.h"

using namespace cudash::lesson;
using Lines = std::vector<std::string>;

TEST_CASE("transcript: the text form") {
    const std::string text =
        "# why\nNEEDS: virtual\nDEVICE: virtual:k20\nARGS: -DN=3 -I dir\n\n>> int x =\n.. 4;\n>> x\n(int) 4\n.. no "
        "code\n\n>>\n";
    const auto transcript = parse_transcript("a.cudash", text);
    REQUIRE(transcript);
    CHECK(transcript->needs == "virtual");
    CHECK(transcript->device == "virtual:k20");
    CHECK(transcript->arguments == Lines{"-DN=3", "-I", "dir"});
    REQUIRE(transcript->exchanges.size() == 3);
    CHECK(transcript->exchanges[0].code == "int x =\n4;\n");
    CHECK(transcript->exchanges[0].expected.empty());
    CHECK(transcript->exchanges[0].line == 6);
    CHECK(transcript->exchanges[1].code == "x\n");
    CHECK(transcript->exchanges[1].expected == Lines{"(int) 4", ".. no code"});
    CHECK(transcript->exchanges[2].code == "\n");
}

TEST_CASE("transcript: rewriting with the expected output changes nothing") {
    for (const auto& [path, text] :
         {std::pair{"a.cudash", "# c\n>> 1\n(int) 1\n\n>> 2\n..."},
          std::pair{"a.cudash", ">> f(\n.. )\n>> g\nx\n\n\n>> h\n"},
          std::pair{"a.md", "t\n```cuda\n1\n```\nmore\n~~~output\n(int) 1\n~~~\n- a\n\n  ```cuda\n  2\n  ```\n"}}) {
        const auto transcript = parse_transcript(path, text);
        REQUIRE(transcript);
        std::vector<std::optional<Lines>> outputs;
        for (const Exchange& exchange : transcript->exchanges) outputs.push_back(exchange.expected);
        const auto again = parse_transcript(path, rewrite(*transcript, outputs));
        REQUIRE(again);
        REQUIRE(again->exchanges.size() == transcript->exchanges.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            CHECK(again->exchanges[i].code == transcript->exchanges[i].code);
            CHECK(again->exchanges[i].expected == transcript->exchanges[i].expected);
        }
        CHECK(rewrite(*again, outputs) == rewrite(*transcript, outputs));
    }
}

TEST_CASE("transcript: rewriting puts new output in place") {
    const auto text = parse_transcript("a.cudash", ">> 1\nold\n\n>> 2\n>> 3");
    REQUIRE(text);
    CHECK(rewrite(*text, {Lines{"new"}, Lines{}, Lines{"c"}}) == ">> 1\nnew\n\n>> 2\n>> 3\nc\n");
    const auto markdown = parse_transcript("a.md", "```cuda\n1\n```\n\n```cuda\n2\n```\n\n```output\nold\n```\nend\n");
    REQUIRE(markdown);
    CHECK(rewrite(*markdown, {Lines{"(int) 1"}, Lines{"new"}}) ==
          "```cuda\n1\n```\n\n```output\n(int) 1\n```\n\n```cuda\n2\n```\n\n```output\nnew\n```\nend\n");
    CHECK(rewrite(*markdown, {std::nullopt, std::nullopt}) == markdown->text);
}

TEST_CASE("transcript: fences that are no cells") {
    const auto transcript = parse_transcript(
        "a.md",
        "<!--\nDEVICE: virtual:v100\n```cuda\nhidden\n```\n-->\n\n````text\n```cuda\nshown\n```\n````\n\n    ```cuda\n "
        "   indented\n\n"
        "```c++\nx\n```\n\n```cuda\n```\n\n```cuda\nreal\n```\n");
    REQUIRE(transcript);
    CHECK(transcript->device == "virtual:v100");
    REQUIRE(transcript->exchanges.size() == 2);
    CHECK(transcript->exchanges[0].code.empty());
    CHECK(transcript->exchanges[1].code == "real\n");
}

TEST_CASE("transcript: what is wrong is named with its line") {
    const auto no_cell = parse_transcript("a.cudash", "NEEDS: gpu\nx\n");
    REQUIRE_FALSE(no_cell);
    CHECK(no_cell.error().where.line == 2);
    CHECK_FALSE(parse_transcript("a.cudash", "NEEDS: luck\n>> 1\n"));
    const auto stray = parse_transcript("a.md", "```output\nx\n```\n");
    REQUIRE_FALSE(stray);
    CHECK(stray.error().where.line == 1);
}
