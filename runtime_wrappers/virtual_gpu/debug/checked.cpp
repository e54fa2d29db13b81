// A launch that is run again for a finding: checkers look at it until they make the finding again.
#include "runtime_wrappers/virtual_gpu/debug/debugger.h"

namespace cudash::virtual_gpu {

void Debugger::found(const Diagnostic& finding, const OtherAccess* other) {
    const bool any = checker_ && setup_.sought->code.empty();
    if (!checker_ || exact_ || (!any && finding.code != setup_.sought->code)) return;
    const bool exact = any || (finding.where.line == setup_.sought->line && finding.where.file == setup_.sought->file);
    // The same mistake at another place is the next best: debug code can have another place for it.
    if (finding_ && !exact) return;
    exact_ = exact;
    std::uint64_t at = moment == 0 ? 0 : moment - 1;
    if (finding.thread) {
        const Dim3& thread = finding.thread->thread;
        const std::uint64_t number =
            (std::uint64_t{thread.z} * launch_->block.y + thread.y) * launch_->block.x + thread.x;
        at = moment_of(launch_->number_of(finding.thread->block), static_cast<std::uint32_t>(number / warp_size));
    }
    finding_ = FoundHere{at, finding, other ? std::optional(*other) : std::nullopt};
}

void Debugger::go_to_finding() {
    checker_ = nullptr;
    arrive_why_ = Stopped::Why::finding;
    all_ = false;
    rewind(finding_->moment, Mode::to_moment, finding_->moment);
}

void Debugger::block_begins(std::uint64_t block, std::uint32_t warps, std::uint32_t shared_bytes) {
    if (checker_) checker_->block_begins(block, warps, shared_bytes);
}

void Debugger::block_ends(std::uint64_t block, bool detached) {
    if (checker_) checker_->block_ends(block, detached);
}

void Debugger::arrives(const PlaceRecord& record, unsigned barrier, bool waits) {
    if (checker_) checker_->arrives(record, barrier, waits);
}

void Debugger::barrier_completes(std::uint64_t block, unsigned barrier) {
    if (checker_) checker_->barrier_completes(block, barrier);
}

void Debugger::all_pass_barrier(std::uint64_t block) {
    if (checker_) checker_->all_pass_barrier(block);
}

void Debugger::cluster_passes(std::uint64_t block) {
    if (checker_) checker_->cluster_passes(block);
}

void Debugger::collective(const CollectiveRecord& record) {
    if (checker_) checker_->collective(record);
}

void Debugger::shuffle_from_outside(const ShuffleRecord& record) {
    if (checker_) checker_->shuffle_from_outside(record);
}

void Debugger::fence(const PlaceRecord& record) {
    if (checker_) checker_->fence(record);
}

void Debugger::async_copy(const PlaceRecord& record, AsyncCopy what, std::uint64_t pending) {
    if (checker_) checker_->async_copy(record, what, pending);
}

void Debugger::heap_memory_begins(std::uint64_t block, std::uint64_t address, std::uint64_t bytes) {
    if (checker_) checker_->heap_memory_begins(block, address, bytes);
}

}  // namespace cudash::virtual_gpu
