#include "runtime_wrappers/virtual_gpu/exec/loop_watch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {
namespace {

/// Slices before the first look, and of how many slices one is looked at: the hash takes longer than a compiled slice.
struct Pace {
    std::uint64_t patience, looks;
};
constexpr Pace interpreted{16, 16}, compiled{64, 256};

class Hash {
public:
    void add(std::uint64_t word) { value_ = (std::rotl(value_, 23) ^ word) * 0x9E3779B97F4A7C15ull; }
    /// A multiple of 64 bytes. A multiplication waits for the one before it, so eight go side by side.
    void add(const std::byte* bytes, std::size_t size) {
        Hash columns[8];
        for (std::size_t at = 0; at + sizeof(std::uint64_t[8]) <= size; at += sizeof(std::uint64_t[8])) {
            std::uint64_t words[8];
            std::memcpy(words, bytes + at, sizeof words);
            for (unsigned i = 0; i < 8; ++i) columns[i].add(words[i]);
        }
        for (const Hash& each : columns) add(each.value_);
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0x243F6A8885A308D3ull;
};

/// How many times as long as a slice the hash takes, at least 1: it takes about as long for a register as the
/// interpreter for an instruction.
std::uint64_t slices_of_a_look(const Block& block, std::uint64_t slices) {
    std::uint64_t registers = 0, executed = 1;
    for (const Warp& warp : block.warps) {
        executed += warp.warp_instructions;
        for (const Fragment& fragment : warp.fragments)
            for (const Frame* frame = fragment.frame; frame; frame = frame->caller)
                registers += frame->code->constants_at / sizeof(std::uint32_t[warp_size]);
    }
    return std::max<std::uint64_t>(1, registers * slices / executed);
}

}  // namespace

std::uint64_t state_of(std::span<const Block* const> blocks) {
    Hash hash;
    for (const Block* block : blocks)
        for (const Warp& warp : block->warps) {
            // Fragments take turns: their order in the list says nothing.
            std::uint64_t all = warp.carry;
            for (const Fragment& fragment : warp.fragments) {
                Hash one;
                one.add(reinterpret_cast<std::uint64_t>(fragment.pc));
                one.add(fragment.mask);
                one.add(static_cast<std::uint64_t>(fragment.wait));
                for (const Join* join = fragment.join; join; join = join->parent) one.add(join->arrived);
                for (const Frame* frame = fragment.frame; frame; frame = frame->caller) {
                    one.add(reinterpret_cast<std::uint64_t>(frame->call));
                    one.add(frame->registers, frame->code->constants_at);
                }
                all += one.value();
            }
            hash.add(all);
        }
    return hash.value();
}

bool LoopWatch::repeats(const Block& block) {
    const Pace& pace = block.compiled ? compiled : interpreted;
    if (++slices_ < pace.patience) return false;
    const Block* const only[] = {&block};
    if (std::has_single_bit(slices_)) {
        remembered_at_ = slices_;
        remembered_ = state_of(only);
        const std::uint64_t slowness = block.compiled ? 1 : slices_of_a_look(block, slices_);
        looks_ = std::max<std::uint64_t>(1, remembered_at_ / (pace.looks * slowness));
        return false;
    }
    return slices_ - remembered_at_ <= looks_ && state_of(only) == remembered_;
}

}  // namespace cudash::virtual_gpu
