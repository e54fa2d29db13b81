// cp.async, st.async and mbarrier. A copy is done when it is issued: groups are always complete, in
// every run.
#include "runtime_wrappers/virtual_gpu/exec/bulk_copy.h"
#include "runtime_wrappers/virtual_gpu/exec/lane_transfer.h"
#include "runtime_wrappers/virtual_gpu/exec/mbarrier.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;
using ptx::Space;

const Instruction* run_commit(const Instruction* i, Warp& w) {
    if (w.observer) [[unlikely]]
        w.observer->async_copy(place_of(w, i), AsyncCopy::commit, 0);
    return i + 1;
}
const Instruction* run_wait(const Instruction* i, Warp& w) {
    if (w.observer) [[unlikely]]
        w.observer->async_copy(place_of(w, i), AsyncCopy::wait, static_cast<std::uint64_t>(i->immediate));
    return i + 1;
}

enum class Act : std::uint16_t {
    touch,
    init,
    inval,
    arrive,
    drop,
    expect,
    expect_and_arrive,
    complete,
    test,
    test_parity
};

/// [a] is the object; b, if any, the count, bytes, state or parity; d the state or predicate that results.
template <Act A, Space S, class AddressLane>
const Instruction* run_mbarrier(const Instruction* i, Warp& w) {
    Access access;
    Layout layouts[2];
    if (!resolve<S, AddressLane>(
            i, w, access, {S, A == Act::test || A == Act::test_parity ? AccessKind::load : AccessKind::atomic, 8},
            layouts))
        return nullptr;
    const std::uint32_t* narrow = lanes<std::uint32_t>(w, i->b);
    const std::uint64_t* wide = lanes<std::uint64_t>(w, i->b);
    std::uint32_t truth = 0;
    for_each_lane(w.mask, [&](unsigned l) {
        MBarrier barrier(access.at(l));
        const std::uint64_t before = barrier.state();
        if constexpr (A == Act::init || A == Act::inval) {
            const std::uint64_t made = A == Act::init ? MBarrier::fresh(narrow[l]) : 0;
            std::memcpy(access.at(l), &made, sizeof made);
            return;
        }
        if constexpr (A == Act::arrive) barrier.arrive(narrow[l]);
        if constexpr (A == Act::drop) barrier.drop(narrow[l]);
        if constexpr (A == Act::expect || A == Act::expect_and_arrive) barrier.expect_bytes(narrow[l]);
        if constexpr (A == Act::expect_and_arrive) barrier.arrive(1);
        if constexpr (A == Act::complete) barrier.complete_bytes(narrow[l]);
        if constexpr (A == Act::test)
            truth |= std::uint32_t{MBarrier::phase_of(before) != MBarrier::phase_of(wide[l])} << l;
        if constexpr (A == Act::test_parity) truth |= std::uint32_t{MBarrier::phase_of(before) != (narrow[l] & 1)} << l;
        if constexpr (A != Act::test && A != Act::test_parity) {
            barrier.store();
            w.wrote |= barrier.state() != before;
            if (i->option) lanes<std::uint64_t>(w, i->d)[l] = before;
        }
    });
    if constexpr (A == Act::test || A == Act::test_parity) {
        set_predicate(w, i->d, truth);
        // Others must run before a wait can succeed.
        w.polled = true;
        if ((truth & w.mask) != w.mask && w.slice > 1) w.slice = 1;
    }
    return i + 1;
}

template <Act A>
Handler mbarrier_in(const Site::MemoryOperand& memory) {
    if (memory.space == Space::shared)
        return memory.wide ? &run_mbarrier<A, Space::shared, Lane64> : &run_mbarrier<A, Space::shared, Lane32>;
    return memory.space == Space::none && memory.wide ? &run_mbarrier<A, Space::none, Lane64> : nullptr;
}

/// cp.async.mbarrier.arrive: the copies so far are done when those who wait at the object go on. With .noinc the
/// arrival is one of those that the object expects; otherwise it makes up for the count that it adds.
template <Act A, Space S, class AddressLane>
const Instruction* run_copies_arrive(const Instruction* i, Warp& w) {
    if (w.observer) [[unlikely]]
        w.observer->async_copy(place_of(w, i), AsyncCopy::wait, 0);
    return run_mbarrier<A, S, AddressLane>(i, w);
}
template <Act A>
Handler copies_arrive_in(const Site::MemoryOperand& memory) {
    if (memory.space == Space::shared)
        return memory.wide ? &run_copies_arrive<A, Space::shared, Lane64>
                           : &run_copies_arrive<A, Space::shared, Lane32>;
    return memory.space == Space::none && memory.wide ? &run_copies_arrive<A, Space::none, Lane64> : nullptr;
}

