// Warps of a block that run as machine code, from one barrier to the next. As long as all of them come to the same
// barrier, or to the same exit, nothing needs to be told to their fragments: what an interpreted block does there is
// done for all at once. Where one does anything else, those before it wait or exit as the interpreter has it, and it
// goes on alone.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {

/// Where all live warps are, each in one fragment that has not parted, if compiled code begins there.
const Instruction* Block::compiled_start() {
    if (!compiled || watched || observer || cluster || failure) return nullptr;
    const Instruction* at = nullptr;
    for (const Warp& warp : warps) {
        if (warp.done()) continue;
        if (warp.fragments.size() != 1) return nullptr;
        const Fragment& all = warp.fragments.front();
        if (all.wait != Wait::none || all.join || all.mask != warp.live || (at && all.pc != at)) return nullptr;
        if (!compiled->begins_at(all.pc, all.mask == full_mask)) return nullptr;
        at = all.pc;
    }
    return at;
}

bool Block::run_compiled_turns() {
    const Instruction* at = compiled_start();
    if (!at) return false;
    for (Warp& warp : warps)
        if (!warp.done()) warp.enter_whole();
    turn.ran = true;
    for (;;) {
        const Instruction* const stop = run_compiled_turn(at);
        if (!stop) return false;
        if (done()) return true;
        at = stop + 1;
        if (turn.rounds + 1 >= most_compiled_rounds) break;
        ++turn.rounds;
        order_changed = false;
    }
    turn.again = false;
    wait_at(at, 0);
    return true;
}

/// The warps from a place on are at an instruction, their fragments, too.
void Block::wait_at(const Instruction* at, std::size_t place) {
    for (; place < order.size(); ++place)
        if (Warp& warp = warps[order[place]]; !warp.done()) warp.wait_whole(at);
}

/// A turn of each warp. The barrier that all have passed, or where all have left; nullptr: they have not.
const Instruction* Block::run_compiled_turn(const Instruction* at) {
    const Instruction* all = nullptr;
    for (turn.place = 0; turn.place < order.size(); ++turn.place) {
        turn.warp = order[turn.place];
        Warp& warp = warps[turn.warp];
        if (warp.done()) continue;
        warp.begin_turn();
        const CompiledExit how = compiled->enter(at, warp);
        const Instruction* const stopped = compiled->stopped_at(how, warp);
        if (stopped && (!all || stopped == all) && (how != CompiledExit::barrier || warps.size() > 1)) {
            all = stopped;
            continue;
        }
        if (all) settle(turn.place, all);
        wait_at(at, turn.place);
        warp.go_on_behind(how, at);
        if (!fault) note_turn(warp);
        ++turn.place;
        return nullptr;
    }
    if (pass_together(all)) return all;
    settle(order.size(), all);
    return nullptr;
}

/// False: others are expected at the barrier, or are there.
bool Block::pass_together(const Instruction* at) {
    if (at->run == run_exit) {
        for (Warp& warp : warps)
            if (!warp.done()) warp.exit_with_block(at);
        live_threads = 0;
        return progressed = true;
    }
    Barrier& barrier = barriers[at->extra];
    if (barrier.arrived != 0 || barrier.expected != 0) return false;
    for (Warp& warp : warps) {
        if (warp.done()) continue;
        warp.pass_barrier(at);
        polled |= warp.polled;
    }
    release(barrier);
    return progressed = true;
}

/// The warps in the first places of the order wait at the barrier, or leave.
void Block::settle(std::size_t places, const Instruction* at) {
    for (std::size_t place = 0; place < places; ++place) {
        Warp& warp = warps[order[place]];
        if (warp.done()) continue;
        at->run(at, warp);
        note_turn(warp);
    }
}

}  // namespace cudash::virtual_gpu
