// How far a launch is, and what its blocks have left: shared by the threads that run it (grid.cpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/device_printf.h"
#include "runtime_wrappers/virtual_gpu/exec/grid.h"
#include "runtime_wrappers/virtual_gpu/exec/saved_state.h"
#include "runtime_wrappers/virtual_gpu/exec/stall_watch.h"
#include "runtime_wrappers/virtual_gpu/exec/thread_places.h"
#include "runtime_wrappers/virtual_gpu/memory/host_memory.h"

namespace cudash::virtual_gpu {

/// What the threads of one launch share.
struct Grid::Progress {
    using Clock = std::chrono::steady_clock;

    explicit Progress(const DeviceOutput& to) : output(to) {}

    const DeviceOutput& output;
    std::uint64_t blocks = 0;
    Clock::time_point start, last_report;
    std::optional<Clock::time_point> deadline;
    const std::atomic<bool>* cancelled = nullptr;

    /// Blocks that threads take: from one place, or of each half in its order, where a launch has two observers or one
    /// that will have seen enough long before the half.
    struct Queue {
        std::atomic<std::uint64_t> next{0};
        std::uint64_t end = 0;
        std::atomic<bool> any_left{false};                               ///< `left_over` has some
        std::vector<std::pair<std::uint64_t, std::uint64_t>> left_over;  ///< that a thread took and did not run
    };
    // What threads write often lies apart from what they read.
    alignas(64) Queue queues[2];
    bool is_split = false;           ///< nobody looks at blocks of the second one
    std::atomic<bool> looks{false};  ///< and some of the first one are still looked at: their order counts
    alignas(64) std::atomic<std::uint64_t> done{0};
    alignas(64) std::atomic<std::uint64_t> first_fault{~std::uint64_t{0}};  ///< of blocks: later ones need not run
    std::atomic<bool> stop{false};

    bool watches_memory = false;  ///< the device has given out more than the host has left
    std::atomic<Clock::rep> last_look{0};
    std::atomic<bool> ran_out{false};  ///< which cancelled it

    std::mutex mutex;
    LaunchStatus stopped_as = LaunchStatus::ok;
    LeftByBlocks left;  ///< texts of blocks that are done wait here for their turn
    /// Blocks that wait for others than their own threads, by number, and how many there may be.
    std::map<std::uint64_t, std::unique_ptr<Block>> parked;
    std::uint64_t most_parked = 0;
    /// Where the threads of the lowest block that had not ended were when the launch was stopped.
    std::optional<std::pair<std::uint64_t, Diagnostic>> stopped_at;

    /// Blocks of a half that a thread has taken and counts when it is through them: what the threads share, they would
    /// otherwise wait for at each short block. The first blocks, and the last ones, go one by one.
    struct Claim {
        Progress& progress;
        Queue& queue;
        std::uint64_t next = 0, end = 0, done = 0;
        std::uint64_t before = 0;  ///< blocks that it has taken

        Claim(Progress& of, std::size_t half) : progress(of), queue(of.queues[half]) {}
        ~Claim() {
            count();
            if (next == end) return;
            std::lock_guard lock(progress.mutex);
            queue.left_over.emplace_back(next, end);
            queue.any_left = true;
        }
        Claim(const Claim&) = delete;
        Claim& operator=(const Claim&) = delete;
        void count() {
            if (done != 0) progress.done.fetch_add(std::exchange(done, 0), std::memory_order_relaxed);
        }
        /// The next block; nullopt: there is none.
        std::optional<std::uint64_t> take() {
            if (next == end && !take_more()) return std::nullopt;
            return next++;
        }
        bool run_alike(Block& block);
        bool take_more() {
            count();
            if (queue.any_left.load(std::memory_order_relaxed)) {
                std::lock_guard lock(progress.mutex);
                if (!queue.left_over.empty()) {
                    std::tie(next, end) = queue.left_over.back();
                    queue.left_over.pop_back();
                    return true;
                }
            }
            // Long rows of blocks: what they read is fetched ahead of them.
            constexpr std::uint64_t most = 256, few = 64;
            const std::uint64_t begun = std::min(queue.next.load(std::memory_order_relaxed), queue.end);
            const std::uint64_t some = std::clamp<std::uint64_t>(std::min(before, queue.end - begun) / few, 1, most);
            const std::uint64_t first = queue.next.fetch_add(some, std::memory_order_relaxed);
            if (first >= queue.end) return false;
            next = first;
            end = std::min(first + some, queue.end);
            before += end - next;
            return true;
        }
    };

