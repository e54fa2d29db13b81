// %tid, %ctaid, %clock, ...: one row each.
#include "runtime_wrappers/virtual_gpu/exec/special_registers.h"

#include <charconv>
#include <iterator>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

using Value = std::uint64_t (*)(Warp&, const Instruction*, unsigned lane);

/// A clock that counts what the warp executed, at four cycles an instruction: the same in every run.
std::uint64_t cycles(const Warp& w, const Instruction* i) {
    return 4 * (w.warp_instructions + (i->ordinal - w.segment)) + w.clock.ahead;
}
/// The same where the warp may wait for it: who has read nothing else for a while, and written nothing, is let go on by
/// a part of the time that it has waited.
std::uint64_t waited_cycles(Warp& w, const Instruction* i) {
    constexpr std::uint64_t few_instructions = 4 * 32, part = 512;
    ClockWait& wait = w.clock;
    std::uint64_t now = cycles(w, i);
    if (wait.read != i || now - wait.last > few_instructions || w.wrote) {
        wait.read = i;
        wait.began = now;
    } else {
        const std::uint64_t skipped = (now - wait.began) / part;
        wait.ahead += skipped;
        now += skipped;
    }
    wait.last = now;
    return now;
}
std::uint64_t linear_block(const Warp& w) {
    return w.block->number;
}

// Blocks are dealt to multiprocessors in turn.
std::uint64_t multiprocessor(const Warp& w) {
    return linear_block(w) % w.block->launch->profile->multiprocessors;
}
/// What a block takes of the multiprocessor's shared memory, in units of 128 bytes, without what the system reserves.
std::uint64_t granted_shared(const Warp& w) {
    return (std::uint64_t{w.block->shared_bytes} + 127) / 128 * 128;
}
/// Unix time in nanoseconds: of a fixed day, so that it is the same in every run, and later in each launch.
std::uint64_t nanoseconds(Warp& w, const Instruction* i) {
    constexpr std::uint64_t begin_of_2026 = 1'767'225'600'000'000'000;
    return begin_of_2026 + w.block->launch->timer + w.block->launch->profile->nanoseconds(waited_cycles(w, i));
}

const Dim3& cluster(const Warp& w) {
    return w.block->launch->cluster;
}

struct Row {
    std::string_view name;
    Value value;
    bool grid_workspace = false, reserved_shared = false;
    bool by_lane = false;  ///< differs between the lanes of a warp
    bool by_warp = false;  ///< differs between the warps of a block that are at the same instruction
    bool by_launch = false;
};

#define CUDASH_VALUE(expression)                                     \
    [](Warp& w, const Instruction* i, unsigned l) -> std::uint64_t { \
        (void)w, (void)i, (void)l;                                   \
        return expression;                                           \
    }

