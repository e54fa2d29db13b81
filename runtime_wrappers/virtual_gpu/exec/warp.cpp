#include "runtime_wrappers/virtual_gpu/exec/warp.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime_wrappers/virtual_gpu/exec/affine.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/observe.h"
#include "runtime_wrappers/virtual_gpu/exec/stops.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::int32_t spinning_slice = 32;

}  // namespace

void Warp::start(const Code& kernel, std::uint32_t lanes, Way way) {
    start_again(kernel, lanes, way != Way::taken_over);
    at_cluster_barrier = 0;
    stepped = nullptr;
    local_used = kernel.local_bytes;
    if (!joins_.empty()) joins_.clear();
    free_joins_.clear();
    free_frames_.clear();
    if (frames_.size() != 1) {
        // A launch that was cut short has not returned from its calls.
        for (const Frame& left : frames_)
            if (left.caller && left.users != 0) worker->give_registers(*left.code, left.registers);
        frames_.clear();
        frames_.emplace_back();
    }
    Frame& first = frames_.front();  // what is not set here is never changed in a kernel's own frame
    first.code = &kernel;
    first.registers = kernel_registers;
    first.users = lanes;
    first.last_stop = nullptr;
    fragments.clear();
    if (way == Way::lockstep) {
        mask = lanes;
        frame = &first;
        join = nullptr;
        registers = kernel_registers;
        local_base = 0;
        return;
    }
    const bool affine = affine_threads && way == Way::alone;
    const Instruction* const code = kernel.instructions.data();
    fragments.push_back({code + (affine ? kernel.affine_at : 0), lanes, &first, nullptr});
    if (!affine || kernel.affine_at == 0 || steady_done) return;
    steady_done = true;
    enter(0);
    const Instruction* pc = code + kernel.steady_at;
    do pc = pc->run(pc, *this);
    while (pc);
}

void Warp::start_again(const Code& kernel, std::uint32_t lanes, bool clears) {
    live = lanes;
    wrote = true;
    polled = looped = watched = false;
    clock = {};
    if (!clears) return;
    for (auto [offset, bytes] : kernel.cleared) std::memset(kernel_registers + offset, 0, bytes);
}

void Warp::go_alone(const Instruction* at, std::uint32_t active, const Instruction* rejoin) {
    join = nullptr;
    fragments.clear();
    if (active != 0 && active != live) {
        join = new_join(rejoin, live);
        join->arrived = live & ~active;
    }
    fragments.push_back({active == 0 ? rejoin : at, active == 0 ? live : active, frame, join});
}

bool Warp::any_runnable() const {
    return std::any_of(fragments.begin(), fragments.end(), [](const Fragment& f) { return f.wait == Wait::none; });
}

void Warp::enter(std::size_t fragment) {
    current_ = fragment;
    const Fragment& f = fragments[fragment];
    mask = f.mask;
    frame = f.frame;
    join = f.join;
    registers = frame->registers;
    local_base = frame->local_base;
    segment = f.pc->counted_from;
}

void Warp::save(const Instruction* pc) {
    Fragment& f = fragments[current_];
    f.pc = pc;
    f.mask = mask;
    f.frame = frame;
    f.join = join;
}

void Warp::forget_current() {
    fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(current_));
}

void Warp::begin_turn() {
    slice = slice_began_ = !watched && (wrote || !polled) ? working_slice : spinning_slice;
    wrote = polled = false;
}

void Warp::run() {
    begin_turn();
    go_on(nullptr);
}

bool Warp::enter_next() {
    if (fragments.size() == 1) {
        if (fragments.front().wait != Wait::none) return false;
        enter(0);
        return true;
    }
    auto next =
        std::find_if(fragments.rbegin(), fragments.rend(), [](const Fragment& f) { return f.wait == Wait::none; });
    if (next == fragments.rend()) return false;
    enter(static_cast<std::size_t>(fragments.rend() - next) - 1);
    return true;
}

void Warp::go_on(const Instruction* pc) {
    do {
        if (!pc && !enter_next()) return;
        run_from(pc ? pc : fragments[current_].pc);
        pc = nullptr;
    } while (turn_goes_on());
}

void Warp::go_on_first() {
    std::rotate(fragments.begin() + static_cast<std::ptrdiff_t>(current_),
                fragments.begin() + static_cast<std::ptrdiff_t>(current_) + 1, fragments.end());
}

