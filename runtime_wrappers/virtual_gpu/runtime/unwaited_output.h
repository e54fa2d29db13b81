// What kernels print that a program did not wait for. Device printf goes to a buffer that the host empties in calls
// that wait, and at the program's end, without waiting. H200, driver 580: of a program that ended right behind its
// launch, nothing was shown in five of five runs; of one that computed for half a second, everything in three of three.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::virtual_gpu::runtime {

class UnwaitedOutput {
public:
    using Print = std::function<void(std::string_view)>;

    /// `print`, for a launch that runs once the program is over: the kernel, where it was launched, which launch.
    Print noticed(Print print, const std::string& kernel, const SourceSpot& where, std::uint64_t launch);
    /// A warning, if there was any.
    std::optional<Diagnostic> take();

private:
    std::string kernel_;
    SourceSpot where_;
    std::uint64_t launches_ = 0, last_ = 0;
};

}  // namespace cudash::virtual_gpu::runtime