const Instruction* run_pending_count(const Instruction* i, Warp& w) {
    const auto* state = lanes<std::uint64_t>(w, i->a);
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d),
                               [&](unsigned l) { return MBarrier::pending_of(state[l]); });
    return i + 1;
}

/// cp.async: `count` bytes to shared memory; c holds how many to read, the rest is zero.
template <class AddressLane>
const Instruction* run_copy(const Instruction* i, Warp& w) {
    Access to, from;
    Layout layouts[2];
    const std::uint32_t size = i->count;
    if (!resolve<Space::shared, AddressLane>(i, w, to, {Space::shared, AccessKind::store, size}, layouts))
        return nullptr;
    const std::uint32_t* taken = lanes<std::uint32_t>(w, i->c);
    const std::uint32_t all = w.mask;
    std::uint32_t reading = 0;
    for_each_lane(all, [&](unsigned l) { reading |= std::uint32_t{taken[l] != 0} << l; });
    if (i->option) reading &= predicate(w, i->d) ^ (i->option == 1 ? ~0u : 0);
    read_addresses(w, &w.frame->code->operands[i->extra], from.address);
    w.mask = reading;
    const AccessShape shape{Space::global, AccessKind::load, size};
    const bool allowed = reading == 0 || check_lanes(w, i, from, shape);
    if (w.observer && allowed && reading != 0) [[unlikely]]
        observe(w, i, from, shape);
    w.mask = all;
    if (!allowed) return nullptr;
    w.wrote = true;
    for_each_lane(all, [&](unsigned l) {
        const std::uint32_t bytes = reading >> l & 1 ? std::min(taken[l], size) : 0;
        std::memset(to.at(l), 0, size);
        if (bytes) std::memcpy(to.at(l), from.at(l), bytes);
    });
    return i + 1;
}

/// st.async: to the shared memory of a block of the cluster, and the bytes are counted at its mbarrier object.
template <class AddressLane, class T, class L>
const Instruction* run_store_async(const Instruction* i, Warp& w) {
    Access to, object;
    Layout layouts[2];
    const unsigned elements = std::max<unsigned>(i->count, 1);
    const auto size = static_cast<std::uint32_t>(sizeof(T) * elements);
    if (!resolve<Space::shared, AddressLane>(i, w, to, {Space::shared, AccessKind::store, size}, layouts))
        return nullptr;
    layouts[0] = layouts[1] = Layout::scattered;
    const std::uint32_t* list = &w.frame->code->operands[i->extra];
    for (unsigned e = 0; e < elements; ++e) store_lanes<T, L>(w, to, layouts, lanes<L>(w, list[4 + e]), e, elements);
    w.wrote = true;
    read_addresses(w, list, object.address);
    return complete_bytes(i, w, object, [&](unsigned) { return size; }) ? i + 1 : nullptr;
}

void select_copy(Site& site) {
    if (site.operands() < 3 || site.operand(2).kind != ptx::Operand::Kind::integer) return site.refuse();
    const std::int64_t size = site.operand(2).integer;
    if (size != 4 && size != 8 && size != 16) return site.refuse();
    // After the size may come how much to read, or a predicate that says to read nothing; then the cache policy.
    const std::size_t last = site.operands() - (site.has(Mod::cache_hint) ? 1 : 0);
    const bool has_predicate = last > 3 && site.is_predicate(site.operand(3));
    if (has_predicate) {
        site.out.d = site.predicate(site.operand(3));
        site.out.option = site.operand(3).negated ? 2 : 1;
    }
    site.out.c = last > 3 && !has_predicate ? site.source(site.operand(3), u32)
                                            : site.constant(static_cast<std::uint64_t>(size), 4);
    site.out.count = static_cast<std::uint16_t>(size);
    std::vector<std::uint32_t> list;
    const auto memory = site.memory(site.operand(0), Space::shared);
    if (!add_second_address(site, site.operand(1), Space::global, list)) return site.refuse();
    site.out.extra = site.list(list);
    site.run(memory.wide ? run_copy<Lane64> : run_copy<Lane32>);
}

}  // namespace

