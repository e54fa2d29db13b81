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

/// A launch shorter than this is done before another thread would have woken up.
constexpr auto alone_time = std::chrono::microseconds(100);
/// Instructions of warps that a thread executes before it looks at the clock again.
constexpr std::uint64_t between_looks = 20'000;
/// Blocks whose contexts may exist at once when blocks wait for each other; cooperative launches need all of theirs.
constexpr std::uint64_t most_resident = 4096;

/// A compiled block has faulted whose warps the interpreter runs in lockstep: another warp may be the first to fault
/// there. It runs again, for the report alone: nobody can read memory behind a fault.
void report_as_in_lockstep(Worker& worker, std::unique_ptr<Block>& block, const std::atomic<bool>& cancelled) {
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

}  // namespace

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

/// Further blocks, as long as each is machine code from begin to end. False: one of them came back before its end.
bool Grid::Progress::Claim::run_alike(Block& block) {
    constexpr std::uint64_t between_looks_at_time = 100'000;  // instructions of a warp
    const Launch& launch = *block.launch;
    if (!block.runs_on || next == end || !launch.tier->goes_on()) return true;
    for (const std::uint64_t each : {next, end - 1})
        if (Observer* const observer = block.worker->observer_of(each); observer && observer->wants_block())
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
            if (wanted_ == 0 && threads_ > 1 && number + 1 < progress.blocks &&
                Progress::Clock::now() - progress.start > alone_time && !worker.launch->second_observer &&
                !(worker.launch->observer && worker.launch->observer->wants_block()))
                start_helpers(threads_ - 1);
        }
        if (stopped || progress.should_stop()) return;
    }
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
        if (halved && threads == 1 && !progress.should_stop()) run_claimed(*workers_[0], progress, 1);
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
        run_claimed(*worker, *progress, launch->second_observer ? 1 : 0);
        std::lock_guard lock(mutex_);
        if (--busy_ == 0) idle_.notify_all();
    }
}

}  // namespace cudash::virtual_gpu
