// Instructions by which the lanes of a warp exchange values: shfl, vote, match, redux, elect, activemask.
#include "runtime_wrappers/virtual_gpu/exec/collective.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_shuffle.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;
using semantics::Shuffle;
using semantics::shuffle_source;

template <Shuffle Mode>
void shuffle(const Instruction* i, Warp& w, std::uint32_t) {
    auto *a = lanes<std::uint32_t>(w, i->a), *b = lanes<std::uint32_t>(w, i->b), *c = lanes<std::uint32_t>(w, i->c);
    alignas(64) std::uint32_t result[warp_size];
    std::uint32_t valid = 0;
    for (unsigned l = 0; l < warp_size; ++l) {
        const auto [source, inside] = shuffle_source(Mode, l, b[l], c[l]);
        valid |= std::uint32_t{inside} << l;
        // The value of a lane that does not take part is undefined; an H200 gives zero.
        const bool takes_part = (w.mask >> source & 1) != 0;
        result[l] = !inside ? a[l] : takes_part ? a[source] : 0;
        if (w.observer && inside && !takes_part && (w.mask >> l & 1)) [[unlikely]] {
            ShuffleRecord record;
            static_cast<PlaceRecord&>(record) = place_of(w, i);
            record.lane = l;
            record.source = source;
            w.observer->shuffle_from_outside(record);
        }
    }
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned l) { return result[l]; });
    set_predicate(w, i->extra, valid);
}

std::uint32_t votes(const Instruction* i, Warp& w, std::uint32_t members) {
    return (predicate(w, i->a) ^ static_cast<std::uint32_t>(i->immediate)) & members;
}
void vote_all(const Instruction* i, Warp& w, std::uint32_t members) {
    set_predicate(w, i->d, votes(i, w, members) == members ? ~0u : 0);
}
void vote_any(const Instruction* i, Warp& w, std::uint32_t members) {
    set_predicate(w, i->d, votes(i, w, members) != 0 ? ~0u : 0);
}
void vote_uni(const Instruction* i, Warp& w, std::uint32_t members) {
    const std::uint32_t yes = votes(i, w, members);
    set_predicate(w, i->d, yes == 0 || yes == members ? ~0u : 0);
}
void vote_ballot(const Instruction* i, Warp& w, std::uint32_t members) {
    const std::uint32_t yes = votes(i, w, members);
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned) { return yes; });
}

template <class T>
void match_any(const Instruction* i, Warp& w, std::uint32_t members) {
    auto* a = lanes<T>(w, i->a);
    std::uint32_t same[warp_size] = {};
    for_each_lane(members, [&](unsigned l) {
        for_each_lane(members, [&](unsigned other) { same[l] |= std::uint32_t{a[l] == a[other]} << other; });
    });
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned l) { return same[l]; });
}
template <class T>
void match_all(const Instruction* i, Warp& w, std::uint32_t members) {
    auto* a = lanes<T>(w, i->a);
    const T first = a[std::countr_zero(members ? members : 1u)];
    bool equal = true;
    for_each_lane(members, [&](unsigned l) { equal &= a[l] == first; });
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned) { return equal ? members : 0u; });
    set_predicate(w, i->extra, equal ? ~0u : 0);
}

template <class T, T (*Function)(T, T)>
void reduce(const Instruction* i, Warp& w, std::uint32_t members) {
    auto* a = lanes<T>(w, i->a);
    if (members == 0) return;
    T total = from_lane<T>(a[std::countr_zero(members)]);
    for_each_lane(members & (members - 1), [&](unsigned l) { total = Function(total, from_lane<T>(a[l])); });
    write_lanes<T>(w, lanes<T>(w, i->d), [&](unsigned) { return total; });
}

/// elect.sync: the lowest lane of the members.
void elect(const Instruction* i, Warp& w, std::uint32_t members) {
    const auto leader = static_cast<std::uint32_t>(std::countr_zero(members ? members : 1u));
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned) { return leader; });
    set_predicate(w, i->extra, 1u << leader);
}

const Instruction* run_activemask(const Instruction* i, Warp& w) {
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned) { return w.mask; });
    return i + 1;
}