void select_cp(Site& site) {
    if (!site.has(Mod::async)) return site.refuse();
    if (site.has(Mod::commit_group)) return site.run(run_commit);
    if (site.has(Mod::wait_group) || site.has(Mod::wait_all)) {
        const bool counts = site.operands() > 0 && site.operand(0).kind == ptx::Operand::Kind::integer;
        site.out.immediate = counts ? site.operand(0).integer : 0;
        return site.run(run_wait);
    }
    if (site.has(Mod::mbarrier)) {
        site.out.b = site.constant(1, 4);
        const auto memory = site.memory(site.operand(0), site.space());
        return site.run(site.has(Mod::noinc) ? copies_arrive_in<Act::arrive>(memory)
                                             : copies_arrive_in<Act::touch>(memory));
    }
    if (site.has(Mod::bulk)) return site.has(Mod::tensor) ? select_tensor_copy(site) : select_bulk_copy(site);
    if (site.has(Mod::reduce) || site.has(Mod::tensor)) return site.refuse();
    select_copy(site);
}

void select_store_async(Site& site) {
    const ptx::Operand& value = site.operand(1);
    const ptx::Type type = site.type();
    const unsigned bytes = type_bytes(type);
    if (site.operands() != 3 || !site.has(Mod::mbarrier_bytes) || site.space() != Space::shared ||
        (bytes != 4 && bytes != 8))
        return site.refuse();
    const bool vector = value.kind == ptx::Operand::Kind::vector;
    std::vector<std::uint32_t> list;
    if (!add_second_address(site, site.operand(2), Space::shared, list)) return site.refuse();
    for (const ptx::Operand& element : vector ? value.elements : std::vector{value})
        list.push_back(site.source(element, type));
    site.out.count = static_cast<std::uint16_t>(vector ? value.elements.size() : 0);
    const auto memory = site.memory(site.operand(0), Space::shared);
    site.out.extra = site.list(list);
    if (bytes == 8)
        return site.run(memory.wide ? &run_store_async<Lane64, std::uint64_t, Lane64>
                                    : &run_store_async<Lane32, std::uint64_t, Lane64>);
    site.run(memory.wide ? &run_store_async<Lane64, std::uint32_t, Lane32>
                         : &run_store_async<Lane32, std::uint32_t, Lane32>);
}

void select_mbarrier(Site& site) {
    if (site.has(Mod::pending_count)) {
        if (site.operands() != 2) return site.refuse();
        site.out.d = site.destination(site.operand(0), 4);
        site.out.a = site.source(site.operand(1), b64);
        return site.run(run_pending_count);
    }
    // init, inval, expect_tx and complete_tx give nothing; the others give a state or a predicate first.
    const bool waits = site.has(Mod::test_wait) || site.has(Mod::try_wait);
    const bool arrives = site.has(Mod::arrive) || site.has(Mod::arrive_drop);
    std::size_t next = 0;
    if (waits) {
        site.out.d = site.predicate_destination(site.operand(next++));
    } else if (arrives && site.operand(0).kind != ptx::Operand::Kind::address) {
        site.out.option = site.operand(0).kind != ptx::Operand::Kind::sink;
        site.out.d = site.destination(site.operand(next++), 8);
    }
    if (next >= site.operands()) return site.refuse();
    const auto memory = site.memory(site.operand(next++), site.space());
    const bool has_value = next < site.operands();
    if (has_value) {
        site.out.b = site.source(site.operand(next), waits && !site.has(Mod::parity) ? b64 : u32);
    } else {
        site.out.b = site.constant(1, 4);
    }
    if (waits)
        return site.run(site.has(Mod::parity) ? mbarrier_in<Act::test_parity>(memory) : mbarrier_in<Act::test>(memory));
    if (site.has(Mod::init)) return site.run(mbarrier_in<Act::init>(memory));
    if (site.has(Mod::inval)) return site.run(mbarrier_in<Act::inval>(memory));
    if (site.has(Mod::arrive_drop)) return site.run(mbarrier_in<Act::drop>(memory));
    if (site.has(Mod::expect_tx))
        return site.run(arrives ? mbarrier_in<Act::expect_and_arrive>(memory) : mbarrier_in<Act::expect>(memory));
    if (site.has(Mod::complete_tx)) return site.run(mbarrier_in<Act::complete>(memory));
    site.run(arrives ? mbarrier_in<Act::arrive>(memory) : nullptr);
}

}  // namespace cudash::virtual_gpu
