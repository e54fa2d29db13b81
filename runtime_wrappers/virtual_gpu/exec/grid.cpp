#include "runtime_wrappers/virtual_gpu/exec/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/grid_progress.h"
#include "runtime_wrappers/virtual_gpu/exec/stops.h"
#include "runtime_wrappers/virtual_gpu/exec/tiers.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"
#include "runtime_wrappers/virtual_gpu/memory/host_memory.h"

namespace cudash::virtual_gpu {
namespace {

/// Blocks whose contexts may exist at once when blocks wait for each other; cooperative launches need all of theirs.
constexpr std::uint64_t most_resident = 4096;

}  // namespace

void Grid::report_as_in_lockstep(Worker& worker, std::unique_ptr<Block>& block, const std::atomic<bool>& cancelled) {
    if (!block->compiled || !block->lockstep.possible || !block->fault ||
        block->fault->status == LaunchStatus::deadlock)
        return;
    Fault fault = std::move(*block->fault);
    const std::uint64_t number = block->number;
    for (Warp& warp : block->warps) warp.warp_instructions = warp.thread_instructions = 0;
    worker.finish_block(std::move(block));
    worker.interprets = true;
    block = worker.start_block(number);
    while (block->run_slice() && !cancelled.load(std::memory_order_relaxed)) {
    }
    if (!block->fault) block->fault = std::move(fault);
}

Grid::~Grid() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : helpers_) thread.join();
}

void Grid::run(const Launch& launch, bool cooperative, const ExecutorLimits& limits, const DeviceOutput& output,
               LaunchOutcome& outcome) {
    Progress progress(output);
    progress.blocks = launch.grid_blocks();
    progress.start = progress.last_report = Progress::Clock::now();
    if (limits.timeout.count() > 0) progress.deadline = progress.start + limits.timeout - limits.spent;
    // Who debugs it looks at Ctrl-C, and at no clock.
    static const std::atomic<bool> never{false};
    progress.cancelled = launch.stops ? &never : launch.cancelled;
    if (launch.stops) progress.deadline.reset();
    progress.should_stop();
    constexpr std::uint64_t worth_a_look = 1ull << 30;
    const std::uint64_t given_out = launch.memory->used(MemoryKind::device);
    progress.watches_memory = given_out > worth_a_look && given_out > available_host_memory();

    static const unsigned cores = std::max(1u, std::thread::hardware_concurrency());  // asking takes microseconds
    unsigned threads = limits.host_threads ? limits.host_threads : cores;
    if (launch.ordered || cooperative) threads = 1;
    if (workers_.empty()) workers_.push_back(std::make_unique<Worker>());
    workers_[0]->prepare(launch, 0);
    const auto run_from = [&](std::uint64_t first, const SavedTurns* state) {
        if (launch.stops) launch.stops->launch_begins(launch);
        if (launch.cluster_blocks() > 1 && !cooperative) {
            run_clusters(*workers_[0], progress, first);
        } else if (launch.ordered || cooperative) {
            run_in_order(*workers_[0], cooperative, progress, first, state);
        } else {
            run_parallel(launch, threads, progress);
        }
    };
    run_from(0, nullptr);
    while (launch.stops) {
        const std::optional<Stops::Restart> again = launch.stops->restart();
        const Stops::Restart from = again.value_or(Stops::Restart{});
        if (again || launch.stops->is_abandoned()) {
            progress.start_over(from.unit * launch.cluster_blocks());
            workers_[0]->warp_instructions = from.executed.warp_instructions;
            workers_[0]->thread_instructions = from.executed.thread_instructions;
            if (from.state) progress.go_on(*from.state);
        }
        if (!again) break;
        run_from(from.unit, from.state.get());
    }
    collect_counts(launch, outcome);
    progress.print_texts(launch.printf_fifo);
    for (auto& [number, warnings] : progress.left.warnings)
        if (number <= progress.first_fault)
            std::move(warnings.begin(), warnings.end(), std::back_inserter(outcome.findings));
    if (!progress.left.faults.empty()) {
        Fault& fault = progress.left.faults.begin()->second;
        outcome.status = fault.status;
        outcome.diagnostics.push_back(std::move(fault.diagnostic));
    } else if (progress.stopped_as != LaunchStatus::ok) {
        outcome.status = progress.stopped_as;
        outcome.diagnostics.push_back(why_stopped(launch, limits, progress));
    }
}

