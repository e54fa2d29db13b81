// Whether a kernel could pass data to another one that runs at the same time.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace cudash::virtual_gpu {

struct Program;

/// Fences that reach beyond the block, and loads and stores of device memory that are strong (PTX ISA, "Operation
/// types"): without them a kernel has no way to know what another one has done.
class KernelSignals {
public:
    bool of(const Program& program);

private:
    std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace cudash::virtual_gpu
