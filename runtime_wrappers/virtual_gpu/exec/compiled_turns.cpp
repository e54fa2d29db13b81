// Warps of a block that run as machine code, from one barrier or turn to the next. As long as they come to nothing but
// these and, all together, to the exit, the warps and their fragments need not know: their CompiledStates have all of
// it. Where one does anything else, they take over; those that wait do so as the interpreter has it, and it goes on
// alone.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {
namespace {

/// The barrier, turn or exit that a warp is at; nullptr: something else, or a turn that other blocks get, too.
const Instruction* stopped_at(const CompiledKernel& code, CompiledExit how, const CompiledState& state) {
    const Instruction* const next = code.next(state);
    if (how == CompiledExit::exit) return next;
    if (how != CompiledExit::barrier) return nullptr;
    const bool to_blocks = next->run == run_turn && next->option != 0 && state.warp->block->launch->interleaved;
    return to_blocks ? nullptr : next;
}

/// `started`: the warp knows of its turns.
void begin_turn(CompiledState& state, bool started) {
    state.slice = working_slice;
    if (started) {
        state.warp->begin_turn();
        state.slice = state.warp->slice;
    }
    state.slice_began = state.slice;
}

/// What it did since it was entered, where that is not counted yet.
void count_turn(CompiledExit how, CompiledState& state) {
    if (how == CompiledExit::barrier || how == CompiledExit::exit) return;
    state.warp_instructions += state.executed;
    state.thread_instructions += state.executed * static_cast<unsigned>(std::popcount(state.mask)) - state.fewer;
}

CompiledExit run_on(const CompiledKernel& code, CompiledState& state, bool started) {
    state.fewer = 0;
    state.wrote = 0;
    const CompiledExit how = code.enter(state.at, state, CompiledMode::in_block).how;
    count_turn(how, state);
    if (started) state.warp->wrote |= state.wrote != 0;
    return how;
}

/// The warp goes on behind `at`.
void pass(const Instruction* at, CompiledState& state) {
    state.at = at + 1;
    state.keeps = true;
}

/// It is before the barrier, turn or exit `stop`, which the interpreter executes, and counts.
void step_back(const Instruction* stop, CompiledState& state) {
    if (stop->run == run_turn) {
        state.segment = stop->counted_from;
        return;
    }
    state.segment = stop->ordinal;
    --state.warp_instructions;
    state.thread_instructions -= static_cast<unsigned>(std::popcount(state.mask));
}

}  // namespace

/// False: compiled code doesn't take all live warps, each in one fragment that has not parted, from where they are.
bool Block::compiled_start() {
    if (!compiled || watched || observer || cluster || failure) return false;
    if (!warps_started) return true;
    const Instruction* at = nullptr;
    for (const Warp& warp : warps) {
        if (warp.done()) continue;
        if (warp.fragments.size() != 1) return false;
        const Fragment& all = warp.fragments.front();
        if (all.wait != Wait::none || all.join || all.mask != warp.live || (at && all.pc != at)) return false;
        if (!compiled->begins_at(all.pc, all.mask == full_mask)) return false;
        at = all.pc;
    }
    for (Warp& warp : warps) {
        CompiledState& state = compiled_states[warp.index];
        state.mask = state.active = warp.live;
        state.warp_instructions = warp.warp_instructions;
        state.thread_instructions = warp.thread_instructions;
        state.at = at;
        state.waits = false;
        if (warp.done() && warp.looped) return false;
        if (warp.done()) continue;
        warp.enter_whole();
        if (!compiled->take(at, warp)) return false;
        state.segment = warp.segment;
        state.looped = warp.looped;
        state.wrote = warp.wrote;
        state.join = no_index;
        state.together = 1;
        state.depth = 0;
    }
    return at != nullptr;
}

