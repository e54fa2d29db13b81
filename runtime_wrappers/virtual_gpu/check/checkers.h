// The checkers of the virtual GPU: one table, and which of them look.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime_wrappers/result.h"

namespace cudash::virtual_gpu {

/// Bounds, alignment and deadlocks are no checkers: they are always found, and end the kernel.
enum class Checker : std::uint8_t {
    // Of kernels.
    initialised,
    shared_race,
    global_race,
    same_value,
    barrier,
    aliasing,
    stream_race,
    // Of host code.
    host_race,
    copy,
    unchecked,
    leak,
    count
};

struct CheckerRow {
    Checker checker;
    std::string_view name;
    bool by_default;
    bool of_kernels;  ///< it needs the accesses of kernels
    std::string_view finds;
};
std::span<const CheckerRow> checkers();

/// Which checkers look, and at how much.
struct Selection {
    std::bitset<static_cast<std::size_t>(Checker::count)> on;
    /// Accesses by warps that are looked at in one launch; the rest of the grid then runs unobserved. 0: all. A kernel
    /// that was cut off so in eight launches of one shape gets a sixteenth in later ones (checks.cpp).
    std::uint64_t budget = 0;

    /// Different for different selections.
    std::uint64_t key() const {
        static_assert(static_cast<std::size_t>(Checker::count) <= 16);
        return budget << 16 | on.to_ullong();
    }
    bool has(Checker checker) const { return on.test(static_cast<std::size_t>(checker)); }
    /// Whether kernels are looked at.
    bool any() const {
        for (const CheckerRow& row : checkers())
            if (row.of_kernels && has(row.checker)) return true;
        return false;
    }
};

/// `none`, `default`, `all`, or names separated by commas; a name looks at whole launches.
Result<Selection> parse_selection(std::string_view text);

}  // namespace cudash::virtual_gpu