void Grid::collect_counts(const Launch& launch, LaunchOutcome& outcome) {
    std::map<std::uint32_t, std::uint8_t> used;
    if (unstopped_launch_) {
        for (const std::uint32_t range : unstopped_->used.ranges) used[range] |= unstopped_->used.as[range];
        unstopped_->launch = nullptr;
        unstopped_launch_.reset();
    }
    for (const auto& worker : workers_) {
        if (worker->launch != &launch) continue;
        outcome.warp_instructions += worker->warp_instructions;
        outcome.thread_instructions += worker->thread_instructions;
        outcome.spun_cycles = std::max(outcome.spun_cycles, worker->spun_cycles);
        worker->launch = nullptr;
        for (const std::uint32_t range : worker->used.ranges) used[range] |= worker->used.as[range];
    }
    for (const auto& [range, how] : used)
        outcome.used.push_back(
            {(*launch.ranges)[range].begin, (how & Worker::Used::read) != 0, (how & Worker::Used::written) != 0});
}

Diagnostic Grid::why_stopped(const Launch& launch, const ExecutorLimits& limits, Progress& progress) {
    const auto spent =
        std::chrono::duration_cast<std::chrono::milliseconds>(Progress::Clock::now() - progress.start + limits.spent);
    const std::string kernel = readable_kernel(launch.kernel);
    Diagnostic diagnostic =
        progress.stopped_as == LaunchStatus::timeout
            ? error("kernel-timeout", fmt::format("kernel {} ran for more than {} ms: {} of {} blocks were done",
                                                  kernel, spent.count(), progress.done.load(), progress.blocks))
        : progress.ran_out
            ? error(
                  "kernel-out-of-memory",
                  fmt::format("kernel {} was stopped: it writes to more device memory than this computer has", kernel),
                  "use smaller arrays, or a real GPU")
            : error("kernel-cancelled", fmt::format("kernel {} was stopped: {} of {} blocks were done", kernel,
                                                    progress.done.load(), progress.blocks));
    if (progress.stopped_at) {
        Diagnostic& places = progress.stopped_at->second;
        diagnostic.where = std::move(places.where);
        diagnostic.thread = std::move(places.thread);
        diagnostic.notes = std::move(places.notes);
    }
    return diagnostic;
}

void Grid::run_in_order(Worker& worker, bool cooperative, Progress& progress, std::uint64_t first,
                        const SavedTurns* state) {
    Stops* const stops = worker.launch->stops;
    Turns turns;
    turns.unit = turns.next = first;
    turns.left = &progress.left;
    turns.done = &progress.done;
    if (stops) worker.turns = &turns;
    const Instruction* pc = nullptr;
    if (state) {
        restore(*state, worker, turns);
        pc = state->pc;
    }
    const std::uint64_t most = cooperative ? progress.blocks : most_resident;
    while (turns.running || turns.next < progress.blocks || !turns.waiting.empty()) {
        if (!turns.running) {
            if (turns.waiting.empty()) {
                turns.unit = turns.next;
                if (stops) {
                    stops->unit_begins(turns.next, {worker.warp_instructions, worker.thread_instructions});
                    if (const Program* const code = stops->unstopped(turns.next)) {
                        if (!run_unstopped(worker, *code, turns.next, progress)) break;
                        ++turns.next;
                        progress.report();
                        continue;
                    }
                }
                turns.waiting.push_back(worker.start_block(turns.next++));
            }
            turns.running = std::move(turns.waiting.front());
            turns.waiting.pop_front();
        }
        std::unique_ptr<Block>& block = turns.running;
        bool more = true;
        do {
            more = block->run_slice(std::exchange(pc, nullptr));
            turns.round_progressed |= block->progressed;
        } while (more && block->progressed && !block->offers_turn && !progress.should_stop());
        const std::uint64_t limit = block->offers_turn ? std::min(most, worker.launch->resident) : most;
        progress.report();
        if (!more) {
            report_as_in_lockstep(worker, block, *progress.cancelled);
            if (stops && block->fault) stops->faults(*block);
            progress.finish(*block);
            const bool faulted = progress.first_fault != ~std::uint64_t{0};
            worker.finish_block(std::move(block));
            if (faulted) break;
            turns.round_progressed = true;
            continue;
        }
        turns.waiting.push_back(std::move(block));
        if (progress.should_stop()) break;
        // It waits for another block: that one may not have started yet.
        if (turns.next < progress.blocks && turns.waiting.size() < limit) {
            turns.waiting.push_front(worker.start_block(turns.next++));
            turns.round_progressed = true;
        } else if (!ends_round(turns, progress)) {
            break;
        }
    }
    worker.turns = nullptr;
    std::vector<const Block*> left;
    for (const auto& each : turns.waiting) left.push_back(each.get());
    progress.note_stopped(left);
    for (auto& block : turns.waiting) {
        progress.finish(*block, false);
        worker.finish_block(std::move(block));
    }
}

