#include <doctest/doctest.h>

#include "runtime_wrappers/nvrtc/nvcc.h"

namespace cudash::nvrtc {
namespace {

// void run<(lambda)>((lambda)), of the lambdas of main() and f(int) that take an int: main's n-th, f's n-th.
std::string of_main(const char* n) {
    return std::string("_Z3runIZ4mainEUliE") + n + "_EvT_";
}
std::string of_f(const char* n) {
    return std::string("_Z3runIZ1fiEUliE") + n + "_EvT_";
}

TEST_CASE("a lambda's kernel is found by its number in its function, whatever other kernels there are") {
    Artifact artifact;
    artifact.lowered_names = {{"void run<main::{lambda(int)#1}>(main::{lambda(int)#1})", "first"},
                              {"void run<main::{lambda(int)#3}>(main::{lambda(int)#3})", "third"},
                              {"void run<f(int)::{lambda(int)#1}>(f(int)::{lambda(int)#1})", "of f"}};
    const LambdaNumbers numbers = {{42, 1}, {43, 1}, {44, 2}, {45, 3}};
    CHECK(name_by_nvcc(artifact, of_main("40"), numbers) == "first");
    CHECK(name_by_nvcc(artifact, of_main("43"), numbers) == "third");
    CHECK(name_by_nvcc(artifact, of_f("41"), numbers) == "of f");
    CHECK(name_by_nvcc(artifact, of_main("42"), numbers) == "");
    CHECK(name_by_nvcc(artifact, of_main(""), numbers) == "");  // of another cell: nothing is known of it
}

TEST_CASE("lambdas are told from names that look like theirs") {
    CHECK(names_lambda(of_main("")));
    CHECK(names_lambda("_Z3runIZN1SC1EvEUlvE_EvT_"));
    CHECK(!names_lambda("_Z5MyUlsi"));
    CHECK(!names_lambda("Ul"));
    CHECK(!names_lambda(""));
}

}  // namespace
}  // namespace cudash::nvrtc
