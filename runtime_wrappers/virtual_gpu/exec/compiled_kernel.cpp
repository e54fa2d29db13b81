#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

namespace {

/// A progression as numbers, its unknown ones being those of the lanes.
template <class Word>
struct Numbers {
    Word base, step, half;
    Word at(unsigned lane) const { return static_cast<Word>(base + lane % 16 * step + lane / 16 * half); }
};

/// Reads a register's words; behind them are the next one's.
template <class Word>
Numbers<Word> from_words(const KeptRegister& kept, const std::uint64_t*& words) {
    const Word base = static_cast<Word>(*words++);
    const Word step = static_cast<Word>(kept.knows_step ? static_cast<std::uint64_t>(kept.step) : *words++);
    return {base, step, static_cast<Word>(kept.knows_half ? static_cast<std::uint64_t>(kept.half) : *words++)};
}

/// Writes them, if the lanes are such a progression.
template <class Word>
bool to_words(const KeptRegister& kept, const std::byte* registers, std::uint32_t mask, std::uint64_t*& words) {
    const Word* const lanes = reinterpret_cast<const Word*>(registers + kept.offset);
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    Numbers<Word> numbers{0, static_cast<Word>(kept.knows_step ? kept.step : lanes[1] - lanes[0]),
                          static_cast<Word>(kept.knows_half ? kept.half : lanes[16] - lanes[0])};
    numbers.base = static_cast<Word>(lanes[first] - numbers.at(first));
    Word different = 0;
    for (unsigned l = 0; l < warp_size; ++l)
        different |= (lanes[l] ^ numbers.at(l)) & (Word{0} - static_cast<Word>(mask >> l & 1));
    *words++ = numbers.base;
    if (!kept.knows_step) *words++ = numbers.step;
    if (!kept.knows_half) *words++ = numbers.half;
    return different == 0;
}

bool take_words(const std::vector<KeptRegister>& kept, CompiledState& state, std::uint32_t mask) {
    std::uint64_t* words = state.kept_words;
    bool fits = true;
    for (const KeptRegister& each : kept) {
        if (each.bytes == 0) {
            std::uint32_t predicate;
            std::memcpy(&predicate, state.registers + each.offset, sizeof predicate);
            fits &= (predicate & mask) == 0 || (predicate & mask) == mask;
        } else {
            fits &= each.bytes == 8 ? to_words<std::uint64_t>(each, state.registers, mask, words)
                                    : to_words<std::uint32_t>(each, state.registers, mask, words);
        }
    }
    return fits;
}

template <class Word>
void write_lanes(const KeptRegister& kept, const CompiledState& state, const std::uint64_t*& words) {
    const Numbers<Word> numbers = from_words<Word>(kept, words);
    Word* const lanes = reinterpret_cast<Word*>(state.registers + kept.offset);
    for (unsigned l = 0; l < warp_size; ++l) lanes[l] = state.mask >> l & 1 ? numbers.at(l) : lanes[l];
}

void give_words(const std::vector<KeptRegister>& kept, const CompiledState& state) {
    const std::uint64_t* words = state.kept_words;
    for (const KeptRegister& each : kept) {
        if (each.bytes == 8) {
            write_lanes<std::uint64_t>(each, state, words);
        } else {
            write_lanes<std::uint32_t>(each, state, words);
        }
    }
}

}  // namespace

void CompiledKernel::start(Block& block) const {
    const Launch& launch = *block.launch;
    const bool is_new = std::exchange(block.states_of, launch.grid_id) != launch.grid_id;
    if (is_new) {
        block.compiled_states.resize(block.warps.size());
        block.kept_words.resize(block.warps.size() * words_);
        block.compiled_block = {block.worker->range_cache.data(),
                                block.shared,
                                launch.parameters.data(),
                                block.shared_base,
                                block.shared_bytes,
                                {},
                                {launch.grid.x, launch.grid.y, launch.grid.z},
                                block.compiled_block.round,  // states may have the last one's
                                run_one_handler,
                                handled_.data()};
        for (Warp& warp : block.warps) {
            CompiledState& state = block.compiled_states[warp.index];
            state.of = &block.compiled_block;
            state.registers = warp.kernel_registers;
            for (unsigned axis = 0; axis < 3; ++axis) state.tid[axis] = warp.tid[axis];
            state.warp = &warp;
            state.kept_words = block.kept_words.data() + warp.index * words_;
        }
    }
    CompiledBlock& shared = block.compiled_block;
    shared.block[0] = block.id.x, shared.block[1] = block.id.y, shared.block[2] = block.id.z;
    std::uint32_t left = block.live_threads;
    for (CompiledState& state : block.compiled_states) {
        state.mask = left >= warp_size ? full_mask : (1u << left) - 1;
        left -= std::min(left, warp_size);
        state.active = state.mask;
        state.keeps = state.looped = state.waits = false;
        state.at = first_;
        state.join = no_index;
        state.together = state.wrote = 1;
        state.segment = first_->counted_from;
        state.depth = 0;
        state.executed = state.fewer = 0;
        state.warp_instructions = state.thread_instructions = 0;
    }
}

void CompiledKernel::expand(Warp& w) const {
    CompiledState& state = w.block->compiled_states[w.index];
    if (std::exchange(state.keeps, false)) give_words(form_of(w.mask).ways_out[state.way_out], state);
}

void CompiledKernel::expand_parted(Warp& w) const {
    CompiledState& state = w.block->compiled_states[w.index];
    expand(w);
    w.part(state, first_);
    w.go_on_first();
    state.depth = 0;
}

bool CompiledKernel::take(const Instruction* at, Warp& w) const {
    CompiledState& state = w.block->compiled_states[w.index];
    const auto index = static_cast<std::size_t>(at - first_);
    return state.keeps || take_words(form_of(w.mask).kept[index], state, w.mask);
}

const Instruction* CompiledKernel::run(const Instruction* at, Warp& w) const {
    CompiledState& state = w.block->compiled_states[w.index];
    if (!take(at, w)) return at;
    if (at->counted_from > w.segment) w.count_before(at);
    state.fewer = 0;
    state.active = w.mask;
    state.depth = 0;
    state.segment = w.segment;
    state.slice = w.slice;
    state.mask = w.mask;
    state.join = w.join && w.join->at ? static_cast<std::uint32_t>(w.join->at - first_) : no_index;
    state.together = w.mask == w.live && !w.join;
    state.wrote = 0;
    const CompiledExit how = enter(at, state, CompiledMode::alone).how;
    w.warp_instructions += state.executed;
    w.thread_instructions += state.executed * static_cast<unsigned>(std::popcount(w.mask)) - state.fewer;
    w.segment = state.segment;
    w.slice = state.slice;
    w.wrote |= state.wrote != 0;
    return come_back(how, at, w);
}

const Instruction* CompiledKernel::come_back(CompiledExit how, const Instruction* at, Warp& w) const {
    CompiledState& state = w.block->compiled_states[w.index];
    state.keeps = how == CompiledExit::barrier && state.depth == 0;
    if (how == CompiledExit::fault) return nullptr;
    if (how == CompiledExit::refused) return at;
    if (!state.keeps) give_words(form_of(w.mask).ways_out[state.way_out], state);
    if (state.depth != 0) w.part(state, first_);
    if (how == CompiledExit::slice) return w.yield(next(state));
    return next(state);
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
