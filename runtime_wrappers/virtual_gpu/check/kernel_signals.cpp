#include "runtime_wrappers/virtual_gpu/check/kernel_signals.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace {

bool signals(const ptx::Instruction& instruction) {
    const Effect effect = behavior_of(instruction).effect;
    const bool fence = effect == Effect::fence, atomic = effect == Effect::atomic;
    if (!fence && !atomic && effect != Effect::load && effect != Effect::store) return false;
    const ParsedModifiers modifiers = parse_modifiers(instruction.modifiers);
    if (fence) return !modifiers.set.has(Mod::cta);
    if (!modifiers.spaces.empty() && modifiers.spaces.front() != ptx::Space::global) return false;
    for (const Mod mod : {Mod::acquire, Mod::release, Mod::acq_rel, Mod::sc})
        if (modifiers.set.has(mod)) return true;
    // atomicAdd is a relaxed one, and hands over nothing but its own value.
    return !atomic &&
           (modifiers.set.has(Mod::volatile_) || modifiers.set.has(Mod::relaxed) || modifiers.set.has(Mod::mmio));
}

}  // namespace

bool KernelSignals::of(const Program& program) {
    const auto [entry, is_new] = known_.try_emplace(program.serial, false);
    if (!is_new) return entry->second;
    for (const auto& code : program.functions)
        entry->second |= std::any_of(code->written.begin(), code->written.end(),
                                     [](const ptx::Instruction* each) { return each && signals(*each); });
    return entry->second;
}

}  // namespace cudash::virtual_gpu