bool Warp::turn_goes_on() {
    if (stop == Stop::fault) return false;
    if (fragments.empty() || (stop == Stop::waits && fragments.size() == 1)) return false;
    if (stop == Stop::turn) {
        looped |= slice != slice_began_;
        save(resume);
        go_on_first();
        return false;
    }
    if (stop != Stop::slice) return true;
    looped = true;
    save(resume);
    // The others come first now; a lane that spins until lanes at a join act needs them released.
    std::rotate(fragments.begin(), fragments.begin() + static_cast<std::ptrdiff_t>(current_),
                fragments.begin() + static_cast<std::ptrdiff_t>(current_) + 1);
    if (!wrote && polled && block->launch->profile->independent_threads() &&
        std::count_if(fragments.begin(), fragments.end(), [](const Fragment& f) { return f.wait == Wait::none; }) == 1)
        release_joins();
    return false;
}

void Warp::go_on_behind(CompiledExit how, const Instruction* at) {
    const Instruction* pc = block->compiled->come_back(how, at, *this);
    if (pc) pc = pc->run(pc, *this);
    if (pc) run_from(pc);
    if (turn_goes_on()) go_on(nullptr);
}

void Warp::take_over(const CompiledState& state, const Instruction* at) {
    enter(0);
    warp_instructions = state.warp_instructions;
    thread_instructions = state.thread_instructions;
    segment = state.segment;
    slice = state.slice;
    slice_began_ = state.slice_began;
    looped = state.looped;
    wrote |= state.wrote != 0;
    save(at);
}

void Warp::run_from(const Instruction* pc) {
    const CompiledKernel* const compiled = block->compiled;
    if (!compiled) {
        do pc = pc->run(pc, *this);
        while (pc);
        return;
    }
    const bool& keeps = block->compiled_states[index].keeps;
    if (watched) compiled->expand(*this);
    do {
        if (keeps || (!watched && compiled->begins_at(pc, mask == full_mask))) {
            const Instruction* const after = compiled->run(pc, *this);
            if (!after) return;
            pc = after;
        }
        pc = pc->run(pc, *this);
    } while (pc);
}

Join* Warp::new_join(const Instruction* at, std::uint32_t expected) {
    Join* made;
    if (free_joins_.empty()) {
        made = &joins_.emplace_back();
    } else {
        made = free_joins_.back();
        free_joins_.pop_back();
    }
    *made = {at, frame, expected, 0, join, true};
    return made;
}

const Instruction* Warp::diverge(const Instruction* branch, std::uint32_t taken, const Instruction* target,
                                 const Instruction* rejoin) {
    count_to(branch);
    if (counts) [[unlikely]]
        counts->diverged(*frame->code, branch->ordinal, 1);
    const Instruction* next = branch + 1;
    const std::uint32_t rest = mask & ~taken;
    if (!join || join->frame != frame || join->at != rejoin) join = new_join(rejoin, mask);
    if (target == rejoin) {
        join->arrived |= taken;
        mask = rest;
    } else if (next == rejoin) {
        join->arrived |= rest;
        mask = taken;
        next = target;
    } else {
        const bool taken_first = std::popcount(taken) < std::popcount(rest);
        fragments.push_back(taken_first ? Fragment{next, rest, frame, join} : Fragment{target, taken, frame, join});
        mask = taken_first ? taken : rest;
        if (taken_first) next = target;
        save(next);
    }
    segment = next->counted_from;
    return next;
}

void Warp::part(const CompiledState& state, const Instruction* first) {
    for (std::uint32_t k = 0; k < state.depth;) {
        const std::uint32_t outer = k;
        const CompiledParting& level = state.partings[outer];
        std::uint32_t pending = 0;
        for (; k < state.depth && state.partings[k].join == level.join; ++k) pending |= state.partings[k].pending;
        const std::uint32_t inside = k < state.depth ? state.partings[k].expected : state.active;
        if (inside == level.expected) continue;
        const Instruction* const rejoin = first + level.join;
        if (!join || join->frame != frame || join->at != rejoin) join = new_join(rejoin, level.expected);
        join->arrived |= level.expected & ~(inside | pending);
        for (std::uint32_t each = outer; each < k; ++each)
            if (state.partings[each].pending != 0)
                fragments.push_back(
                    {first + state.partings[each].pending_at, state.partings[each].pending, frame, join});
    }
    mask = state.active;
    save(fragments[current_].pc);
}

