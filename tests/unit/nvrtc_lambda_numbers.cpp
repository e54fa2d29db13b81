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

TEST_CASE("lambdas have the same places in the names of both compilers") {
    // The ABI counts from "", which is #1, and "0", which is #2.
    const LambdaNumbers nvcc({of_main(""), of_main("1"), of_f("")}), ours({of_main("40"), of_main("42"), of_f("41")});
    CHECK(ours.placed("void run<main::{lambda(int)#42}>(main::{lambda(int)#42})") ==
          "void run<main::{lambda(int)#1}>(main::{lambda(int)#1})");
    CHECK(ours.placed("void run<main::{lambda(int)#44}>(main::{lambda(int)#44})") ==
          nvcc.placed("void run<main::{lambda(int)#3}>(main::{lambda(int)#3})"));
    CHECK(ours.placed("void run<f(int)::{lambda(int)#43}>(f(int)::{lambda(int)#43})") ==
          nvcc.placed("void run<f(int)::{lambda(int)#1}>(f(int)::{lambda(int)#1})"));
}

TEST_CASE("names without lambdas stay, and so do lambdas that no kernel has") {
    const LambdaNumbers none;
    CHECK(none.placed("void run<int>(int)") == "void run<int>(int)");
    CHECK(none.placed("void run<main::{lambda(int)#7}>()") == "void run<main::{lambda(int)#7}>()");
    CHECK(none.placed("{lambda(") == "{lambda(");
    CHECK(none.placed("a::{lambda(int)#}") == "a::{lambda(int)#}");
}

}  // namespace
}  // namespace cudash::nvrtc
