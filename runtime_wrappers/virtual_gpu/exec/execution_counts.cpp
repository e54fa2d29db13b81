#include "runtime_wrappers/virtual_gpu/exec/execution_counts.h"

#include <algorithm>

namespace cudash::virtual_gpu {

void ExecutionCounts::segment(const Code& code, std::uint32_t begin, std::uint32_t end, std::uint64_t warps,
                              std::uint64_t threads) {
    Function& function = of(code);
    function.warps[begin] += warps;
    function.warps[end] -= warps;
    function.threads[begin] += threads;
    function.threads[end] -= threads;
}

void ExecutionCounts::diverged(const Code& code, std::uint32_t ordinal, std::uint64_t warps) {
    of(code).diverged[ordinal] += warps;
}

std::uint64_t ExecutionCounts::warp_instructions() const {
    std::uint64_t sum = 0;
    for (const Function& function : functions_) {
        std::uint64_t here = 0;
        for (const std::uint64_t difference : function.warps) sum += here += difference;
    }
    return sum;
}

ExecutionCounts::Function& ExecutionCounts::find(const Code& code) {
    for (Function& known : functions_)
        if (known.code == &code) return *(last_ = &known);
    std::uint32_t last = 0;
    for (const Instruction& each : code.instructions) last = std::max(last, each.ordinal);
    Function& made = functions_.emplace_back();
    made.code = &code;
    made.warps.resize(last + 2);
    made.threads.resize(last + 2);
    made.diverged.resize(last + 2);
    return *(last_ = &made);
}

}  // namespace cudash::virtual_gpu
