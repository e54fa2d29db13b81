// What debug code without stops is asked for: where it has checks, and what they look at.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cudash::virtual_gpu {

struct StopChecks {
    std::vector<std::uint8_t> stops;  ///< by stop: not 0: a check stands there
    /// Registers that checks read (FrameRegister::offset), in their order; nullopt: any. Others hold what they hold.
    std::optional<std::vector<std::uint32_t>> registers{};
    bool memory =
        false;  ///< checks read memory of other threads: warps write it in the order in which they do with stops
    friend bool operator==(const StopChecks&, const StopChecks&) = default;
};

}  // namespace cudash::virtual_gpu
