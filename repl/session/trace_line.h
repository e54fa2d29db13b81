#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// A call or a launch that is told as it happens, by `:trace` or `:launches`.
struct TraceLine {
    std::string text;  ///< as it is shown, in a line

    struct Launch {
        std::string kernel;
        Dim3 grid, block;
        std::uint64_t shared = 0;  ///< dynamic, in bytes
        double nanoseconds = 0;    ///< on the modelled clock
        std::uint64_t findings = 0;
        bool failed = false;
    };
    std::optional<Launch> launch{};
    std::string call{}, result{};  ///< of a call: "cudaFree(devPtr=0x...)" and "cudaSuccess"
};

}  // namespace cudash::session
