// Warps of a block that run as machine code, from one barrier to the next. As long as all of them come to the same
// barrier, or to the same exit, the warps and their fragments need not know: their CompiledStates have all of it, and
// what an interpreted block does there is done for all at once. Where one does anything else, they take over; those
// before it wait or leave as the interpreter has it, and it goes on alone.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

void count_until(CompiledState& state, std::uint32_t end) {
    const std::uint64_t executed = end - state.segment;
    state.warp_instructions += executed;
    state.thread_instructions += executed * static_cast<unsigned>(std::popcount(state.mask));
}

/// The barrier, turn or exit that all of a warp is at; nullptr: something else, or a turn that other blocks get, too.
const Instruction* stopped_at(const CompiledKernel& code, CompiledExit how, const CompiledState& state) {
    const Instruction* const next = code.next(state);
    if (how == CompiledExit::barrier) {
        const bool to_blocks = next->run == run_turn && next->option != 0 && state.warp->block->launch->interleaved;
        return to_blocks ? nullptr : next;
    }
    return how == CompiledExit::go_on && state.depth == 0 && next->run == run_exit ? next : nullptr;
}

/// Runs a warp's turn. `started`: the warp knows of its turns.
CompiledExit run_turn_of(const CompiledKernel& code, const Instruction* at, CompiledState& state, bool started) {
    state.slice = working_slice;
    if (started) {
        state.warp->begin_turn();
        state.slice = state.warp->slice;
    }
    state.slice_began = state.slice;
    state.fewer = 0;
    state.wrote = 0;
    const CompiledExit how = code.enter(at, state);
    state.warp_instructions += state.executed;
    state.thread_instructions += state.executed * static_cast<unsigned>(std::popcount(state.mask)) - state.fewer;
    if (started) state.warp->wrote |= state.wrote != 0;
    return how;
}

/// The warp goes on behind `at`; instructions up to, and not with, that of ordinal `end` were executed.
void pass(const Instruction* at, std::uint32_t end, CompiledState& state) {
    count_until(state, end);
    state.segment = at[1].counted_from;
    state.keeps = true;
}

}  // namespace

/// Where all live warps are, each in one fragment that has not parted, if compiled code takes them there.
const Instruction* Block::compiled_start() {
    if (!compiled || watched || observer || cluster || failure) return nullptr;
    if (!warps_started) return launch->program->functions.front()->instructions.data();
    const Instruction* at = nullptr;
    for (const Warp& warp : warps) {
        if (warp.done()) continue;
        if (warp.fragments.size() != 1) return nullptr;
        const Fragment& all = warp.fragments.front();
        if (all.wait != Wait::none || all.join || all.mask != warp.live || (at && all.pc != at)) return nullptr;
        if (!compiled->begins_at(all.pc, all.mask == full_mask)) return nullptr;
        at = all.pc;
    }
    for (Warp& warp : warps) {
        CompiledState& state = compiled_states[warp.index];
        state.mask = state.active = warp.live;
        state.warp_instructions = warp.warp_instructions;
        state.thread_instructions = warp.thread_instructions;
        if (warp.done() && warp.looped) return nullptr;
        if (warp.done()) continue;
        warp.enter_whole();
        if (!compiled->take(at, warp)) return nullptr;
        state.segment = warp.segment;
        state.looped = warp.looped;
        state.wrote = warp.wrote;
        state.join = no_index;
        state.together = 1;
        state.depth = 0;
    }
    return at;
}

bool Block::run_compiled_turns() {
    const Instruction* at = compiled_start();
    if (!at) return false;
    turn.ran = true;
    for (;;) {
        const Instruction* const stop = run_compiled_turn(at);
        if (!stop) return false;
        if (done()) return true;
        at = stop + 1;
        turn.again = turn.rounds < most_compiled_rounds;
        if (!turn.again || !progressed) break;
        ++turn.rounds;
        progressed = polled = order_changed = false;
    }
    take_over(at);
    return true;
}

/// A turn of each warp. What all have passed, or where all have left; nullptr: they have not.
const Instruction* Block::run_compiled_turn(const Instruction* at) {
    const Instruction* all = nullptr;
    for (turn.place = 0; turn.place < order.size(); ++turn.place) {
        turn.warp = order[turn.place];
        CompiledState& state = compiled_states[turn.warp];
        if (state.mask == 0) continue;
        const CompiledExit how = run_turn_of(*compiled, at, state, warps_started);
        const Instruction* const stopped = stopped_at(*compiled, how, state);
        if (stopped && (!all || stopped == all) && (how != CompiledExit::barrier || warps.size() > 1)) {
            all = stopped;
            continue;
        }
        take_over(at);
        if (all) settle(turn.place, all);
        state.warp->go_on_behind(how, at);
        if (!fault) note_turn(*state.warp);
        ++turn.place;
        return nullptr;
    }
    if (pass_together(all)) return all;
    take_over(at);
    settle(order.size(), all);
    return nullptr;
}

/// False: the warps have to be told, or others are expected at the barrier, or are there.
bool Block::pass_together(const Instruction* at) {
    if (at->run == run_exit) {
        if (warps_started) return false;
        for (CompiledState& state : compiled_states) count_until(state, at->ordinal + 1);
        live_threads = 0;
        return progressed = true;
    }
    const bool is_turn = at->run == run_turn;
    if (is_turn) {
        // One that is left alone gives nobody a turn.
        if (std::ranges::count_if(compiled_states, [](const auto& state) { return state.mask != 0; }) == 1)
            return false;
    } else if (barriers[at->extra].arrived != 0 || barriers[at->extra].expected != 0) {
        return false;
    }
    for (CompiledState& state : compiled_states) {
        if (state.mask == 0) continue;
        pass(at, is_turn ? at->counted_from : at->ordinal + 1, state);
        state.looped |= state.slice != state.slice_began;
        progressed |= !warps_started || state.warp->wrote || !state.warp->polled;
        polled |= warps_started && state.warp->polled;
    }
    if (is_turn) return true;
    const bool reversed = compiled_states.front().looped;
    for (CompiledState& state : compiled_states) state.looped = false;
    order_as_arrived(reversed, [&](std::size_t k) { return compiled_states[k].warp_instructions; });
    release(barriers[at->extra]);
    return progressed = true;
}

/// The warps are at an instruction, and know what their states know.
void Block::take_over(const Instruction* at) {
    if (!warps_started) {
        start_warps(*launch->program->functions.front(), Warp::Way::plain);
        for (Warp& warp : warps) warp.wrote = false;
        warps_started = true;
    }
    for (const CompiledState& state : compiled_states)
        if (state.mask != 0) state.warp->take_over(state, at);
}

/// The warps in the first places of the order do what they came to.
void Block::settle(std::size_t places, const Instruction* at) {
    const CompiledExit how = at->run == run_exit ? CompiledExit::go_on : CompiledExit::barrier;
    for (std::size_t place = 0; place < places; ++place) {
        CompiledState& state = compiled_states[order[place]];
        if (state.mask == 0) continue;
        state.warp->go_on_behind(how, at);
        if (fault) return;
        note_turn(*state.warp);
    }
}

}  // namespace cudash::virtual_gpu
