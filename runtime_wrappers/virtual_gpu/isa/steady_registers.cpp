// The part of the decoder that finds what a warp computes alike in every block of a launch: parameters, block
// dimensions, thread indices and what follows from them alone. The warps of a block are used again for the next block
// and keep their registers, so the instructions that define such registers run once and are left out from then on.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"

namespace cudash::virtual_gpu {

void FunctionDecoder::find_steady_registers() {
    if (affine_.count == 0) return;
    const std::size_t registers = scopes_.register_bytes().size();
    std::vector<std::uint32_t> definitions(registers);
    for (const RegisterUse& use : uses_)
        for (std::uint32_t r : use.writes) ++definitions[r];
    std::vector<bool> cleared(registers);  // read before it is written on some way: zero there
    for (std::uint32_t r = 0; r < registers; ++r)
        cleared[r] = std::ranges::any_of(places_.cleared, [&](auto& each) { return each.first == places_.offsets[r]; });

    affine_.steady.assign(registers, false);
    auto is_steady_source = [&](std::uint32_t r) { return affine_.steady[r]; };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t i = 0; i < items_.size(); ++i) {
            const std::uint32_t r = affine_target(items_[i]);
            // A block keeps its last instruction: it has to begin somewhere. What a check reads is, as in debug code,
            // what the block has written so far.
            if (r == no_index || affine_.steady[r] || !affine_.is_affine(r) || definitions[r] != 1 || cleared[r] ||
                is_checked(r) || is_last_kept(i) || !affine_choice(items_[i]).steady ||
                !std::ranges::all_of(uses_[i].reads, is_steady_source))
                continue;
            affine_.steady[r] = changed = true;
        }
    }
}

bool FunctionDecoder::is_steady(std::uint32_t item) const {
    const std::uint32_t r = affine_target(items_[item]);
    return r != no_index && affine_.steady[r];
}

}  // namespace cudash::virtual_gpu
