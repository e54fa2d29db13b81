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
            "something in the loop's condition has to change: is its counter advanced (++i, i += stride)?";
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
