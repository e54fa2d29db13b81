#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"

#include <bit>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

void CompiledKernel::start(Block& block) {
    const Launch& launch = *block.launch;
    block.compiled_states.resize(block.warps.size());
    for (Warp& warp : block.warps) {
        CompiledState& state = block.compiled_states[warp.index];
        state.registers = warp.kernel_registers;
        state.ranges = warp.worker->range_cache.data();
        state.shared = block.shared;
        state.parameters = launch.parameters.data();
        state.shared_begin = block.shared_base;
        state.shared_bytes = block.shared_bytes;
        for (unsigned axis = 0; axis < 3; ++axis) state.tid[axis] = warp.tid[axis];
        state.block[0] = block.id.x, state.block[1] = block.id.y, state.block[2] = block.id.z;
        state.grid[0] = launch.grid.x, state.grid[1] = launch.grid.y, state.grid[2] = launch.grid.z;
        state.warp = &warp;
        state.kept_at = no_index;
    }
}

const CompiledKernel::Form& CompiledKernel::form_of(const Warp& w) const {
    return w.mask == full_mask ? whole_ : part_;
}

void CompiledKernel::expand(Warp& w) const {
    CompiledState& state = w.block->compiled_states[w.index];
    if (state.kept_at == no_index) return;
    for (const KeptRegister& each : form_of(w).kept.at(state.kept_at)) {
        std::byte* const place = state.registers + each.offset;
        const auto expand_words = [&]<class Word>(Word* words) {
            unsigned next = 0;
            const Word base = words[next++];
            const Word step = each.knows_step ? static_cast<Word>(each.step) : words[next++];
            const Word half = each.knows_half ? static_cast<Word>(each.half) : words[next++];
            for (unsigned l = 0; l < warp_size; ++l) words[l] = static_cast<Word>(base + l % 16 * step + l / 16 * half);
        };
        if (each.bytes == 8) {
            expand_words(reinterpret_cast<std::uint64_t*>(place));
        } else {
            expand_words(reinterpret_cast<std::uint32_t*>(place));
        }
    }
    state.kept_at = no_index;
}

const Instruction* CompiledKernel::run(const Instruction* at, Warp& w) const {
    CompiledState& state = w.block->compiled_states[w.index];
    const Form& form = form_of(w);
    const std::uint32_t entry =
        state.kept_at == no_index ? form.entries[static_cast<std::size_t>(at - first_)] : form.behind[state.kept_at];
    if (at->counted_from > w.segment) w.count_before(at);
    state.executed = state.fewer = 0;
    state.active = w.mask;
    state.depth = 0;
    state.segment = w.segment;
    state.slice = w.slice;
    state.mask = w.mask;
    state.join = w.join && w.join->at ? static_cast<std::uint32_t>(w.join->at - first_) : no_index;
    state.together = w.mask == w.live && !w.join;
    state.wrote = 0;
    state.kept_at = no_index;
    const CompiledExit how = form.code(&state, entry);
    if (how == CompiledExit::refused) return at;
    w.warp_instructions += state.executed;
    w.thread_instructions += state.executed * static_cast<unsigned>(std::popcount(w.mask)) - state.fewer;
    w.segment = state.segment;
    w.slice = state.slice;
    w.wrote |= state.wrote != 0;
    if (how == CompiledExit::fault) return nullptr;
    const Instruction* const next = first_ + state.next;
    if (state.depth != 0) w.part(state, first_);
    if (how == CompiledExit::slice) return w.yield(next);
    if (how == CompiledExit::barrier) state.kept_at = state.next;
    return next;
}

bool run_one_handler(CompiledState* state, const Instruction* only) {
    Warp& w = *state->warp;
    w.stop = Stop::turn;
    const std::uint32_t all = std::exchange(w.mask, state->active);
    only->run(only, w);
    w.mask = all;
    return w.stop != Stop::fault;
}

const Instruction* run_end_of_one(const Instruction*, Warp&) {
    return nullptr;
}

}  // namespace cudash::virtual_gpu
