#include "runtime_wrappers/virtual_gpu/exec/block.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/barrier_results.h"
#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/lockstep.h"
#include "runtime_wrappers/virtual_gpu/exec/stops.h"
#include "runtime_wrappers/virtual_gpu/exec/thread_places.h"
#include "runtime_wrappers/virtual_gpu/exec/tiers.h"

namespace cudash::virtual_gpu {
namespace {

// Local memory of neighbouring lanes must not fall into the same cache sets.
constexpr std::uint64_t lane_padding = 64;
constexpr std::uint32_t cleared_local_limit = 4096;
// Deep stacks are reserved whole, and mostly never touched.
constexpr std::size_t mapped_from = 1 << 20;
/// The thread indices go on from warp to warp as they do from lane to lane; warp 0 then has them for the block.
bool spans_block(std::vector<Warp>& warps) {
    for (Affine& first : warps.front().affine_tid) {
        const auto axis = static_cast<std::size_t>(&first - warps.front().affine_tid);
        first.warp = warps[1].affine_tid[axis].base - first.base;
        for (const Warp& warp : warps) {
            const Affine &here = warp.affine_tid[axis], expected = first.of_warp(warp.index);
            if (!warp.affine_threads ||
                static_cast<std::uint32_t>(here.base) != static_cast<std::uint32_t>(expected.base) ||
                static_cast<std::uint32_t>(here.step) != static_cast<std::uint32_t>(expected.step) ||
                static_cast<std::uint32_t>(here.half) != static_cast<std::uint32_t>(expected.half))
                return false;
        }
    }
    return true;
}

/// Starting its warps sets no more than registers.
bool kernel_keeps_nothing(const Program& program) {
    return program.functions.front()->local_bytes == 0 && !program.uses_alloca;
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t size) {
    if (size >= mapped_from) {
        void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            bytes_ = {static_cast<std::byte*>(memory), Deleter(size)};
            return;
        }
    }
    bytes_ = {static_cast<std::byte*>(::operator new (std::max<std::size_t>(size, 64), std::align_val_t{64})),
              Deleter{}};
}

void AlignedBytes::Deleter::operator()(std::byte* bytes) const {
    if (mapped) {
        munmap(bytes, mapped);
    } else {
        ::operator delete (bytes, std::align_val_t{64});
    }
}

Dim3 Launch::block_at(std::uint64_t number) const {
    if (number < grid.x) return {static_cast<unsigned>(number), 0, 0};
    Dim3 at;
    at.x = static_cast<unsigned>(number % grid.x);
    at.y = static_cast<unsigned>(number / grid.x % grid.y);
    at.z = static_cast<unsigned>(number / grid.x / grid.y);
    return at;
}

Block::Block() = default;
Block::~Block() = default;

bool Cluster::complete_if_full() {
    std::uint32_t live = 0;
    for (const Block* block : blocks) live += block->live_threads;
    if (arrived < live) return false;
    arrived = 0;
    for (Block* block : blocks) {
        for (Warp& warp : block->warps) {
            warp.at_cluster_barrier = 0;
            for (Fragment& fragment : warp.fragments) {
                if (fragment.wait != Wait::barrier || fragment.barrier != Block::cluster_barrier) continue;
                fragment.wait = Wait::none;
                ++fragment.pc;
            }
        }
    }
    for (const Block* block : blocks)
        if (block->observer && !block->done()) block->observer->cluster_passes(block->number);
    return true;
}

bool Block::waits_for_cluster() const {
    if (!cluster) return false;
    for (const Warp& warp : warps)
        for (const Fragment& fragment : warp.fragments)
            if (fragment.wait == Wait::barrier && fragment.barrier == cluster_barrier) return true;
    return false;
}

bool Block::run_lockstep_slice() {
    // An observer that has seen enough is asked between slices: those of a long loop are short.
    constexpr std::int32_t observed_slice = 128;
    Warp& first = warps.front();
    progressed = true;
    first.slice = observer ? observed_slice : working_slice;
    if (lockstep.slice_began != looped_since_barrier) lockstep.slice_began = first.slice;
    const Instruction* pc = lockstep.resume;
    do pc = pc->run(pc, first);
    while (pc);
    if (first.stop == Stop::slice) {
        lockstep.resume = first.resume;
        if (first.slice != lockstep.slice_began) lockstep.slice_began = looped_since_barrier;
        for (Warp& warp : warps) warp.fragments.assign(1, {lockstep.resume, warp.mask, warp.frame, nullptr});
        if (loop_watch.repeats(*this)) {
            leave_lockstep(lockstep.resume, first);
            watch(true);
        }
    }
    return !fault && !done();
}

void Block::detach_observer() {
    observer->block_ends(number, true);
    observer = nullptr;
    for (Warp& warp : warps) {
        warp.observer = nullptr;
        warp.counts = nullptr;
    }
}

void Block::run_turns(const Instruction* from) {
    for (; from || (turn.place < order.size() && !order_changed); ++turn.place) {
        if (!from) turn.warp = order[turn.place];
        Warp& warp = warps[turn.warp];
        if (from) {
            warp.go_on(std::exchange(from, nullptr));
        } else {
            if (warp.done() || !warp.runnable()) continue;
            turn.ran = true;
            warp.run();
        }
        if (fault) return;
        note_turn(warp);
    }
}

void Block::note_turn(const Warp& warp) {
    progressed |= warp.wrote || !(warp.polled || watched) || order_changed;
    polled |= warp.polled;
    turn.again &= warp.stop != Stop::slice;
}

bool Block::run_slice(const Instruction* from) {
    if (observer && !observer->wants_block(number)) detach_observer();
    if (!from) {
        offers_turn = false;
        if (lockstep.on) return run_lockstep_slice();
        turn.rounds = 0;
    }
    do {
        if (!from) {
            progressed = polled = order_changed = false;
            turn = {0, 0, turn.rounds + 1, false,
                    compiled && !watched && !failure && turn.rounds + 1 < most_compiled_rounds};
        }
        if (from || !run_compiled_turns()) run_turns(std::exchange(from, nullptr));
        if (fault) return false;
        // Between two barriers compiled code may have so little to do that the checks below would take longer.
    } while (turn.again && turn.ran && progressed && !offers_turn && !done());
    if (is_over()) return false;
    if (!turn.ran && waits_for_cluster()) return true;
    if (!turn.ran) {
        progressed = true;
        if (break_deadlock()) return true;
        report_deadlock();
        return false;
    }
    if (progressed) {
        const bool repeats = loop_watch.repeats(*this);
        if (watched != repeats) watch(repeats);
    }
    return true;
}

void Block::watch(bool on) {
    watched = on;
    for (Warp& warp : warps) warp.watched = on;
}

bool Block::is_over() {
    // Threads may wait for one whose assert failed, and the launch is to end all the same.
    constexpr std::uint32_t most_slices = 1000;
    if (!done() && (!failure || ++slices_after_failure < most_slices)) return false;
    if (failure) fault = std::exchange(failure, std::nullopt);
    return true;
}

void Block::threads_exited(std::uint32_t count) {
    live_threads -= count;
    if (cluster && cluster->arrived != 0) cluster->complete_if_full();
    if (live_threads == 0) return;
    for (unsigned i = 0; i < barrier_count; ++i)
        if (barriers[i].arrived != 0) complete_if_full(i);
}

void Block::order_warps(bool reversed) {
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    if (reversed) std::reverse(order.begin(), order.end());
}

void Block::release(Barrier& barrier) {
    barrier.result_and = barrier.reduction_and;
    barrier.result_or = barrier.reduction_or;
    barrier.result_count = barrier.reduction_count;
    barrier.arrived = barrier.expected = barrier.reduction_count = 0;
    barrier.reduction_and = true;
    barrier.reduction_or = false;
}

bool Block::complete_if_full(unsigned id) {
    Barrier& barrier = barriers[id];
    if (barrier.arrived < (barrier.expected ? barrier.expected : live_threads)) return false;
    if (barrier.expected == 0 && warps.size() > 1) {
        const bool reversed = warps.front().looped;
        for (Warp& warp : warps) warp.looped = false;
        order_as_arrived(reversed, [&](std::size_t k) { return warps[k].warp_instructions; });
    }
    if (observer) observer->barrier_completes(number, id);
    release(barrier);
    for (Warp& warp : warps)
        for (Fragment& fragment : warp.fragments) {
            if (fragment.wait != Wait::barrier || fragment.barrier != id) continue;
            fragment.wait = Wait::none;
            if (fragment.pc->option != 0) write_barrier_result(fragment, barrier);
            ++fragment.pc;
        }
    return true;
}

bool Block::break_deadlock() {
    if (!launch->profile->independent_threads()) return false;
    bool any = false;
    for (Warp& warp : warps) any |= warp.release_joins();
    return any;
}

void Block::report_deadlock() {
    Diagnostic diagnostic = error(
        "deadlock",
        fmt::format("{} threads of block {} wait for each other and none can go on", live_threads, coordinates(id)));
    diagnostic.hint =
        "every thread of the block must reach the same __syncthreads(), and every lane named in a mask the "
        "same warp-level call";
    const Block* const only[] = {this};
    tell_places(diagnostic, only);
    fault = Fault{LaunchStatus::deadlock, std::move(diagnostic)};
}

void Worker::prepare(const Launch& next, std::size_t index) {
    launch = &next;
    interprets = starts_late = false;
    own_observer = next.observer ? next.observer->for_worker(index) : nullptr;
    observed_before = next.grid_blocks();
    warp_instructions = thread_instructions = spun_cycles = 0;
    const Program& program = *next.program;
    if (program.serial != program_serial_) {
        idle_blocks_.clear();
        free_registers_.clear();
        register_store_.clear();
    } else if (!(shape_ == next.block) || shared_bytes_ != next.shared_bytes || local_bytes_ != next.local_bytes) {
        for (const auto& block : idle_blocks_)
            for (const Warp& warp : block->warps) give_registers(*program.functions.front(), warp.kernel_registers);
        idle_blocks_.clear();
    }
    for (const auto& block : idle_blocks_) {
        for (Warp& warp : block->warps) warp.steady_done = false;
        block->lockstep.steady_done = false;
    }
    // Empty, so that each access of the launch shows what it uses.
    range_cache.assign(program.access_sites, Range{});
    for (const std::uint32_t range : used.ranges) used.as[range] = 0;
    used.ranges.clear();
    used.as.resize(next.ranges->size());
    program_serial_ = program.serial;
    shape_ = next.block;
    shared_bytes_ = next.shared_bytes;
    local_bytes_ = next.local_bytes;
}

std::byte* Worker::take_registers(const Code& code) {
    auto& available = free_registers_[&code];
    if (!available.empty()) {
        std::byte* registers = available.back();
        available.pop_back();
        return registers;
    }
    register_store_.emplace_back(code.frame_bytes);
    std::byte* registers = register_store_.back().get();
    std::ranges::copy(code.constants, registers + code.constants_at);
    return registers;
}

std::unique_ptr<Block> Worker::make_block() {
    auto block = std::make_unique<Block>();
    block->worker = this;
    block->shared_base = launch->shared_base;
    block->shared_bytes = launch->shared_bytes;
    block->shared_store = AlignedBytes(launch->shared_bytes);
    block->shared = block->shared_store.get();
    const auto threads = static_cast<std::uint32_t>(launch->block_threads());
    const std::uint32_t warp_count = (threads + warp_size - 1) / warp_size;
    const std::uint64_t stride = launch->local_bytes == 0 ? 0 : launch->local_bytes + lane_padding;
    block->local_store = AlignedBytes(stride * warp_size * warp_count);
    block->warps.resize(warp_count);
    block->order.resize(warp_count);
    for (std::uint32_t i = 0; i < warp_count; ++i) {
        Warp& warp = block->warps[i];
        warp.block = block.get();
        warp.worker = this;
        warp.index = i;
        warp.local_stride = stride;
        warp.local_size = launch->local_bytes;
        warp.local = block->local_store.get() + i * warp_size * stride;
        warp.kernel_registers = take_registers(*launch->program->functions.front());
        for (unsigned lane = 0; lane < warp_size; ++lane) {
            std::uint32_t thread = i * warp_size + lane;
            warp.tid[0][lane] = thread % launch->block.x;
            warp.tid[1][lane] = thread / launch->block.x % launch->block.y;
            warp.tid[2][lane] = thread / launch->block.x / launch->block.y;
        }
        warp.affine_threads = as_affine(warp.tid[0], warp.affine_tid[0]) &&
                              as_affine(warp.tid[1], warp.affine_tid[1]) && as_affine(warp.tid[2], warp.affine_tid[2]);
    }
    block->lockstep.possible = threads % warp_size == 0 && warp_count > 1 && warp_count <= most_warps &&
                               launch->program->functions.front()->lockstep_at != 0 && spans_block(block->warps);
    return block;
}

void Block::start_warps(const Code& kernel, Warp::Way way) {
    const bool uses_alloca = launch->program->uses_alloca;
    std::uint32_t left = live_threads;
    for (Warp& warp : warps) {
        const std::uint32_t lanes = std::min(left, warp_size);
        left -= lanes;
        warp.observer = observer;
        warp.counts = observer ? observer->execution_counts() : nullptr;
        if (kernel.local_bytes != 0 && kernel.local_bytes <= cleared_local_limit)
            for (unsigned lane = 0; lane < lanes; ++lane)
                std::memset(warp.local + lane * warp.local_stride, 0, kernel.local_bytes);
        if (uses_alloca) warp.stack_top.assign(warp_size, warp.local_size);
        warp.start(kernel, lanes == warp_size ? full_mask : (1u << lanes) - 1, way);
    }
}

void Block::clear() {
    cluster = nullptr;
    rank = 0;
    barriers = {};
    output.clear();
    failed_asserts.clear();
    warnings.clear();
    failure.reset();
    slices_after_failure = 0;
    watched = false;
    loop_watch = {};
    order_warps(false);
    fault.reset();
    // What a kernel reads before it wrote it is zero, in every run.
    std::memset(shared, 0, shared_bytes);
}

std::unique_ptr<Block> Worker::start_block(std::uint64_t number) {
    std::unique_ptr<Block> block;
    if (idle_blocks_.empty()) {
        block = make_block();
    } else {
        block = std::move(idle_blocks_.back());
        idle_blocks_.pop_back();
    }
    block->launch = launch;
    block->runs_on = false;
    block->number = number;
    block->id = launch->block_at(number);
    block->live_threads = static_cast<std::uint32_t>(launch->block_threads());
    if (!std::exchange(block->untouched, false)) block->clear();
    const Code& kernel = *launch->program->functions.front();
    Observer* const observer = observer_of(number);
    block->observer = observer && observer->wants_block(number) ? observer : nullptr;
    if (block->observer)
        block->observer->block_begins(number, static_cast<std::uint32_t>(block->warps.size()), block->shared_bytes);
    block->compiled = nullptr;
    if (launch->tier && !block->observer && !interprets) launch->tier->choose(*block);
    const bool lockstep = block->lockstep.possible && !block->compiled;
    if (!block->compiled && std::exchange(block->steady_lost, false)) {
        for (Warp& warp : block->warps) warp.steady_done = false;
        block->lockstep.steady_done = false;
    }
    block->warps_started =
        !(block->compiled && block->compiled->starts_alone() && starts_late && kernel.local_bytes == 0);
    if (block->compiled) block->compiled->start(*block);
    const Warp::Way way = lockstep ? Warp::Way::lockstep : block->compiled ? Warp::Way::plain : Warp::Way::alone;
    block->lockstep.on = lockstep;
    if (std::exchange(block->lockstep.warps_ready, false) && lockstep && !block->observer && !launch->stops) {
        for (Warp& warp : block->warps) warp.start_again(kernel, full_mask);
    } else if (block->warps_started) {
        block->start_warps(kernel, way);
    }
    if (lockstep) start_lockstep(*block, kernel);
    if (launch->stops) launch->stops->block_begins(*block);
    return block;
}

void Worker::finish_block(std::unique_ptr<Block> block) {
    if (launch->stops) launch->stops->block_ends(*block);
    const bool whole = block->lockstep.on && block->done() && !block->fault && !block->failure;
    block->lockstep.warps_ready = whole && !block->observer && !launch->stops &&
                                  block->warps.front().fragments.empty() && kernel_keeps_nothing(*launch->program);
    if (block->observer) block->observer->block_ends(block->number, false);
    block->observer = nullptr;
    const std::uint64_t before = warp_instructions;
    block->steady_lost |= block->compiled != nullptr;
    if (!block->warps_started) {
        for (const CompiledState& state : block->compiled_states) {
            warp_instructions += state.warp_instructions;
            thread_instructions += state.thread_instructions;
        }
    }
    for (Warp& warp : block->warps) {
        if (!block->warps_started) break;
        if (warp.clock.ahead != 0) spun_cycles = std::max(spun_cycles, 4 * warp.warp_instructions + warp.clock.ahead);
        warp_instructions += warp.warp_instructions;
        thread_instructions += warp.thread_instructions;
        warp.warp_instructions = warp.thread_instructions = 0;
    }
    block->warps_started = true;
    if (launch->tier) launch->tier->note(*block, warp_instructions - before);
    idle_blocks_.push_back(std::move(block));
}

}  // namespace cudash::virtual_gpu
