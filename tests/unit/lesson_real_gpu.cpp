#include <doctest/doctest.h>

#include "repl/lesson/real_gpu.h"

using cudash::grade::Lines;
using cudash::lesson::differences_on_gpu;

TEST_CASE("lesson on a real GPU: what is printed must agree, with any address and number of a cell") {
    CHECK(differences_on_gpu({"(int) 7"}, {{"(int) 7"}, false}).empty());
    CHECK(differences_on_gpu({"(int) 7"}, {{"(int) 8"}, false}) == "-(int) 7\n+(int) 8\n");
    CHECK(differences_on_gpu({"p is 0x200000000200"}, {{"p is 0x7f13a0000000"}, false}).empty());
    CHECK(differences_on_gpu({"cell 12, line 3"}, {{"cell 9, line 3"}, false}).empty());
    CHECK_FALSE(differences_on_gpu({"cell 12, line 3"}, {{"cell 9, line 4"}, false}).empty());
    CHECK_FALSE(differences_on_gpu({}, {{"more"}, false}).empty());
}

TEST_CASE("lesson on a real GPU: of findings the codes count") {
    const Lines text = {"cell 2:1: error[cuda-invalid-value]: cudaFree(devPtr=0x200000000200) failed",
                        "    cudaFree(p)", "  hint: it was freed", "(cudaError_t) cudaErrorInvalidValue"};
    const Lines real = {"cell 2:1: error[cuda-invalid-value]: other words", "(cudaError_t) cudaErrorInvalidValue"};
    CHECK(differences_on_gpu(text, {real, false}).empty());
    // A call that fails on one alone is a difference; a finding of the virtual GPU's checkers is none.
    CHECK(differences_on_gpu(text, {{text.back()}, false}) == "-[cuda-invalid-value]\n");
    CHECK(differences_on_gpu({"(int) 1"}, {{"error[cuda-launch-failure]: x", "(int) 1"}, false}) ==
          "+[cuda-launch-failure]\n");
    CHECK(
        differences_on_gpu({"error[shared-race]: race", "  thread (1,0,0)", "(int) 1"}, {{"(int) 1"}, false}).empty());
    CHECK_FALSE(differences_on_gpu({"(int) 1"}, {{"warning[shared-race]: race", "(int) 1"}, false}).empty());
}