/// d or d|p; then the sources; the last operand is the member mask. Forms without .sync take the lanes that are there.
void value_and_predicate(Site& site) {
    const ptx::Operand& target = site.operand(0);
    const bool pair = target.kind == ptx::Operand::Kind::predicate_pair && target.elements.size() == 2;
    site.out.d = site.destination(pair ? target.elements[0] : target, 4);
    site.out.extra = site.predicate_destination_or_scratch(pair ? &target.elements[1] : nullptr);
}
void member_mask(Site& site, std::size_t operand) {
    if (operand >= site.operands()) {
        site.out.cache = site.constant(0, 4);
        return;
    }
    site.out.cache = site.source(site.operand(operand), b32);
    site.out.count = site.operand(operand).kind == ptx::Operand::Kind::name;  // each lane may name others
}

}  // namespace

void select_shfl(Site& site) {
    if (site.operands() != (site.has(Mod::sync) ? 5u : 4u)) return site.refuse();
    value_and_predicate(site);
    site.out.a = site.source(site.operand(1), b32);
    site.out.b = site.source(site.operand(2), u32);
    site.out.c = site.source(site.operand(3), u32);
    member_mask(site, 4);
    if (site.has(Mod::up)) return site.run(&collective<Groups::together, shuffle<Shuffle::up>>);
    if (site.has(Mod::down)) return site.run(&collective<Groups::together, shuffle<Shuffle::down>>);
    if (site.has(Mod::bfly)) return site.run(&collective<Groups::together, shuffle<Shuffle::bfly>>);
    site.run(&collective<Groups::together, shuffle<Shuffle::idx>>);
}

void select_vote(Site& site) {
    if (!site.has(Mod::sync) || site.operands() != 3) return site.refuse();
    const bool ballot = site.has(Mod::ballot);
    site.out.d = ballot ? site.destination(site.operand(0), 4) : site.predicate_destination(site.operand(0));
    site.out.a = site.predicate(site.operand(1));
    site.out.immediate = site.operand(1).negated ? 0xFFFFFFFF : 0;
    member_mask(site, 2);
    if (ballot) return site.run(&collective<Groups::apart, vote_ballot>);
    if (site.has(Mod::all)) return site.run(&collective<Groups::apart, vote_all>);
    site.run(site.has(Mod::any) ? &collective<Groups::apart, vote_any> : &collective<Groups::apart, vote_uni>);
}

void select_match(Site& site) {
    if (!site.has(Mod::sync) || site.operands() != 3) return site.refuse();
    value_and_predicate(site);
    site.out.a = site.source(site.operand(1), site.type());
    member_mask(site, 2);
    const bool wide = site.type() == b64;
    if (site.has(Mod::any))
        return site.run(wide ? &collective<Groups::apart, match_any<std::uint64_t>>
                             : &collective<Groups::apart, match_any<std::uint32_t>>);
    site.run(wide ? &collective<Groups::apart, match_all<std::uint64_t>>
                  : &collective<Groups::apart, match_all<std::uint32_t>>);
}

void select_redux(Site& site) {
    site.out.d = site.destination(site.operand(0), 4);
    site.out.a = site.source(site.operand(1), site.type());
    if (site.operands() != 3) return site.refuse();
    member_mask(site, 2);
    site.run(for_type<b32, u32, s32>(site.type(), [&]<class T>() -> Handler {
        if (site.has(Mod::add)) return &collective<Groups::apart, reduce<T, semantics::add<T>>>;
        if (site.has(Mod::min)) return &collective<Groups::apart, reduce<T, semantics::min<T>>>;
        if (site.has(Mod::max)) return &collective<Groups::apart, reduce<T, semantics::max<T>>>;
        if (site.has(Mod::and_)) return &collective<Groups::apart, reduce<T, semantics::bits_and<T>>>;
        if (site.has(Mod::or_)) return &collective<Groups::apart, reduce<T, semantics::bits_or<T>>>;
        return site.has(Mod::xor_) ? &collective<Groups::apart, reduce<T, semantics::bits_xor<T>>> : nullptr;
    }));
}

void select_elect(Site& site) {
    if (site.operands() != 2) return site.refuse();
    value_and_predicate(site);
    member_mask(site, 1);
    site.run(&collective<Groups::apart, elect>);
}

void select_activemask(Site& site) {
    site.out.d = site.destination(site.operand(0), 4);
    site.run(run_activemask);
}

}  // namespace cudash::virtual_gpu