constexpr Row rows[] = {
    {"%tid.x", CUDASH_VALUE(w.tid[0][l]), false, false, true},
    {"%tid.y", CUDASH_VALUE(w.tid[1][l]), false, false, true},
    {"%tid.z", CUDASH_VALUE(w.tid[2][l]), false, false, true},
    {"%ntid.x", CUDASH_VALUE(w.block->launch->block.x)},
    {"%ntid.y", CUDASH_VALUE(w.block->launch->block.y)},
    {"%ntid.z", CUDASH_VALUE(w.block->launch->block.z)},
    {"%ctaid.x", CUDASH_VALUE(w.block->id.x)},
    {"%ctaid.y", CUDASH_VALUE(w.block->id.y)},
    {"%ctaid.z", CUDASH_VALUE(w.block->id.z)},
    {"%nctaid.x", CUDASH_VALUE(w.block->launch->grid.x)},
    {"%nctaid.y", CUDASH_VALUE(w.block->launch->grid.y)},
    {"%nctaid.z", CUDASH_VALUE(w.block->launch->grid.z)},
    {"%laneid", CUDASH_VALUE(l), false, false, true},
    {"%warpid", CUDASH_VALUE(w.index), false, false, false, true},
    {"%nwarpid", CUDASH_VALUE(w.block->launch->profile->max_threads_per_multiprocessor / warp_size)},
    {"%smid", CUDASH_VALUE(multiprocessor(w))},
    {"%nsmid", CUDASH_VALUE(w.block->launch->profile->multiprocessors)},
    {"%gridid", CUDASH_VALUE(w.block->launch->grid_id), false, false, false, false, true},
    {"%lanemask_eq", CUDASH_VALUE(1u << l), false, false, true},
    {"%lanemask_lt", CUDASH_VALUE((1u << l) - 1), false, false, true},
    {"%lanemask_le", CUDASH_VALUE((2u << l) - 1), false, false, true},
    {"%lanemask_gt", CUDASH_VALUE(~((2u << l) - 1)), false, false, true},
    {"%lanemask_ge", CUDASH_VALUE(~((1u << l) - 1)), false, false, true},
    {"%clock", CUDASH_VALUE(waited_cycles(w, i)), false, false, false, true, true},
    {"%clock_hi", CUDASH_VALUE(cycles(w, i) >> 32), false, false, false, true, true},
    {"%clock64", CUDASH_VALUE(waited_cycles(w, i)), false, false, false, true, true},
    {"%globaltimer", CUDASH_VALUE(nanoseconds(w, i)), false, false, false, true, true},
    {"%globaltimer_lo", CUDASH_VALUE(nanoseconds(w, i)), false, false, false, true, true},
    {"%globaltimer_hi", CUDASH_VALUE(nanoseconds(w, i) >> 32), false, false, false, true, true},
    {"%dynamic_smem_size", CUDASH_VALUE(w.block->launch->dynamic_shared)},
    {"%total_smem_size", CUDASH_VALUE(granted_shared(w))},
    {"%aggr_smem_size", CUDASH_VALUE(w.block->shared_bytes + w.block->launch->profile->shared_reserved_per_block)},
    {"%envreg1", CUDASH_VALUE(w.block->launch->grid_workspace >> 32), true},
    {"%envreg2", CUDASH_VALUE(w.block->launch->grid_workspace), true},
    {"%reserved_smem_offset_begin", CUDASH_VALUE(w.block->launch->reserved_shared_at), false, true},
    {"%reserved_smem_offset_1", CUDASH_VALUE(w.block->launch->reserved_shared_at), false, true},
    {"%reserved_smem_offset_end", CUDASH_VALUE(w.block->launch->reserved_shared_at + 1024), false, true},
    {"%reserved_smem_offset_cap", CUDASH_VALUE(w.block->launch->reserved_shared_at + 1024), false, true},
    {"%reserved_smem_offset_0", CUDASH_VALUE(w.block->launch->reserved_shared_at), false, true},
    {"%current_graph_exec", CUDASH_VALUE(0)},
    // A launch without clusters has clusters of one block.
    {"%clusterid.x", CUDASH_VALUE(w.block->id.x / cluster(w).x)},
    {"%clusterid.y", CUDASH_VALUE(w.block->id.y / cluster(w).y)},
    {"%clusterid.z", CUDASH_VALUE(w.block->id.z / cluster(w).z)},
    {"%nclusterid.x", CUDASH_VALUE(w.block->launch->grid.x / cluster(w).x)},
    {"%nclusterid.y", CUDASH_VALUE(w.block->launch->grid.y / cluster(w).y)},
    {"%nclusterid.z", CUDASH_VALUE(w.block->launch->grid.z / cluster(w).z)},
    {"%cluster_ctaid.x", CUDASH_VALUE(w.block->id.x % cluster(w).x)},
    {"%cluster_ctaid.y", CUDASH_VALUE(w.block->id.y % cluster(w).y)},
    {"%cluster_ctaid.z", CUDASH_VALUE(w.block->id.z % cluster(w).z)},
    {"%cluster_nctaid.x", CUDASH_VALUE(cluster(w).x)},
    {"%cluster_nctaid.y", CUDASH_VALUE(cluster(w).y)},
    {"%cluster_nctaid.z", CUDASH_VALUE(cluster(w).z)},
    {"%cluster_ctarank", CUDASH_VALUE(w.block->rank)},
    {"%cluster_nctarank", CUDASH_VALUE(w.block->launch->cluster_blocks())},
    {"", CUDASH_VALUE(0)},  // those of is_zero()
};
#undef CUDASH_VALUE

