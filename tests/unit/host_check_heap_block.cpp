#include "runtime_wrappers/host_check/heap_block.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

using cudash::host_check::heap_block_below;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_own_malloc = true;  // the sanitizer's
#else
constexpr bool has_own_malloc = false;
#endif

struct Freed {
    void operator()(void* block) const { std::free(block); }
};
using Block = std::unique_ptr<void, Freed>;

}  // namespace

TEST_CASE("heap blocks: their bytes, rounded up, wherever malloc puts them") {
    if (has_own_malloc) return;
    std::mt19937 random(5);
    std::vector<Block> blocks;
    std::size_t known = 0;
    for (int i = 0; i < 2000; ++i) {
        const std::size_t size = 1 + random() % (i % 50 == 0 ? 1'000'000 : 3000);
        blocks.emplace_back(std::malloc(size));
        // Holes of all kinds: malloc takes them again.
        if (i > 0 && random() % 3 == 0) blocks[random() % (blocks.size() - 1)].reset(std::malloc(1 + random() % 500));
        const void* const block = blocks.back().get();
        CHECK(!heap_block_below(block, size, true));
        if (const auto bytes = heap_block_below(block, size + 10'000, true)) {
            ++known;
            CHECK(*bytes >= size);
            CHECK(*bytes <= size + 40 + (size > 100'000 ? 8192 : 0));
        }
    }
    CHECK(known > 1900);
}

TEST_CASE("heap blocks: nothing is known of other addresses") {
    if (has_own_malloc) return;
    // Numbers that look like sizes and flags.
    std::vector<std::uint64_t> numbers(4096);
    std::mt19937 random(7);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i < 2048 ? random() % 0x200 | 1 : 33;
    std::size_t known = 0;
    for (std::size_t i = 2; i < numbers.size(); i += 2)
        known += heap_block_below(&numbers[i], 1 << 20, true).has_value();
    CHECK(known == 0);
    int variable[8] = {};
    static int fixed[8];
    CHECK(!heap_block_below(variable, 64, true));
    CHECK(!heap_block_below(fixed, 64, false));
    CHECK(!heap_block_below(nullptr, 64, false));
    CHECK(!heap_block_below(reinterpret_cast<void*>(0x200000000200), 64, false));
}