bool Block::run_compiled_turns() {
    if (!compiled_start()) return false;
    turn.ran = true;
    const auto live = std::ranges::count_if(compiled_states, [](const auto& state) { return state.mask != 0; });
    // Warps that have not started come to nothing that others but their states would know of.
    const bool gives_turns = launch->interleaved && launch->program->functions.front()->has_turns_of_blocks;
    const bool chains = !warps_started && !gives_turns && block_is_whole();
    const std::uint32_t rounds_before = turn.rounds;
    bool together = live > 1;
    for (bool first = true;; first = false) {
        std::optional<CompiledExit> how;
        if (!together || !(chains ? run_chained(how) : run_compiled_together(how))) {
            if (!run_compiled_round(how)) return false;
            together = live > 1 && are_together();
        }
        if (done()) {
            untouched = first && turn.rounds == rounds_before && !warps_started && shared_bytes == 0;
            runs_on = untouched && chains && compiled->ends_alone();
            return true;
        }
        // Where they are together, the next slice is compiled, too.
        const unsigned most = together || are_together() ? most_compiled_rounds : 4 * most_compiled_rounds;
        turn.again = turn.rounds < (chains ? most_chained_rounds : most);
        if (!turn.again || !progressed) break;
        ++turn.rounds;
        progressed = polled = order_changed = false;
    }
    take_over(nullptr);
    return true;
}

/// All lanes of all warps live.
bool Block::block_is_whole() const {
    return std::ranges::all_of(compiled_states, [](const CompiledState& state) { return state.mask == full_mask; });
}

void Block::chain_turns() {
    CompiledState* following = nullptr;
    for (std::size_t k = order.size(); k-- > 0;) {
        CompiledState& state = compiled_states[order[k]];
        state.following = std::exchange(following, &state);
    }
}

CompiledReturn Block::enter_chained(const Instruction* at) {
    ++compiled_block.round;
    return compiled->enter(at, compiled_states[order.front()], CompiledMode::chained);
}

bool Block::is_order_as_arrived(bool reversed) const {
    // Of equal ones, the other way round.
    const CompiledState* before = nullptr;
    return std::ranges::all_of(order, [&](std::uint8_t index) {
        const CompiledState* const each = &compiled_states[index];
        const CompiledState* const last = std::exchange(before, each);
        if (!last || last->warp_instructions < each->warp_instructions) return true;
        return last->warp_instructions == each->warp_instructions && (last < each) != reversed;
    });
}

/// The block before ended in machine code, and left nothing behind. False: this one goes on from where it came back.
bool Block::run_as_before(std::uint64_t next) {
    const bool is_neighbour = next == number + 1 && ++id.x != launch->grid.x;
    number = next;
    if (!is_neighbour) id = launch->block_at(next);  // which divides
    compiled_block.block[0] = id.x, compiled_block.block[1] = id.y, compiled_block.block[2] = id.z;
    const CompiledReturn last = enter_chained(compiled_states.front().at);
    if (last.how == CompiledExit::together && compiled->next(*last.state)->run == run_exit) return true;
    live_threads = static_cast<std::uint32_t>(launch->block_threads());
    untouched = runs_on = false;
    came_back = last;
    return false;
}

/// All are together: they go on from barrier to barrier, as long as they stay so. False: as run_compiled_together.
bool Block::run_chained(std::optional<CompiledExit>& how) {
    const Instruction* const began = compiled_states.front().at;
    const Instruction* at = began;
    CompiledReturn last;
    chain_turns();
    const auto goes_on = [&] {
        return turn.rounds < most_chained_rounds && !launch->cancelled->load(std::memory_order_relaxed);
    };
    for (bool first = true; first || goes_on(); first = false) {
        last = came_back ? *std::exchange(came_back, std::nullopt) : enter_chained(at);
        if (last.how != CompiledExit::together) break;
        CompiledState& front = compiled_states.front();
        front.looped |= front.slice != working_slice;
        const Instruction* const stop = compiled->next(front);
        if (stop->run == run_exit) {
            live_threads = 0;
            return true;
        }
        const bool reversed = std::exchange(front.looped, false);
        if (!is_order_as_arrived(reversed)) {
            order_as_arrived(reversed, [&](std::size_t k) { return compiled_states[k].warp_instructions; });
            chain_turns();
        }
        at = stop + 1;
        ++turn.rounds;
    }
    progressed = true;
    if (last.how == CompiledExit::together) {
        for (CompiledState& state : compiled_states) pass(at - 1, state);
        return true;
    }
    for (std::uint32_t place = 0; place < order.size(); ++place) {
        CompiledState& state = compiled_states[order[place]];
        const bool ended_it = last.how != CompiledExit::apart && &state == last.state;
        if (ended_it || state.round != compiled_block.round) {
            state.at = at;
            state.keeps |= at != began;
            state.slice_began = working_slice;
            if (ended_it) turn.place = place;
            continue;
        }
        state.looped |= state.slice != working_slice;
        wait_or_pass(state);
    }
    if (last.how == CompiledExit::apart) return false;
    how = last.how;
    count_turn(*how, *last.state);
    return false;
}

