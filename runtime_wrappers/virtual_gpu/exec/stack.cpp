// alloca, stacksave, stackrestore (PTX ISA 9.7.14 "Stack Manipulation"). What alloca gives lies at the far end of the
// thread's local memory and goes back when its function returns or the saved stack is restored.
#include <fmt/format.h>

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;

/// d = the address, in local memory, of a[lane] bytes; `immediate` is the alignment.
const Instruction* run_alloca(const Instruction* i, Warp& w) {
    const auto* sizes = lanes<std::uint64_t>(w, i->a);
    auto* d = lanes<std::uint64_t>(w, i->d);
    const std::uint64_t step = static_cast<std::uint64_t>(i->immediate);
    const std::uint64_t frames = std::uint64_t{w.frame->stack_base} + w.frame->code->stack_bytes;
    const std::uint64_t limit = w.block->launch->stack_limit;
    const std::uint64_t left = limit > frames ? limit - frames : 0;
    const std::uint64_t lowest = std::max(std::uint64_t{w.local_base} + w.frame->code->local_bytes,
                                          w.local_size - std::min<std::uint64_t>(left, w.local_size));
    int bad_lane = -1;
    for_each_lane(w.mask, [&](unsigned l) {
        const std::uint64_t top = w.stack_top[l];
        const std::uint64_t begin = sizes[l] <= top ? (top - sizes[l]) / step * step : 0;
        if (sizes[l] > top || begin < lowest) {
            if (bad_lane < 0) bad_lane = static_cast<int>(l);
            return;
        }
        d[l] = begin;
        w.stack_top[l] = static_cast<std::uint32_t>(begin);
    });
    if (bad_lane < 0) return i + 1;
    return raise_stack_overflow(w, i, fmt::format("alloca of {} bytes needs", sizes[static_cast<unsigned>(bad_lane)]),
                                bad_lane);
}

const Instruction* run_stacksave(const Instruction* i, Warp& w) {
    write_lanes<std::uint64_t>(w, lanes<std::uint64_t>(w, i->d),
                               [&](unsigned l) -> std::uint64_t { return w.stack_top[l]; });
    return i + 1;
}

const Instruction* run_stackrestore(const Instruction* i, Warp& w) {
    const auto* saved = lanes<std::uint64_t>(w, i->a);
    int bad_lane = -1;
    for_each_lane(w.mask, [&](unsigned l) {
        if (saved[l] < w.stack_top[l] || saved[l] > w.local_size) {
            if (bad_lane < 0) bad_lane = static_cast<int>(l);
            return;
        }
        w.stack_top[l] = static_cast<std::uint32_t>(saved[l]);
    });
    if (bad_lane < 0) return i + 1;
    return raise(w, i, LaunchStatus::hardware_stack_error, "bad-stack-pointer",
                 "stackrestore of a value that stacksave did not give", bad_lane);
}

void mark(Site& site) {
    site.code().uses_alloca = true;
    site.program().uses_alloca = site.program().recursive = true;
}

}  // namespace

void select_alloca(Site& site) {
    constexpr std::int64_t default_alignment = 8;
    if (site.type() != u64 || site.operands() < 2 || site.operands() > 3) return site.refuse();
    site.out.immediate = default_alignment;
    if (site.operands() == 3) {
        const ptx::Operand& alignment = site.operand(2);
        const std::int64_t bytes = alignment.integer;
        if (alignment.kind != ptx::Operand::Kind::integer || bytes < 1 || bytes > (1 << 23) || (bytes & (bytes - 1)))
            return site.refuse("the alignment must be a power of two");
        site.out.immediate = bytes;
    }
    mark(site);
    site.out.d = site.destination(site.operand(0), 8);
    site.out.a = site.source(site.operand(1), u64);
    site.run(run_alloca);
}

void select_stacksave(Site& site) {
    if (site.type() != u64) return site.refuse();
    mark(site);
    site.out.d = site.destination(site.operand(0), 8);
    site.run(run_stacksave);
}

void select_stackrestore(Site& site) {
    if (site.type() != u64) return site.refuse();
    mark(site);
    site.out.a = site.source(site.operand(0), u64);
    site.run(run_stackrestore);
}

}  // namespace cudash::virtual_gpu