/// What the driver alone knows (%envreg) or counts (%pm), and the fourth part of %tid and its kin, read as zero.
bool is_zero(std::string_view name) {
    auto numbered = [&](std::string_view prefix, unsigned count) {
        if (!name.starts_with(prefix)) return false;
        std::string_view rest = name.substr(prefix.size());
        if (prefix == "%pm" && rest.ends_with("_64")) rest.remove_suffix(3);
        unsigned number = count;
        const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        return status == std::errc() && end == rest.data() + rest.size() && number < count;
    };
    const bool fourth = name == "%tid.w" || name == "%ntid.w" || name == "%ctaid.w" || name == "%nctaid.w";
    return fourth || numbered("%pm", 8) || numbered("%envreg", 32);
}

const Row* find(std::string_view name) {
    if (name.empty()) return nullptr;
    for (const Row& row : rows)
        if (row.name == name) return &row;
    return is_zero(name) ? std::prev(std::end(rows)) : nullptr;
}

template <class L>
const Instruction* run_special(const Instruction* i, Warp& w) {
    const std::uint64_t value = rows[i->extra].value(w, i, 0);
    write_lanes<L>(w, lanes<L>(w, i->d), [&](unsigned) { return static_cast<L>(value); });
    return i + 1;
}
template <class L>
const Instruction* run_special_by_lane(const Instruction* i, Warp& w) {
    const Value value = rows[i->extra].value;
    L* d = lanes<L>(w, i->d);
    for_each_lane(w.mask, [&](unsigned l) { d[l] = static_cast<L>(value(w, i, l)); });
    return i + 1;
}

/// The rows of .x, .y and .z stand after each other; the fourth part is zero.
const Instruction* run_special_vector(const Instruction* i, Warp& w) {
    const std::uint32_t* list = &w.frame->code->operands[i->cache];
    for (unsigned part = 0; part < i->count; ++part) {
        auto* d = lanes<std::uint32_t>(w, list[part]);
        for_each_lane(w.mask, [&](unsigned l) {
            d[l] = part < 3 ? static_cast<std::uint32_t>(rows[i->extra + part].value(w, i, l)) : 0;
        });
    }
    return i + 1;
}

/// The thread index has its own: nearly every kernel reads it.
template <unsigned Axis>
const Instruction* run_tid(const Instruction* i, Warp& w) {
    const std::uint32_t* tid = w.tid[Axis];
    write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, i->d), [&](unsigned l) { return tid[l]; });
    return i + 1;
}

}  // namespace

bool differs_between_warps(std::string_view name) {
    const Row* row = find(name);
    return row && row->by_warp;
}

bool is_uniform_special_register(std::string_view name) {
    const Row* row = find(name);
    return row && !row->by_lane;
}

std::uint64_t uniform_special_register(std::size_t row, Warp& w, const Instruction* i) {
    return rows[row].value(w, i, 0);
}

bool is_special_register(std::string_view name) {
    return find(name) != nullptr;
}

Handler select_special_register(std::string_view name, unsigned bytes, Site& site) {
    const Row* row = find(name);
    if (!row) return nullptr;
    if (row->grid_workspace) site.program().uses_grid_sync = true;
    if (row->by_launch) site.program().has_other_effects = true;
    if (row->reserved_shared) site.program().uses_reserved_shared = true;
    site.out.extra = static_cast<std::uint32_t>(row - rows);
    // .u16 and .u32 reads of %tid exist beside each other; both have lanes of 4 bytes.
    if (bytes == 4 && site.out.extra < 3) {
        constexpr Handler axes[] = {run_tid<0>, run_tid<1>, run_tid<2>};
        return axes[site.out.extra];
    }
    if (row->by_lane) return bytes == 8 ? run_special_by_lane<std::uint64_t> : run_special_by_lane<std::uint32_t>;
    return bytes == 8 ? run_special<std::uint64_t> : run_special<std::uint32_t>;
}

Handler select_special_vector(std::string_view name, Site& site) {
    const Row* row = find(std::string(name) + ".x");
    if (!row || row->name.empty()) return nullptr;
    site.out.extra = static_cast<std::uint32_t>(row - rows);
    return run_special_vector;
}

}  // namespace cudash::virtual_gpu