/// It has come to a barrier or exit, or to a turn, behind which it goes on.
void Block::wait_or_pass(CompiledState& state) {
    const Instruction* const at = compiled->next(state);
    if (at->run == run_turn) {
        pass(at, state);
    } else {
        state.waits = true;
    }
}

/// More than one warp lives, and all are together: each goes on to where the first one stops. False: the one at
/// turn.place has come back from somewhere else, which `how` tells, and those before it have had their turns; without
/// `how`, all have.
bool Block::run_compiled_together(std::optional<CompiledExit>& how) {
    const Instruction* stop = nullptr;
    for (turn.place = 0; turn.place < order.size(); ++turn.place) {
        CompiledState& state = compiled_states[order[turn.place]];
        if (state.mask == 0) continue;
        begin_turn(state, warps_started);
        how = run_on(*compiled, state, warps_started);
        const Instruction* const here = stopped_at(*compiled, *how, state);
        if (!here || (stop && here != stop) || state.depth != 0 || !can_wait_at(here)) break;
        stop = here;
        note_compiled_turn(state);
    }
    const bool all = turn.place == order.size();
    if (all && stop->run != run_turn && !(stop->run == run_exit && warps_started)) {
        pass_together(stop);
        return true;
    }
    for (std::uint32_t place = 0; place < turn.place; ++place) {
        CompiledState& state = compiled_states[order[place]];
        if (state.mask != 0) wait_or_pass(state);
    }
    if (all) how.reset();
    return all && stop->run == run_turn;
}

/// What the turn of a warp leaves behind that has come to a barrier, a turn or the exit.
void Block::note_compiled_turn(CompiledState& state) {
    state.looped |= state.slice != state.slice_began;
    progressed |= !warps_started || state.warp->wrote || !state.warp->polled;
    polled |= warps_started && state.warp->polled;
}

/// All live warps go on with all lanes from one place.
bool Block::are_together() const {
    const Instruction* first = nullptr;
    return std::ranges::all_of(compiled_states, [&](const CompiledState& state) {
        if (state.mask == 0) return true;
        if (!first) first = state.at;
        return state.at == first && state.depth == 0 && !state.waits;
    });
}

/// A turn of each warp that does not wait. `how`: the one at turn.place has had it, and came back so. False: the warps
/// have taken over, and those of later places have no turn yet.
bool Block::run_compiled_round(std::optional<CompiledExit> how) {
    auto runnable = static_cast<std::uint32_t>(std::ranges::count_if(
        compiled_states, [](const CompiledState& state) { return state.mask != 0 && !state.waits; }));
    if (!how) turn.place = 0;
    for (; turn.place < order.size(); ++turn.place, how.reset()) {
        turn.warp = order[turn.place];
        CompiledState& state = compiled_states[turn.warp];
        if (state.mask == 0 || state.waits) continue;
        if (!how) {
            begin_turn(state, warps_started);
            how = run_on(*compiled, state, warps_started);
        }
        while (goes_through(*how, state, runnable)) how = run_on(*compiled, state, warps_started);
        const Instruction* const stop = stopped_at(*compiled, *how, state);
        if (!stop || !can_wait_at(stop)) {
            const Instruction* const at = state.at;
            if (*how == CompiledExit::barrier || *how == CompiledExit::exit) step_back(compiled->next(state), state);
            take_over(&state);
            state.warp->go_on_behind(*how, at);
            if (!fault) note_turn(*state.warp);
            ++turn.place;
            return false;
        }
        wait_or_pass(state);
        if (state.waits) --runnable;
        note_compiled_turn(state);
    }
    if (runnable != 0) return true;
    if (const Instruction* const stop = all_wait_at()) {
        pass_together(stop);
        return true;
    }
    take_over(nullptr);
    return false;
}

