// Steps in which a device's memory is taken, as an H200 showed them by cudaMemGetInfo.
#include <doctest/doctest.h>

#include "runtime_wrappers/virtual_gpu/runtime/memory_use.h"

using cudash::virtual_gpu::runtime::MemoryUse;

TEST_CASE("device memory is taken in steps, which small allocations share") {
    constexpr std::uint64_t mib = 1 << 20;
    MemoryUse use;
    CHECK(use.taken(0) == 0);
    for (int i = 0; i < 3; ++i) {
        use.add(1000);
        CHECK(use.taken(0) == 2 * mib);
    }
    use.add(3 * mib);
    CHECK(use.taken(0) == 6 * mib);
    use.remove(3 * mib);
    CHECK(use.taken(0) == 2 * mib);
    for (int i = 0; i < 3; ++i) use.remove(1000);
    CHECK(use.taken(0) == 0);
    CHECK(use.taken(1) == 2 * mib);  // CUDA arrays
    use.add(100ull << 30);
    CHECK(use.taken(0) == 100ull << 30);
    use.add(0);
    CHECK(use.taken(0) == 100ull << 30);
}
