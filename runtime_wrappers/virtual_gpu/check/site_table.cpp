#include "runtime_wrappers/virtual_gpu/check/site_table.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/check/cas_seed.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint32_t most_direct = 1 << 20;

AccessSite look_at(const Code& code, std::uint32_t index) {
    AccessSite site;
    site.code = &code;
    site.instruction = &code.instructions[index];
    const ptx::Instruction* const written = code.written[index];
    if (!written) return site;
    const ParsedModifiers modifiers = parse_modifiers(written->modifiers);
    const ModSet& mods = modifiers.set;
    const Effect effect = behavior_of(*written).effect;
    site.of_library = code.name.starts_with("_ZN3cub") || code.name.starts_with("_ZN6thrust");
    site.parameter = !modifiers.spaces.empty() && modifiers.spaces.front() == ptx::Space::param;
    site.mbarrier = effect == Effect::mbarrier || (effect == Effect::copy && mods.has(Mod::mbarrier));
    site.mbarrier_init = site.mbarrier && mods.has(Mod::init);
    site.async_copy = effect == Effect::copy && mods.has(Mod::async) && !mods.has(Mod::bulk) && !site.mbarrier;
    site.bulk_copy =
        (effect == Effect::copy && mods.has(Mod::bulk)) || (effect == Effect::store && mods.has(Mod::async));
    const bool atomic = effect == Effect::atomic || site.mbarrier;
    bool strong = atomic;
    for (Mod mod : {Mod::relaxed, Mod::acquire, Mod::release, Mod::acq_rel, Mod::sc, Mod::mmio})
        strong |= mods.has(mod);
    site.strength = strong ? Strength::strong : mods.has(Mod::volatile_) ? Strength::volatile_ : Strength::weak;
    const bool both = mods.has(Mod::acq_rel) || mods.has(Mod::sc) || site.mbarrier;
    // The bytes that a bulk copy counts at an mbarrier object tell those who wait there that they have come.
    site.releases = both || site.bulk_copy || mods.has(Mod::release);
    site.acquires = both || mods.has(Mod::acquire);
    site.begins_cas = effect == Effect::load && site.strength == Strength::weak && only_begins_cas(code, index);
    const auto store = std::ranges::lower_bound(code.indexed_stores, written, {}, &IndexedStore::written);
    if (store != code.indexed_stores.end() && store->written == written) {
        site.by_thread = store->by_thread;
        site.by_block = store->by_block;
    }
    return site;
}

}  // namespace

void SiteTable::clear() {
    by_cache_.clear();
    known_.clear();
    sites_.clear();
}

const AccessSite& SiteTable::find_slowly(const PlaceRecord& record) {
    const std::uint32_t index = record.code->index_of(record.instruction);
    const AccessSite*& site = known_[{record.code, index}];
    if (!site) {
        AccessSite made = look_at(*record.code, index);
        made.number = static_cast<std::uint32_t>(sites_.size());
        site = &sites_.emplace_back(made);
    }
    const std::uint32_t key = record.instruction->cache;
    if (key < most_direct) {
        if (key >= by_cache_.size()) by_cache_.resize(key + 1);
        by_cache_[key] = {record.instruction, site};
    }
    return *site;
}

}  // namespace cudash::virtual_gpu