/// It is no barrier that others know of.
bool Block::can_wait_at(const Instruction* stop) const {
    return stop->run == run_exit || stop->run == run_turn || is_free(barriers[stop->extra]);
}

/// Others are neither expected at the barrier nor there, but for those that wait in their states.
bool Block::is_free(const Barrier& barrier) const {
    return barrier.arrived == 0 && barrier.expected == 0;
}

/// A warp that is left alone gives nobody a turn, and one that is alone in its block waits for nobody.
bool Block::goes_through(CompiledExit how, CompiledState& state, std::uint32_t runnable) {
    if (how != CompiledExit::barrier || runnable != 1) return false;
    const Instruction* const at = stopped_at(*compiled, how, state);
    if (!at) return false;
    if (at->run == run_turn) {
        pass(at, state);
        return true;
    }
    if (warps.size() != 1 || !is_free(barriers[at->extra])) return false;
    state.looped |= state.slice != state.slice_began;
    state.slice_began = state.slice;
    pass(at, state);
    return true;
}

/// What all live warps wait for. nullptr: different things, or the warps have to be told.
const Instruction* Block::all_wait_at() const {
    const Instruction* first = nullptr;
    for (const CompiledState& state : compiled_states) {
        if (state.mask == 0) continue;
        const Instruction* const at = compiled->next(state);
        if (!first) first = at;
        if ((at->run == run_exit) != (first->run == run_exit)) return nullptr;
        if (at->run != run_exit && at->extra != first->extra) return nullptr;
    }
    return first->run == run_exit && warps_started ? nullptr : first;
}

/// All live warps wait for what `stop` waits for.
void Block::pass_together(const Instruction* stop) {
    progressed = true;
    if (stop->run == run_exit) {
        live_threads = 0;
        return;
    }
    const bool reversed = compiled_states.front().looped;
    for (CompiledState& state : compiled_states) {
        state.waits = state.looped = false;
        if (state.mask == 0) continue;
        const Instruction* const at = compiled->next(state);
        pass(at, state);
    }
    order_as_arrived(reversed, [&](std::size_t k) { return compiled_states[k].warp_instructions; });
    release(barriers[stop->extra]);
}

/// The warps know what their states know, and wait where those wait. `running` has just come back from compiled code.
void Block::take_over(const CompiledState* running) {
    if (!warps_started) {
        start_warps(*launch->program->functions.front(), Warp::Way::taken_over);
        for (Warp& warp : warps) warp.wrote = false;
        warps_started = true;
    }
    for (CompiledState& state : compiled_states) {
        if (state.mask == 0) continue;
        if (state.waits) step_back(compiled->next(state), state);
        state.warp->take_over(state, state.at);
        if (state.depth != 0 && &state != running) compiled->expand_parted(*state.warp);
    }
    for (const std::uint8_t index : order) {
        CompiledState& state = compiled_states[index];
        if (state.mask == 0 || !std::exchange(state.waits, false)) continue;
        const bool exits = compiled->next(state)->run == run_exit;
        state.warp->go_on_behind(exits ? CompiledExit::go_on : CompiledExit::barrier, state.at);
        if (fault) return;
        note_turn(*state.warp);
    }
}

}  // namespace cudash::virtual_gpu
