// A condition for all lanes of a warp at once, at one place of the code: its names are looked up once, and its
// operators are those of scalar.h, on 32 numbers. What is more than numbers goes to the evaluator, thread by thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "repl/session/debug/evaluator.h"

namespace cudash::session::debug {

class WarpCondition {
public:
    /// For warps that stand where the evaluator's thread does. nullopt: there it can't be computed.
    static std::optional<WarpCondition> compile(const Expression& condition, DebugUnit& unit,
                                                const virtual_gpu::Debugger& debugger, const ThreadAt& at);

    struct Lanes {
        std::uint32_t held = 0, failed = 0;
    };
    /// Of the lanes in `mask`: for which it holds, and for which it can't be computed.
    Lanes of(const virtual_gpu::Warp& warp, const virtual_gpu::Instruction* stop, std::uint32_t mask) const;
    /// What it reads of the frame's registers; nullptr: any, as the evaluator has a part in it.
    const std::vector<virtual_gpu::FrameRegister>* registers() const {
        return knows_registers_ ? &registers_ : nullptr;
    }
    /// Memory that other threads can write, or nobody knows.
    bool reads_memory() const { return reads_memory_ || !knows_registers_; }
    /// No thread has anything else that it could depend on.
    bool reads_registers_alone() const { return knows_registers_ && !reads_more_; }

private:
    struct Node;
    class Compiler;
    class Run;
    WarpCondition(const Expression& condition, DebugUnit& unit, const virtual_gpu::Debugger& debugger);

    std::shared_ptr<const Expression> condition_;  ///< parts of it are evaluated thread by thread
    DebugUnit* unit_;
    const virtual_gpu::Debugger* debugger_;
    void note_registers(const Node& node);

    /// What was found of a warp, whose registers were these.
    struct Known {
        std::uint32_t mask = 0;
        std::vector<std::byte> registers{};
        Lanes lanes{};
    };
    bool is_known(const virtual_gpu::Warp& warp, std::uint32_t mask) const;

    std::shared_ptr<const Node> root_;
    std::vector<virtual_gpu::FrameRegister> registers_;
    bool knows_registers_ = true, reads_more_ = false, reads_block_ = false, reads_memory_ = false;
    mutable Known known_;  ///< the last one, if it depends on nothing else
};

}  // namespace cudash::session::debug
