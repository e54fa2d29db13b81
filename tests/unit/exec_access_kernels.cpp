// A sample of what access_fuzz runs (tests/fuzz/README.md).
#include <doctest/doctest.h>

#include "tests/fuzz/accesses/access_kernels.h"

using namespace cudash::fuzz;

TEST_CASE("an access that goes anywhere gives the same finding in every form") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        INFO("access_fuzz --show ", seed);
        CHECK(try_access_kernel(seed).value_or("well") == "well");
    }
}
