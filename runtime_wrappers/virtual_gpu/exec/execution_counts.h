// How often the instructions of a launch were executed. The executor counts in segments (Warp::count_to): runs of
// instructions that a fragment of a warp went through. A segment is kept as two differences, at its begin and at its
// end, so that counting costs what the branches of a kernel cost and not what its instructions do.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

class ExecutionCounts {
public:
    struct Function {
        const Code* code = nullptr;
        /// By Instruction::ordinal; sums of what comes before and at it are the counts.
        std::vector<std::uint64_t> warps, threads;
        std::vector<std::uint64_t> diverged;  ///< by ordinal of the branch: how many warps parted there
    };

    /// `warps` warps with `threads` active lanes together executed instructions `begin` to `end - 1` of `code`.
    void segment(const Code& code, std::uint32_t begin, std::uint32_t end, std::uint64_t warps, std::uint64_t threads);
    void diverged(const Code& code, std::uint32_t ordinal, std::uint64_t warps);

    const std::deque<Function>& functions() const { return functions_; }
    /// Instructions of warps, in all.
    std::uint64_t warp_instructions() const;

private:
    Function& of(const Code& code) { return last_ && last_->code == &code ? *last_ : find(code); }
    Function& find(const Code& code);

    Function* last_ = nullptr;
    std::deque<Function> functions_;
};

}  // namespace cudash::virtual_gpu
