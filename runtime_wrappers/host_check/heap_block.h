// How much memory malloc gave at an address, as far as glibc's heap shows it: the bytes before a block hold its size.
#pragma once

#include <cstdint>
#include <optional>

namespace cudash::host_check {

/// Bytes from `pointer` to the end of its block, if they are fewer than `bytes`: what was asked for, and up to 40 more.
/// Nothing where `pointer` isn't known to be the beginning of a block: it points inside of one, to a variable, or to
/// memory of another allocator. `pageable`: it is known to be ordinary memory of the host that can be read. Otherwise
/// only the heap itself is looked at, and no block so large that it has a mapping of its own.
std::optional<std::uint64_t> heap_block_below(const void* pointer, std::uint64_t bytes, bool pageable);

}  // namespace cudash::host_check
