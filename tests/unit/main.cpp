#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
    setenv("CUDASH_CONFIG", "/dev/null", 1);  // no test depends on its user's settings
    return doctest::Context(argc, argv).run();
}