const Instruction* Warp::split(std::vector<Part> parts, const Instruction* rejoin) {
    if (parts.size() == 1) {
        segment = parts.front().pc->counted_from;
        return parts.front().pc;
    }
    if (!join || join->frame != frame || join->at != rejoin) join = new_join(rejoin, mask);
    std::erase_if(parts, [&](const Part& part) {
        if (part.pc != rejoin) return false;
        join->arrived |= part.mask;
        return true;
    });
    for (std::size_t i = parts.size(); i-- > 1;) fragments.push_back({parts[i].pc, parts[i].mask, frame, join});
    mask = parts.front().mask;
    segment = parts.front().pc->counted_from;
    return parts.front().pc;
}

bool Warp::arrive(const Instruction* at) {
    while (join && join->frame == frame && join->at == at) {
        join->arrived |= mask;
        if (join->arrived != join->expected) {
            forget_current();
            stop = Stop::arrived;
            return false;
        }
        mask = join->arrived;
        Join* complete = join;
        join = complete->parent;
        complete->in_use = false;
        free_joins_.push_back(complete);
    }
    return true;
}

std::vector<Fragment> Warp::waiting_at_joins() const {
    std::vector<Fragment> waiting;
    for (const Join& each : joins_) {
        if (!each.in_use || each.arrived == 0) continue;
        const Code& code = *each.frame->code;
        waiting.push_back(
            {each.at ? each.at : &code.instructions[code.return_at], each.arrived, each.frame, each.parent});
    }
    return waiting;
}

bool Warp::release_joins() {
    bool any = false;
    for (Join& waiting : joins_) {
        if (!waiting.in_use || waiting.arrived == 0) continue;
        const Code& code = *waiting.frame->code;
        const Instruction* at = waiting.at ? waiting.at : &code.instructions[code.return_at];
        fragments.insert(fragments.begin(), {at, waiting.arrived, waiting.frame, waiting.parent});
        waiting.expected &= ~waiting.arrived;
        waiting.arrived = 0;
        any = true;
    }
    return any;
}

const Instruction* Warp::exit_lanes(const Instruction* at, std::uint32_t lanes) {
    count_to(at);
    live &= ~lanes;
    // Who arrived at the cluster's barrier and left is not waited for, and stands for nobody else.
    if (const std::uint32_t gone = lanes & at_cluster_barrier; gone != 0) {
        block->cluster->arrived -= static_cast<std::uint32_t>(std::popcount(gone));
        at_cluster_barrier &= ~gone;
    }
    if (live == 0 && !join && !frame->caller) {
        // The whole warp at once: nobody is left who could wait.
        frame->users = 0;
        fragments.clear();
        stop = Stop::exited;
        block->threads_exited(static_cast<std::uint32_t>(std::popcount(lanes)));
        return nullptr;
    }
    for (Join* outer = join; outer;) {
        Join* parent = outer->parent;
        outer->expected &= ~lanes;
        if (outer->arrived == outer->expected) {
            if (outer->expected != 0) {
                const Code& code = *outer->frame->code;
                fragments.push_back(
                    {outer->at ? outer->at : &code.instructions[code.return_at], outer->arrived, outer->frame, parent});
            }
            outer->in_use = false;
            free_joins_.push_back(outer);
        }
        outer = parent;
    }
    for (Frame* outer = frame; outer;) {
        Frame* caller = outer->caller;
        release_frame(outer, lanes);
        outer = caller;
    }
    const Instruction* next = nullptr;
    if (lanes == mask) {
        forget_current();
        stop = Stop::exited;
    } else {
        mask &= ~lanes;
        next = at + 1;
        segment = next->counted_from;
        save(next);
    }
    wake_collective_waiters();
    block->threads_exited(static_cast<std::uint32_t>(std::popcount(lanes)));
    return next;
}

void Warp::wake_collective_waiters() {
    for (Fragment& f : fragments)
        if (f.wait == Wait::warp_sync) f.wait = Wait::none;
}

