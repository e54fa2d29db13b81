#include "repl/shell/line_completion.h"

#include <doctest/doctest.h>

#include "repl/view/highlight.h"

using namespace cudash;

TEST_CASE("completion: the common prefix, and lists") {
    session::Completions list;
    CHECK(shell::common_prefix(list) == "");
    CHECK(shell::list_completions(list, {}, 80, 10) == "");
    list.candidates = {{"cudaMalloc", "cudaError_t cudaMalloc(void **p, size_t n)", "Allocates"},
                       {"cudaMallocHost", "", ""}};
    CHECK(shell::common_prefix(list) == "cudaMalloc");
    CHECK(shell::list_completions(list, {false, true}, 80, 10) ==
          "cudaError_t cudaMalloc(void **p, size_t n)  — Allocates\ncudaMallocHost\n");
    CHECK(shell::list_completions(list, {false, false}, 80, 10) ==
          "cudaError_t cudaMalloc(void **p, size_t n)  - Allocates\ncudaMallocHost\n");
    list.candidates.clear();
    for (int i = 0; i < 40; ++i) list.candidates.push_back({"name_" + std::to_string(i), {}, {}});
    CHECK(shell::list_completions(list, {}, 20, 3) ==
          "name_0   name_3\nname_1   name_4\nname_2   name_5\n... and 34 others\n");
    list.more = true;
    CHECK(shell::list_completions(list, {}, 20, 1) == "name_0   name_1\n... and others\n");
    // One long name does not take the room of several short ones; long signatures are broken at spaces.
    list.candidates = {{"a_very_long_name", {}, {}}};
    for (int i = 0; i < 9; ++i) list.candidates.push_back({"b" + std::to_string(i), {}, {}});
    list.more = false;
    CHECK(shell::list_completions(list, {}, 18, 2) ==
          "b0  b2  b4  b6  b8\n"
          "b1  b3  b5  b7\n"
          "... and 1 other\n");
    list.candidates = {{"f", "int f(int first, float second)", {}}};
    CHECK(shell::list_completions(list, {}, 20, 10) == "int f(int first,\n    float second)\n");
    list.candidates.clear();
    list.calls = {{"f", "int f(int a, «float b»)", ""}};
    CHECK(shell::list_completions(list, {false, true}, 80, 10) == "int f(int a, «float b»)\n");
    CHECK(shell::list_completions(list, {false, false}, 80, 10) == "int f(int a, <float b>)\n");
    CHECK(shell::list_completions(list, {true, true}, 80, 10) == "int f(int a, \033[4mfloat b\033[0m)\n");
}

TEST_CASE("highlight: colour where a terminal has it, the text as it is elsewhere") {
    const std::string text = "__global__ void k(int* p) { // one\n    p[threadIdx.x] = 'c'; \n}\n#define N 4\n";
    CHECK(view::highlight(text, {}) == text);
    const std::string coloured = view::highlight(text, {true, true});
    CHECK(coloured.find("\033[1;35m__global__\033[0m") != std::string::npos);
    CHECK(coloured.find("\033[1;36mvoid\033[0m k(") != std::string::npos);
    CHECK(coloured.find("\033[2m// one") != std::string::npos);
    CHECK(coloured.find("\033[1;35mthreadIdx\033[0m.x") != std::string::npos);
    CHECK(coloured.find("\033[1;32m'c'\033[0m") != std::string::npos);
    CHECK(view::highlight(":show d 4x4", {true, true}) == "\033[1m:show\033[0m d 4x4");
    std::string plain;
    for (std::size_t i = 0; i < coloured.size(); ++i)
        if (coloured[i] == '\033') {
            i = coloured.find('m', i);
        } else {
            plain += coloured[i];
        }
    CHECK(plain == text);
}
