#include "runtime_wrappers/virtual_gpu/exec/stall_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/loop_watch.h"
#include "runtime_wrappers/virtual_gpu/exec/thread_places.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint64_t patience = 16;         ///< idle rounds before looking closer
constexpr std::uint64_t longest_period = 128;  ///< rounds after which a state must be back

/// Whether threads only go in a circle, and look at nothing but registers that stay as they are: nothing in their loop
/// could end it.
bool is_empty_loop(const Block& block) {
    const auto goes_in_circle = [](const Fragment& fragment) {
        const Code& code = *fragment.frame->code;
        const Instruction* const begin = &code.instructions[code.index_of(fragment.pc)];
        const Instruction* at = begin;
        constexpr int longest_circle = 16;
        for (int step = 0; step < longest_circle; ++step) {
            const auto number = static_cast<std::size_t>(at - code.instructions.data());
            if (number >= code.written.size()) return false;
            const ptx::Instruction* written = code.written[number];
            const bool is_branch = written && written->mnemonic == "bra";
            if (written && !is_branch && written->mnemonic != "setp") return false;
            // A branch with a condition that leads back is what the loop ends with.
            at = is_branch && (at->guard == no_index || at->target <= at) ? at->target : at + 1;
            if (at == begin) return true;
        }
        return false;
    };
    return std::ranges::any_of(block.warps,
                               [&](const Warp& warp) { return std::ranges::any_of(warp.fragments, goes_in_circle); });
}

}  // namespace

bool StallWatch::stalled(bool progressed, std::span<const Block* const> blocks) {
    if (progressed) {
        moved_ = true;
        idle_rounds_ = 0;
        return false;
    }
    if (++idle_rounds_ < patience) return false;
    if (std::has_single_bit(idle_rounds_)) {
        remembered_at_ = idle_rounds_;
        remembered_ = state_of(blocks);
        return false;
    }
    return idle_rounds_ - remembered_at_ <= longest_period && state_of(blocks) == remembered_;
}

Fault endless_wait(const Block& block, std::span<const Block* const> blocks) {
    if (std::ranges::none_of(blocks, &Block::polled)) {
        Diagnostic diagnostic =
            error("endless-loop", fmt::format("threads of block {} are in a loop that can't end: each round leaves "
                                              "every variable and all memory as they were",
                                              coordinates(block.id)));
        diagnostic.hint =
            is_empty_loop(block)
                ? "nothing in the loop changes its condition: advance its counter (++i, i += stride); what another "
                  "thread changes must be volatile or atomic, else it is read once, before the loop"
                : "something in the loop's condition has to change: is its counter advanced (++i, i += stride)?";
        tell_places(diagnostic, blocks);
        return {LaunchStatus::deadlock, std::move(diagnostic)};
    }
    Diagnostic diagnostic =
        error("deadlock", fmt::format("threads of block {} loop for ever: they wait for a value that nobody will write",
                                      coordinates(block.id)));
    diagnostic.hint =
        block.launch->profile->independent_threads()
            ? "a flag or lock must be set by a thread that can still run"
            : "on this device the threads of a warp move together: lanes that wait for a lock held by a lane of "
              "their own warp never let it go on";
    tell_places(diagnostic, blocks);
    return {LaunchStatus::deadlock, std::move(diagnostic)};
}

Fault cluster_deadlock(const Block& block, std::span<const Block* const> blocks) {
    Diagnostic diagnostic =
        error("deadlock", fmt::format("the cluster of block {} waits at its barrier for threads that never come there",
                                      coordinates(block.id)));
    diagnostic.hint = "every thread of every block of the cluster must reach the same cluster.sync()";
    tell_places(diagnostic, blocks);
    return {LaunchStatus::deadlock, std::move(diagnostic)};
}

}  // namespace cudash::virtual_gpu