    void note_stopped(std::span<const Block* const> blocks) {
        std::uint64_t lowest = ~std::uint64_t{0};
        for (const Block* block : blocks) lowest = std::min(lowest, block->number);
        std::lock_guard lock(mutex);
        if (stopped_as == LaunchStatus::ok || blocks.empty() || (stopped_at && stopped_at->first < lowest)) return;
        stopped_at.emplace(lowest, Diagnostic{});
        tell_places(stopped_at->second, blocks);
    }

    /// Time and cancellation, looked at between slices.
    bool should_stop() {
        if (cancelled->load(std::memory_order_relaxed)) return end(LaunchStatus::cancelled);
        if (deadline && Clock::now() > *deadline) return end(LaunchStatus::timeout);
        if (watches_memory && host_runs_out()) return end(LaunchStatus::cancelled);
        return stop.load(std::memory_order_relaxed);
    }
    /// The system would end some process, most likely this one.
    bool host_runs_out() {
        constexpr std::uint64_t least = 256ull << 20;
        const auto now = Clock::now().time_since_epoch().count();
        auto looked = last_look.load(std::memory_order_relaxed);
        constexpr auto pause = Clock::duration(std::chrono::milliseconds(10)).count();
        if (now - looked <= pause || !last_look.compare_exchange_strong(looked, now)) return false;
        if (available_host_memory() >= least) return false;
        ran_out = true;
        return true;
    }
    /// Lets others act; the time does not count. False: there are none.
    bool wait_for_others(StallWatch& watch) {
        if (!output.waits || should_stop()) return false;
        const auto begin = Clock::now();
        const bool acted = output.waits(watch.start_over());
        if (deadline) *deadline += Clock::now() - begin;
        return acted;
    }
    bool park(std::unique_ptr<Block>& block) {
        if (!output.waits) return false;
        std::lock_guard lock(mutex);
        parked.emplace(block->number, std::move(block));
        return true;
    }
    bool is_full() {
        std::lock_guard lock(mutex);
        return parked.size() >= most_parked;
    }
    bool end(LaunchStatus status) {
        std::lock_guard lock(mutex);
        if (stopped_as == LaunchStatus::ok) stopped_as = status;
        stop = true;
        return true;
    }
    /// Forgets all that blocks from `first` on did: they run again, or are to be as if they had not run.
    void start_over(std::uint64_t first) {
        left.forget(first);
        stopped_at.reset();
        first_fault = ~std::uint64_t{0};
        stopped_as = LaunchStatus::ok;
        stop = false;
        done = first;
    }
    void go_on(const SavedTurns& from) {
        left.add(from.left);
        done = from.done;
    }
    /// What a block printed, and its fault; `ended`: it ran to its end.
    void finish(Block& block, bool ended = true) {
        if (block.failure && !block.fault) block.fault = std::move(block.failure);
        if (block.fault || !block.output.empty() || !block.warnings.empty()) {
            std::lock_guard lock(mutex);
            if (!block.output.empty()) left.texts[block.number] = std::move(block.output);
            if (!block.failed_asserts.empty()) left.asserts[block.number] = std::move(block.failed_asserts);
            if (!block.warnings.empty()) left.warnings[block.number] = std::move(block.warnings);
            if (block.fault) {
                // A failed assert ends its own threads only: the other blocks' asserts are told of too.
                std::uint64_t lowest = first_fault.load();
                while (block.fault->status != LaunchStatus::assert_failed && block.number < lowest &&
                       !first_fault.compare_exchange_weak(lowest, block.number)) {
                }
                left.faults.emplace(block.number, std::move(*block.fault));
            }
        }
        if (ended) done.fetch_add(1, std::memory_order_relaxed);
    }
    /// As much as the FIFO holds: what was printed last (Programming Guide, "Formatted Output": it overwrites the
    /// oldest).
    void print_texts(std::uint64_t fifo) {
        const auto end = left.texts.upper_bound(first_fault);
        std::uint64_t room = fifo;
        auto begin = end;
        std::size_t cut = 0;
        while (begin != left.texts.begin() && cut == 0 && room != 0) {
            --begin;
            cut = newest_lines_at(begin->second, room);
            room -= begin->second.size() - cut;
        }
        if (output.print)
            for (; begin != end; ++begin) output.print(std::string_view(begin->second).substr(std::exchange(cut, 0)));
        if (output.print_error)
            for (const auto& [number, text] : left.asserts)
                if (number <= first_fault) output.print_error(text);
    }
    /// Only on the launching thread.
    void report() {
        constexpr auto interval = std::chrono::milliseconds(100);
        if (!output.progress) return;
        auto now = Clock::now();
        if (now - last_report < interval) return;
        last_report = now;
        output.progress(done.load(std::memory_order_relaxed), blocks);
    }
};

}  // namespace cudash::virtual_gpu
