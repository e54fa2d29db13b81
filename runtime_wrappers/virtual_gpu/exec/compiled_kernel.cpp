#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"

#include <bit>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

const Instruction* CompiledKernel::run(const Instruction* at, Warp& w) const {
    Block& block = *w.block;
    const Launch& launch = *block.launch;
    if (at->counted_from > w.segment) w.count_before(at);
    CompiledState state;
    state.registers = w.registers;
    state.ranges = w.worker->range_cache.data();
    state.shared = block.shared;
    state.parameters = launch.parameters.data();
    state.shared_begin = block.shared_base;
    state.shared_bytes = block.shared_bytes;
    for (unsigned axis = 0; axis < 3; ++axis) state.tid[axis] = w.tid[axis];
    state.block[0] = block.id.x, state.block[1] = block.id.y, state.block[2] = block.id.z;
    state.grid[0] = launch.grid.x, state.grid[1] = launch.grid.y, state.grid[2] = launch.grid.z;
    state.warp = &w;
    state.segment = w.segment;
    state.slice = w.slice;
    state.mask = w.mask;
    if (w.join && w.join->at) state.join = static_cast<std::uint32_t>(w.join->at - first_);
    const Form& form = w.mask == full_mask ? whole_ : part_;
    const CompiledExit how = form.code(&state, form.entries[static_cast<std::size_t>(at - first_)]);
    if (how == CompiledExit::refused) return at;
    w.warp_instructions += state.executed;
    w.thread_instructions += state.executed * static_cast<unsigned>(std::popcount(w.mask));
    w.segment = state.segment;
    w.slice = state.slice;
    w.wrote |= state.wrote != 0;
    if (how == CompiledExit::fault) return nullptr;
    const Instruction* const next = first_ + state.next;
    return how == CompiledExit::slice ? w.yield(next) : next;
}

bool run_one_handler(CompiledState* state, const Instruction* only) {
    Warp& w = *state->warp;
    w.stop = Stop::turn;
    only->run(only, w);
    return w.stop != Stop::fault;
}

const Instruction* run_end_of_one(const Instruction*, Warp&) {
    return nullptr;
}

}  // namespace cudash::virtual_gpu
