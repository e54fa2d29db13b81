#include "runtime_wrappers/virtual_gpu/profile/execution_counts.h"

#include <algorithm>

namespace cudash::virtual_gpu {

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
