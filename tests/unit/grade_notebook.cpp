// Submissions that are notebooks: which cells count, and what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "repl/grade/notebook_source.h"

using namespace cudash::grade;

namespace {

std::string notebook(std::string_view cells, std::string_view kernel = "cudash") {
    return fmt::format(R"({{"cells": [{}], "metadata": {{"kernelspec": {{"name": "{}"}}}}, "nbformat": 4,
                           "nbformat_minor": 5}})",
                       cells, kernel);
}

constexpr std::string_view tagged =
    R"({"cell_type": "code", "metadata": {"tags": ["submission"]}, "source": ["int a;\n", ":show a\n", "int b;"]})";
constexpr std::string_view solution =
    R"({"cell_type": "code", "metadata": {"nbgrader": {"solution": true, "grade": false}}, "source": "int c;"})";
constexpr std::string_view plain = R"({"cell_type": "code", "metadata": {}, "source": "int d;"})";

std::string source(std::string_view cells) {
    const auto found = notebook_source(notebook(cells));
    return found ? *found : "refused: " + found.error().message;
}

std::string refusal(std::string_view text) {
    const auto found = notebook_source(text);
    return found ? "taken: " + *found : found.error().message;
}

}  // namespace

TEST_CASE("grade: the marked cells of a notebook are the submission") {
    CHECK(source(tagged) == "int a;\n\nint b;\n");
    CHECK(source(fmt::format("{}, {}, {}", plain, solution, solution)) == "int c;\nint c;\n");
    // nbgrader's marks go before tags.
    CHECK(source(fmt::format("{}, {}", tagged, solution)) == "int c;\n");
    CHECK(source(R"({"cell_type": "code", "metadata": {"name": "submission"}, "source": "int e;"})") == "int e;\n");
    // Text of a cell that is not code does not count, whatever its marks.
    CHECK(source(fmt::format(
              R"({}, {{"cell_type": "markdown", "metadata": {{"tags": ["submission"]}}, "source": "x"}})", tagged)) ==
          "int a;\n\nint b;\n");
    // A scope is not a command.
    CHECK(source(R"({"cell_type": "code", "metadata": {"name": "submission"}, "source": "::f();"})") == "::f();\n");
}

TEST_CASE("grade: notebooks that are damaged, for others, or not marked are refused with a sentence") {
    CHECK(refusal(notebook(plain)).starts_with("No cell of the notebook is marked"));
    CHECK(refusal(notebook(tagged, "python3")).starts_with("The notebook is for the kernel \"python3\""));
    CHECK(refusal("").starts_with("The notebook is damaged"));
    CHECK(refusal(notebook(tagged).substr(0, 60)).starts_with("The notebook is damaged"));
    CHECK(refusal("\xff\xfe\x00 {}").starts_with("The notebook is damaged"));
    CHECK(refusal("[1, 2]").starts_with("The file is not a notebook"));
    CHECK(refusal(R"({"nbformat": 4})").starts_with("The file is not a notebook"));
    CHECK(refusal(R"({"nbformat": 3, "worksheets": []})").starts_with("The notebook has an old format"));
    CHECK(refusal(R"({"nbformat": 7, "cells": []})").starts_with("The notebook has format 7"));
    CHECK(refusal(notebook(R"({"cell_type": "code", "metadata": {"name": "submission"}, "source": 5})"))
              .starts_with("The notebook is damaged: a cell"));
    CHECK(refusal(notebook(R"(7, null, {"cell_type": ["code"]}, {"cell_type": "code", "metadata": 1})"))
              .starts_with("No cell"));
}

TEST_CASE("grade: a notebook that would fill the memory is refused before it is read") {
    CHECK(refusal(std::string(2'000'000, '[')).starts_with("The notebook has far more parts"));
    std::string wide = R"({"nbformat": 4, "cells": [0)";
    for (int i = 0; i < 1'100'000; ++i) wide += ",0";
    CHECK(refusal(wide + "]}").starts_with("The notebook has far more parts"));
    const std::string huge(5 << 20, 'x');
    CHECK(refusal(notebook(fmt::format(
                      R"({{"cell_type": "code", "metadata": {{"name": "submission"}}, "source": "{}"}})", huge)))
              .starts_with("The notebook has more than 4 MB of code"));
}
