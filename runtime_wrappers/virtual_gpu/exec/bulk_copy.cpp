#include "runtime_wrappers/virtual_gpu/exec/bulk_copy.h"

#include "runtime_wrappers/virtual_gpu/exec/atomic_update.h"
#include "runtime_wrappers/virtual_gpu/exec/lane_pieces.h"
#include "runtime_wrappers/virtual_gpu/exec/mbarrier.h"
#include "runtime_wrappers/virtual_gpu/isa/image_work.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;
using ptx::Space;

template <class T, T (*Function)(T, T)>
void reduce(std::byte* memory, const std::byte* value) {
    T operand;
    std::memcpy(&operand, value, sizeof operand);
    bool changed = false;
    updates::update<T, Function, false>(memory, operand, changed);
}

template <class T>
Reduce integer_reduction(Mod operation) {
    using namespace updates;
    switch (operation) {
        case Mod::add:
            return &reduce<T, semantics::add<T>>;
        case Mod::min:
            return &reduce<T, semantics::min<T>>;
        case Mod::max:
            return &reduce<T, semantics::max<T>>;
        case Mod::and_:
            return &reduce<T, semantics::bits_and<T>>;
        case Mod::or_:
            return &reduce<T, semantics::bits_or<T>>;
        case Mod::xor_:
            return &reduce<T, semantics::bits_xor<T>>;
        default:
            return nullptr;
    }
}

template <semantics::Format F>
Reduce half_reduction(Mod operation) {
    using namespace updates;
    if (operation == Mod::add) return &reduce<std::uint16_t, add_16<F>>;
    if (operation == Mod::min) return &reduce<std::uint16_t, min_16<F>>;
    return operation == Mod::max ? &reduce<std::uint16_t, max_16<F>> : nullptr;
}

/// cp.async.bulk: each lane copies its own number of bytes (register b), or reduces with them. Its list has where to,
/// where from, the mbarrier object, and the register of the blocks that get it; what there is not has no_operand.
struct BulkWork {
    const std::uint32_t *to, *from, *barrier = nullptr, *blocks = nullptr;
    explicit BulkWork(const std::uint32_t* list) : to(list), from(list + 4) {
        if (list[8] != no_operand) barrier = list + 8;
        if (list[12] != no_operand) blocks = list + 12;
    }
};

template <Space To, Space From>
const Instruction* run_bulk_copy(const Instruction* i, Warp& w) {
    const BulkWork work(&w.frame->code->operands[i->extra]);
    const std::uint32_t* sizes = lanes<std::uint32_t>(w, i->b);
    std::uint64_t to[warp_size], from[warp_size], barrier[warp_size];
    read_addresses(w, work.to, to);
    read_addresses(w, work.from, from);
    if (work.barrier) read_addresses(w, work.barrier, barrier);
    const Reduce reduce =
        i->option ? reduction_of(static_cast<Mod>(i->option), static_cast<ptx::Type>(i->count), To == Space::shared)
                  : nullptr;
    const std::uint32_t element = reduce ? type_bytes(static_cast<ptx::Type>(i->count)) : 16;
    const AccessShape target{To, reduce ? AccessKind::atomic : AccessKind::store, element};
    const AccessShape source{From, AccessKind::load, element};
    for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        LanePieces pieces(i, w, l);
        const std::uint32_t blocks = work.blocks ? lanes<std::uint32_t>(w, *work.blocks)[l] & 0xFFFF : 0;
        const Targets targets(w.block->cluster != nullptr, to[l], blocks);
        // In pieces of 16 bytes, which both addresses and the size are multiples of (PTX ISA, "cp.async.bulk").
        for (std::uint32_t at = 0; at < sizes[l]; at += element) {
            const std::byte* const read = pieces.reach(from[l] + at, source);
            if (!read) return nullptr;
            for (const std::uint64_t address : targets) {
                std::byte* const written = pieces.reach(address + at, target);
                if (!written) return nullptr;
                if (reduce)
                    reduce(written, read);
                else
                    std::memcpy(written, read, 16);
            }
        }
        if (!work.barrier) continue;
        for (const std::uint64_t address : Targets(w.block->cluster != nullptr, barrier[l], blocks)) {
            Access object;
            object.address[l] = address;
            if (!complete_bytes(i, w, object, [&](unsigned lane) { return sizes[lane]; })) return nullptr;
        }
    }
    end_copy(w);
    return i + 1;
}