bool Grid::run_unstopped(Worker& worker, const Program& program, std::uint64_t number, Progress& progress) {
    Stops& stops = *worker.launch->stops;
    if (!unstopped_) unstopped_ = std::make_unique<Worker>();
    if (!unstopped_launch_ || unstopped_serial_ != program.serial) {
        unstopped_serial_ = program.serial;
        if (!unstopped_launch_) unstopped_launch_ = std::make_unique<Launch>(*worker.launch);
        unstopped_launch_->program = &program;
        unstopped_->prepare(*unstopped_launch_, 0);
    }
    std::unique_ptr<Block> block = unstopped_->start_block(number);
    std::uint64_t moments = 0;
    bool more = true, good = true;
    while (more && good) {
        more = block->run_slice();
        moments = 0;
        for (const Warp& warp : block->warps) moments += warp.warp_instructions;
        good = !block->fault && !block->failure && !block->offers_turn && (block->progressed || !more) &&
               stops.goes_on_unstopped(moments);
    }
    if (good) progress.finish(*block);
    unstopped_->finish_block(std::move(block));
    const std::uint64_t warps = std::exchange(unstopped_->warp_instructions, 0);
    const std::uint64_t threads = std::exchange(unstopped_->thread_instructions, 0);
    if (good) {
        worker.warp_instructions += warps;
        worker.thread_instructions += threads;
        worker.spun_cycles = std::max(worker.spun_cycles, unstopped_->spun_cycles);
    }
    stops.unstopped_ends(good, moments);
    return good;
}

bool Grid::ends_round(Turns& turns, Progress& progress) {
    if (++turns.turns < turns.waiting.size()) return true;
    turns.turns = 0;
    std::vector<const Block*> blocks;
    for (const auto& each : turns.waiting) blocks.push_back(each.get());
    if (!turns.watch.stalled(std::exchange(turns.round_progressed, false), blocks)) return true;
    if (progress.wait_for_others(turns.watch)) return true;
    if (progress.should_stop()) return false;
    Block& lowest = **std::min_element(turns.waiting.begin(), turns.waiting.end(),
                                       [](const auto& a, const auto& b) { return a->number < b->number; });
    lowest.fault = endless_wait(lowest, blocks);
    if (Stops* const stops = lowest.launch->stops) stops->faults(lowest);
    return false;
}

void Grid::run_clusters(Worker& worker, Progress& progress, std::uint64_t first_cluster) {
    const Launch& launch = *worker.launch;
    const Dim3& size = launch.cluster;
    const Dim3 clusters{launch.grid.x / size.x, launch.grid.y / size.y, launch.grid.z / size.z};
    const std::uint64_t count = std::uint64_t{clusters.x} * clusters.y * clusters.z;
    bool stopped = false;
    for (std::uint64_t number = first_cluster; number < count && !stopped; ++number) {
        if (launch.stops) launch.stops->unit_begins(number, {worker.warp_instructions, worker.thread_instructions});
        Cluster cluster;
        std::vector<std::unique_ptr<Block>> blocks;
        const Dim3 first{static_cast<unsigned>(number % clusters.x) * size.x,
                         static_cast<unsigned>(number / clusters.x % clusters.y) * size.y,
                         static_cast<unsigned>(number / clusters.x / clusters.y) * size.z};
        for (unsigned rank = 0; rank < launch.cluster_blocks(); ++rank) {
            const Dim3 id{first.x + rank % size.x, first.y + rank / size.x % size.y, first.z + rank / size.x / size.y};
            blocks.push_back(worker.start_block(launch.number_of(id)));
            cluster.blocks.push_back(blocks.back().get());
            blocks.back()->rank = rank;
        }
        for (const auto& block : blocks) block->cluster = &cluster;
        const std::vector<const Block*> all(cluster.blocks.begin(), cluster.blocks.end());

        StallWatch watch;
        std::vector<bool> ended(blocks.size(), false);
        std::size_t left = blocks.size();
        while (left != 0 && !stopped) {
            bool progressed = false, waits = true;
            for (std::size_t b = 0; b < blocks.size() && !stopped; ++b) {
                if (ended[b]) continue;
                Block& block = *blocks[b];
                const bool more = block.run_slice();
                progressed |= block.progressed || !more;
                waits &= block.waits_for_cluster();
                if (!more) ended[b] = true, --left;
                stopped = block.fault.has_value() || progress.should_stop();
            }
            progress.report();
            if (stopped || progressed || left == 0) {
                watch.stalled(true, all);
                continue;
            }
            bool released = false;
            for (const auto& block : blocks) released |= !block->done() && block->break_deadlock();
            if (released || !watch.stalled(false, all)) continue;
            if (progress.wait_for_others(watch)) continue;
            Block& lowest =
                **std::find_if(blocks.begin(), blocks.end(), [](const auto& each) { return !each->done(); });
            lowest.fault = waits ? cluster_deadlock(lowest, all) : endless_wait(lowest, all);
            stopped = true;
        }
        if (stopped) progress.note_stopped(all);
        if (launch.stops)
            for (const auto& block : blocks)
                if (block->fault) launch.stops->faults(*block);
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            progress.finish(*blocks[b], ended[b]);
            worker.finish_block(std::move(blocks[b]));
        }
    }
}

}  // namespace cudash::virtual_gpu
