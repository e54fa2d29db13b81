#include "runtime_wrappers/virtual_gpu/exec/stall_watch.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/thread_places.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint64_t patience = 64;        ///< idle rounds before looking closer
constexpr std::uint64_t longest_period = 16;  ///< rounds after which a state must be back

class Hash {
public:
    void add(std::uint64_t word) { value_ = (std::rotl(value_, 23) ^ word) * 0x9E3779B97F4A7C15ull; }
    void add(const std::byte* bytes, std::size_t size) {
        for (std::size_t at = 0; at + 8 <= size; at += 8) {
            std::uint64_t word;
            std::memcpy(&word, bytes + at, sizeof word);
            add(word);
        }
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0x243F6A8885A308D3ull;
};

std::uint64_t state_of(std::span<const Block* const> blocks) {
    Hash hash;
    for (const Block* block : blocks)
        for (const Warp& warp : block->warps) {
            // Fragments take turns: their order in the list says nothing.
            std::uint64_t all = 0;
            for (const Fragment& fragment : warp.fragments) {
                Hash one;
                one.add(reinterpret_cast<std::uint64_t>(fragment.pc));
                one.add(fragment.mask);
                for (const Frame* frame = fragment.frame; frame; frame = frame->caller)
                    one.add(frame->registers, frame->code->constants_at);
                all += one.value();
            }
            hash.add(all);
        }
    return hash.value();
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
