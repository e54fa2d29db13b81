// Blocks that need not wait for each other, on several host threads (grid.h).
#include <algorithm>
#include <bit>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/grid.h"
#include "runtime_wrappers/virtual_gpu/exec/grid_progress.h"
#include "runtime_wrappers/virtual_gpu/exec/own_threads.h"
#include "runtime_wrappers/virtual_gpu/exec/tiers.h"

namespace cudash::virtual_gpu {
namespace {

/// A launch shorter than this is done before another thread would have woken up.
constexpr auto alone_time = std::chrono::microseconds(100);
/// Instructions of warps that a thread executes before it looks at the clock again.
constexpr std::uint64_t between_looks = 20'000;
/// What an observer will want of a launch is asked after one block, two, four and so on, up to so many; where it has
/// that many times as much before the half, others begin behind that.
constexpr std::uint64_t last_asked = 8, room_for_more = 2;

}  // namespace

/// Further blocks, as long as each is machine code from begin to end. False: one of them came back before its end.
bool Grid::Progress::Claim::run_alike(Block& block) {
    constexpr std::uint64_t between_looks_at_time = 100'000;  // instructions of a warp
    const Launch& launch = *block.launch;
    if (!block.runs_on || next == end || !launch.tier->goes_on()) return true;
    for (const std::uint64_t each : {next, end - 1})
        if (Observer* const observer = block.worker->observer_of(each); observer && observer->wants_block(each))
            return true;
    const CompiledState& front = block.compiled_states.front();
    const std::uint64_t until = front.warp_instructions + between_looks_at_time;
    while (next != end && front.warp_instructions < until) {
        if (progress.cancelled->load(std::memory_order_relaxed)) break;
        if (next > progress.first_fault.load(std::memory_order_relaxed)) break;
        if (!block.run_as_before(next++)) return false;
        ++done;
    }
    return true;
}

void Grid::run_claimed(Worker& worker, Progress& progress, std::size_t half) {
    Progress::Claim claim(progress, half);
    std::uint64_t looked_at = 0;
    worker.starts_late = true;
    while (const std::optional<std::uint64_t> taken = claim.take()) {
        if (*taken > progress.first_fault.load(std::memory_order_relaxed)) return;
        auto block = worker.start_block(*taken);
        if (!block->observer && half == 0 && progress.looks.load(std::memory_order_relaxed)) progress.looks = false;
        bool stopped = false;
        do {
            StallWatch watch;
            const Block* const only[] = {block.get()};
            while (!stopped && block->run_slice()) {
                if (watch.stalled(block->progressed, only)) {
                    if (progress.park(block)) break;
                    block->fault = endless_wait(*block, only);
                    break;
                }
                stopped =
                    progress.should_stop() || block->number > progress.first_fault.load(std::memory_order_relaxed);
            }
            if (!block) break;
            if (stopped) progress.note_stopped(only);
            report_as_in_lockstep(worker, block, *progress.cancelled);
            progress.finish(*block, false);
            claim.done += stopped ? 0 : 1;
        } while (!stopped && !claim.run_alike(*block));
        if (!block) {
            if (progress.is_full()) return;
            continue;
        }
        const std::uint64_t number = block->number;
        worker.finish_block(std::move(block));
        if (&worker == workers_[0].get()) {
            // Asking for the time takes as long as a short block's warp.
            if (worker.warp_instructions - looked_at >= between_looks) {
                looked_at = worker.warp_instructions;
                claim.count();
                progress.report();
            }
            if (number < last_asked && std::has_single_bit(number + 1)) split(worker, progress, number + 1);
            if (wanted_ == 0 && threads_ > 1 && number + 1 < progress.blocks &&
                Progress::Clock::now() - progress.start > alone_time && !worker.launch->second_observer &&
                !(worker.launch->observer && worker.launch->observer->wants_block(number + 1)))
                start_helpers(threads_ - 1);
        }
        if (stopped || progress.should_stop()) return;
    }
}

void Grid::split(Worker& worker, Progress& progress, std::uint64_t next) {
    Observer* const observer = worker.observer_of(0);
    if (progress.is_split || worker.launch->second_observer || !observer || !observer->wants_block(next)) return;
    const std::uint64_t half = progress.blocks / 2;
    const std::optional<std::uint64_t> left = observer->blocks_left(next);
    if (!left || next + *left * room_for_more > half) return;
    progress.is_split = progress.looks = true;
    progress.queues[0].end = progress.queues[1].next = half;
    worker.observed_before = half;
    if (threads_ > 1) start_helpers(threads_ - 1);
}

void Grid::start_helpers(std::size_t count) {
    std::lock_guard lock(mutex_);
    while (workers_.size() < count + 1) workers_.push_back(std::make_unique<Worker>());
    while (helpers_.size() < count) helpers_.emplace_back(&Grid::helper, this, helpers_.size() + 1);
    wanted_ = busy_ = count;
    ++round_;
    wake_.notify_all();
}

void Grid::run_parallel(const Launch& launch, unsigned threads, Progress& progress) {
    launch_ = &launch;
    shared_ = &progress;
    threads_ = threads;
    wanted_ = 0;
    const bool halved = launch.second_observer != nullptr;
    progress.queues[0].end = halved ? progress.blocks / 2 : progress.blocks;
    progress.queues[1].next = progress.queues[0].end;
    progress.queues[1].end = progress.blocks;
    progress.most_parked = launch.resident;
    do {
        wanted_ = 0;
        if (halved && threads > 1) start_helpers(1);
        run_claimed(*workers_[0], progress, 0);
        progress.looks = false;
        const bool has_second = progress.is_split || (halved && threads == 1);
        if (has_second && !progress.should_stop()) run_claimed(*workers_[0], progress, 1);
        if (wanted_ != 0) {
            std::unique_lock lock(mutex_);
            idle_.wait(lock, [&] { return busy_ == 0; });
        }
        if (progress.parked.empty()) return;
        run_parked(progress);
    } while (!progress.should_stop() && progress.first_fault == ~std::uint64_t{0});
}

void Grid::run_parked(Progress& progress) {
    auto& parked = progress.parked;
    const auto finish = [&](auto at, bool ended) {
        Worker& worker = *at->second->worker;
        progress.finish(*at->second, ended);
        worker.finish_block(std::move(at->second));
        return parked.erase(at);
    };
    StallWatch watch;
    while (!parked.empty() && !progress.should_stop()) {
        bool progressed = false;
        std::vector<const Block*> blocks;
        for (auto at = parked.begin(); at != parked.end();) {
            const bool more = at->second->run_slice();
            progressed |= at->second->progressed || !more;
            if (more) blocks.push_back(at->second.get());
            at = more ? std::next(at) : finish(at, true);
        }
        progress.report();
        if (progress.first_fault != ~std::uint64_t{0}) break;
        if (!watch.stalled(progressed, blocks)) continue;
        if (progress.wait_for_others(watch)) continue;
        if (progress.should_stop()) break;
        Block& lowest = *parked.begin()->second;
        const Block* const only[] = {&lowest};
        lowest.fault = endless_wait(lowest, only);
        finish(parked.begin(), true);
        break;
    }
    std::vector<const Block*> left;
    for (const auto& [number, block] : parked) left.push_back(block.get());
    progress.note_stopped(left);
    for (auto at = parked.begin(); at != parked.end();) at = finish(at, false);
}

void Grid::helper(std::size_t index) {
    const OwnThread own;
    std::uint64_t seen = 0;
    for (;;) {
        const Launch* launch;
        Progress* progress;
        Worker* worker;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stopping_ || (round_ != seen && index <= wanted_); });
            if (stopping_) return;
            seen = round_;
            launch = launch_;
            progress = shared_;
            worker = workers_[index].get();
        }
        worker->prepare(*launch, index);
        if (progress->is_split) worker->observed_before = 0;
        if (progress->is_split || launch->second_observer) run_claimed(*worker, *progress, 1);
        if (!launch->second_observer && !progress->looks && !progress->should_stop())
            run_claimed(*worker, *progress, 0);
        std::lock_guard lock(mutex_);
        if (--busy_ == 0) idle_.notify_all();
    }
}

}  // namespace cudash::virtual_gpu