const Instruction* Warp::leave_affine(const Instruction* at) {
    // Only kernels that call nothing have an affine form: there is one frame.
    const Code& code = *frame->code;
    for (const AffineRegister& r : code.affine_registers) {
        const Affine& value = virtual_gpu::affine(*this, r.place);
        if (r.bytes == 8) {
            expand(value, virtual_gpu::lanes<Lane64>(*this, r.lanes));
        } else {
            expand(value, virtual_gpu::lanes<Lane32>(*this, r.lanes));
        }
    }
    auto plain = [&](const Instruction* i) { return i ? &code.instructions[code.index_of(i)] : i; };
    // Whoever goes on there later begins with the steady instructions before it, which the affine form has not.
    const auto plain_begin = [&](const Instruction* i) {
        const Instruction* begin = plain(i);
        while (begin != code.instructions.data() && begin->ordinal > i->counted_from) --begin;
        return begin;
    };
    for (Fragment& fragment : fragments) fragment.pc = plain_begin(fragment.pc);
    for (Join& waiting : joins_) waiting.at = plain(waiting.at);
    return plain(at);
}

const Instruction* Warp::wait_at_barrier(const Instruction* at, unsigned barrier) {
    count_to(at);
    segment = at[1].counted_from;
    if (observer) observer->arrives(place_of(*this, at), barrier, true);
    block->barriers[barrier].arrived += static_cast<std::uint32_t>(std::popcount(mask));
    looped |= slice != slice_began_;
    slice_began_ = slice;
    save(at);
    fragments[current_].wait = Wait::barrier;
    fragments[current_].barrier = static_cast<std::uint8_t>(barrier);
    stop = Stop::waits;
    if (!block->complete_if_full(barrier)) return nullptr;
    if (block->warps.size() == 1) return at + 1;
    // All are released now, and go on in their order.
    resume = at + 1;
    stop = Stop::turn;
    return nullptr;
}

const Instruction* Warp::wait_for_cluster(const Instruction* at) {
    // Whoever has not arrived in this phase arrived in one that is complete.
    if ((mask & at_cluster_barrier) == 0) return at + 1;
    count_to(at);
    segment = at[1].counted_from;
    save(at);
    fragments[current_].wait = Wait::barrier;
    fragments[current_].barrier = Block::cluster_barrier;
    stop = Stop::waits;
    return nullptr;
}

void Warp::keep_complete(const Instruction* at, const std::uint32_t* named) {
    std::uint32_t complete = 0;
    for_each_lane(mask, [&](unsigned l) { complete |= std::uint32_t{(named[l] & live & ~mask) == 0} << l; });
    if (complete == mask) return;
    if (block->launch->stops) block->launch->stops->counts_twice = true;
    count_before(at);
    std::uint32_t kept = complete;
    for (std::uint32_t left = mask & ~complete; left != 0;) {
        const std::uint32_t members = named[std::countr_zero(left)];
        std::uint32_t group = 0;
        for_each_lane(left, [&](unsigned l) { group |= std::uint32_t{named[l] == members} << l; });
        left &= ~group;
        if (kept == 0) {
            kept = group;
        } else {
            fragments.push_back({at, group, frame, join});
        }
    }
    mask = kept;
    save(at);
}

std::uint32_t Warp::gather_lanes(const Instruction* at, std::uint32_t lanes, bool anywhere) {
    const std::uint32_t needed = lanes & live;
    std::uint32_t together = mask;
    auto takes_part = [&](std::size_t i) {
        const Fragment& f = fragments[i];
        if (i == current_ || f.wait != Wait::warp_sync || !(f.mask & needed)) return false;
        return anywhere ? f.pc->run == at->run : f.pc == at && f.frame == frame;
    };
    for (std::size_t i = 0; i < fragments.size(); ++i)
        if (takes_part(i)) together |= fragments[i].mask;
    if (needed & ~together) {
        count_before(at);
        save(at);
        fragments[current_].wait = Wait::warp_sync;
        fragments[current_].lanes = needed;
        stop = Stop::waits;
        return 0;
    }
    for (std::size_t i = 0; i < fragments.size(); ++i) {
        if (!takes_part(i)) continue;
        Fragment& f = fragments[i];
        f.wait = Wait::none;
        const std::uint64_t executed = f.pc->ordinal - f.pc->counted_from + 1;
        const auto threads = static_cast<unsigned>(std::popcount(f.mask));
        warp_instructions += executed;
        thread_instructions += executed * threads;
        if (counts) [[unlikely]]
            counts->segment(*f.frame->code, f.pc->counted_from, f.pc->ordinal + 1, 1, threads);
        ++f.pc;
    }
    return together;
}

}  // namespace cudash::virtual_gpu