/// cp.async.bulk.prefetch fetches nothing here, but its address must be a multiple of 16.
const Instruction* run_bulk_prefetch(const Instruction* i, Warp& w) {
    Access access;
    const std::uint32_t all = w.mask;
    std::uint32_t misaligned = 0;
    read_addresses(w, &w.frame->code->operands[i->extra], access.address);
    for_each_lane(all, [&](unsigned l) { misaligned |= std::uint32_t{access.address[l] % 16 != 0} << l; });
    w.mask = misaligned;
    const bool allowed = misaligned == 0 || check_lanes(w, i, access, {Space::global, AccessKind::load, 16});
    w.mask = all;
    return allowed ? i + 1 : nullptr;
}
void select_bulk_prefetch(Site& site) {
    std::vector<std::uint32_t> list;
    if (site.operands() < 2 || !add_second_address(site, site.operand(0), Space::global, list)) return site.refuse();
    site.out.extra = site.list(list);
    site.run(run_bulk_prefetch);
}

}  // namespace

Targets::Targets(bool in_cluster, std::uint64_t address, std::uint32_t mask) {
    if (mask == 0) addresses_[count_++] = address;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto rank = static_cast<unsigned>(std::countr_zero(rest));
        addresses_[count_++] = !in_cluster && rank == 0 ? address : cluster_address(address, rank);
    }
}

Reduce reduction_of(Mod operation, ptx::Type type, bool to_shared) {
    using namespace updates;
    const bool bitwise = operation == Mod::and_ || operation == Mod::or_ || operation == Mod::xor_;
    if (operation == Mod::inc) return type == u32 ? &reduce<std::uint32_t, wrap_up> : nullptr;
    if (operation == Mod::dec) return type == u32 ? &reduce<std::uint32_t, wrap_down> : nullptr;
    switch (type) {
        case b32:
            return bitwise ? integer_reduction<std::uint32_t>(operation) : nullptr;
        case b64:
            return bitwise && !to_shared ? integer_reduction<std::uint64_t>(operation) : nullptr;
        case u32:
            return integer_reduction<std::uint32_t>(operation);
        case s32:
            return integer_reduction<std::int32_t>(operation);
        case u64:
            return !to_shared || operation == Mod::add ? integer_reduction<std::uint64_t>(operation) : nullptr;
        case s64:
            return to_shared ? nullptr : integer_reduction<std::int64_t>(operation);
        case f32:
            return operation == Mod::add && !to_shared ? &reduce<float, add_single_in_cache> : nullptr;
        case f64:
            return operation == Mod::add && !to_shared ? &reduce<double, add_double_in_cache> : nullptr;
        case f16:
            return to_shared ? nullptr : half_reduction<semantics::format_f16>(operation);
        case bf16:
            return to_shared ? nullptr : half_reduction<semantics::format_bf16>(operation);
        default:
            return nullptr;
    }
}

Mod operation_of(const Site& site) {
    for (const Mod each : {Mod::add, Mod::min, Mod::max, Mod::inc, Mod::dec, Mod::and_, Mod::or_, Mod::xor_})
        if (site.has(each)) return each;
    return Mod::count;
}

void select_bulk_copy(Site& site) {
    if (site.has(Mod::prefetch)) return select_bulk_prefetch(site);
    const bool to_shared = site.space(0) == Space::shared, from_global = site.space(1) == Space::global;
    const bool is_reduction = site.has(Mod::reduce);
    if (site.operands() < 3 || site.modifiers.spaces.size() != 2 || (!to_shared && from_global) ||
        (is_reduction && from_global))
        return site.refuse();
    std::vector<std::uint32_t> list;
    bool plain = add_second_address(site, site.operand(0), site.space(0), list);
    plain &= add_second_address(site, site.operand(1), site.space(1), list);
    site.out.b = site.source(site.operand(2), u32);
    if (to_shared && site.operands() < 4) return site.refuse();
    if (to_shared)
        plain &= add_second_address(site, site.operand(3), Space::shared, list);
    else
        list.insert(list.end(), 4, no_operand);
    if (site.has(Mod::multicast) && (!to_shared || site.operands() < 5)) return site.refuse();
    list.push_back(site.has(Mod::multicast) ? site.source(site.operand(4), u16) : no_operand);
    if (!plain) return site.refuse();
    if (is_reduction) {
        const Mod operation = operation_of(site);
        const ptx::Type type = site.type();
        if (operation == Mod::count || !reduction_of(operation, type, to_shared)) return site.refuse();
        site.out.option = static_cast<std::uint16_t>(operation);
        site.out.count = static_cast<std::uint16_t>(type);
        // The rounding of sums shows the order of blocks.
        if (is_float(type) && !to_shared) site.order_matters();
    }
    site.out.extra = site.list(list);
    if (to_shared && !from_global) return site.run(&run_bulk_copy<Space::shared, Space::shared>);
    site.run(to_shared ? &run_bulk_copy<Space::shared, Space::global> : &run_bulk_copy<Space::global, Space::shared>);
}

}  // namespace cudash::virtual_gpu
