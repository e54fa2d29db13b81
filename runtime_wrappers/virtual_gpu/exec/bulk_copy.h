// cp.async.bulk and cp.reduce.async.bulk: copies and reductions of whole ranges, and of boxes of tensors. One is done
// when it is issued.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime_wrappers/virtual_gpu/exec/warp.h"
#include "runtime_wrappers/virtual_gpu/isa/decode.h"

namespace cudash::virtual_gpu {

/// `memory` becomes what the operation makes of it and `value`.
using Reduce = void (*)(std::byte* memory, const std::byte* value);

/// The reduction of bulk copies (PTX ISA, "cp.reduce.async.bulk") to global memory, or to shared memory of the cluster;
/// nullptr: there is none for the type.
Reduce reduction_of(Mod operation, ptx::Type type, bool to_shared);
/// The operation that the modifiers name; Mod::count: none.
Mod operation_of(const Site& site);

/// A copy takes hardware longer than a turn: the other warps go on before the one that issued it goes round a loop and
/// waits for it.
inline void end_copy(Warp& w) {
    w.wrote = true;
    w.slice = std::min(w.slice, 1);
}

void select_bulk_copy(Site& site);
void select_tensor_copy(Site& site);  ///< exec/tensor_copy.cpp

/// The blocks of the cluster that a .multicast copy goes to: their addresses for `address` of the block that runs.
class Targets {
public:
    /// `mask`: a bit for each rank; 0: `address` alone.
    Targets(bool in_cluster, std::uint64_t address, std::uint32_t mask);
    const std::uint64_t* begin() const { return addresses_.data(); }
    const std::uint64_t* end() const { return addresses_.data() + count_; }

private:
    std::array<std::uint64_t, 16> addresses_{};
    std::size_t count_ = 0;
};

}  // namespace cudash::virtual_gpu
