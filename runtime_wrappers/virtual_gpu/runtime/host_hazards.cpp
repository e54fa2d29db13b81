#include "runtime_wrappers/virtual_gpu/runtime/host_hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// Memory that both sides reach.
bool is_shared(MemoryKind kind) {
    return kind == MemoryKind::pinned || kind == MemoryKind::registered || kind == MemoryKind::managed;
}

const char* name_of(MemoryKind kind) {
    return kind == MemoryKind::managed ? "managed memory" : "page-locked memory";
}

}  // namespace

void HostHazards::add(const OperationPtr& operation, const Task& task, const SourceSpot& where, std::uint64_t begin,
                      std::uint64_t bytes, bool reads, bool writes, bool is_kernel) {
    uses_.push_back({operation, &task, begin, begin + bytes, reads, writes, is_kernel, issues_, where});
    changed_ |= spans_.emplace(begin, begin + bytes, writes).second;
}

void HostHazards::add_rows(const OperationPtr& operation, const Task& task, const SourceSpot& where, const Rows& rows,
                           const Box& box, bool writes) {
    if (rows.array || !rows.pointer || box.empty()) return;
    const auto address = reinterpret_cast<std::uint64_t>(rows.pointer);
    const auto allocation = gpu_.memory.space->find(address);
    if (!allocation || !is_shared(allocation->kind)) return;
    constexpr std::uint64_t most_rows = 4096;
    const bool dense =
        (box.height == 1 || rows.pitch == box.width) && (box.depth == 1 || rows.slice == box.width * box.height);
    if (dense) return add(operation, task, where, address, box.bytes(), !writes, writes, false);
    if (box.height * box.depth > most_rows) return;
    for (std::uint64_t z = 0; z < box.depth; ++z)
        for (std::uint64_t y = 0; y < box.height; ++y)
            add(operation, task, where, address + z * rows.slice + y * rows.pitch, box.width, !writes, writes, false);
}

void HostHazards::add_kernel(const OperationPtr& operation, const Task& task, const SourceSpot& where) {
    const KernelTask& kernel = std::get<KernelTask>(task);
    std::vector<std::uint64_t> seen;
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= kernel.parameters.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t address = 0;
        std::memcpy(&address, &kernel.parameters[at], sizeof address);
        const auto allocation = gpu_.memory.space->find(address);
        if (!allocation || !is_shared(allocation->kind)) continue;
        if (std::find(seen.begin(), seen.end(), allocation->begin) != seen.end()) continue;
        seen.push_back(allocation->begin);
        add(operation, task, where, allocation->begin, allocation->size, true, true, true);
    }
}

void HostHazards::issued(const OperationPtr& operation, const Task& task, const SourceSpot& where) {
    if (!gpu_.checks->selection().has(Checker::host_race)) return;
    ++issues_;
    PageGuard::count_issue();
    if (const auto* copy = std::get_if<CopyTask>(&task)) {
        add_rows(operation, task, where, copy->dst, copy->box, true);
        if (!copy->staged) add_rows(operation, task, where, copy->src, copy->box, false);
    } else if (const auto* fill = std::get_if<FillTask>(&task)) {
        add_rows(operation, task, where, fill->dst, fill->box, true);
    } else if (const auto* library = std::get_if<LibraryTask>(&task)) {
        for (const LibraryTask::Operand& operand : library->operands)
            add_rows(operation, task, where, operand.rows, operand.box, operand.written);
    } else if (std::holds_alternative<KernelTask>(task)) {
        add_kernel(operation, task, where);
    } else if (const auto* conditional = std::get_if<ConditionalTask>(&task); conditional && conditional->launched) {
        for (const auto& body : conditional->launched->graphs) add_kernels(operation, body, where);
    }
}

/// Of the body of a conditional node: whether they run is known when they have.
void HostHazards::add_kernels(const OperationPtr& operation, const std::vector<ExecutableNode>& nodes,
                              const SourceSpot& where) {
    for (const ExecutableNode& node : nodes) {
        if (node.enabled && std::holds_alternative<KernelTask>(*node.task)) add_kernel(operation, *node.task, where);
        add_kernels(operation, node.children, where);
        for (const auto& body : node.bodies) add_kernels(operation, body, where);
    }
}

void HostHazards::tell(const HostAccess& access, const SourceSpot& at, const char* what, bool work_writes,
                       std::optional<Diagnostic::Note> other, const SourceSpot& asked) {
    std::string place = fmt::format("address {:#x}", access.address);
    if (const auto allocation = gpu_.memory.space->find(access.address))
        place = fmt::format("byte {} of {} bytes of {}{}", access.address - allocation->begin, allocation->size,
                            name_of(allocation->kind),
                            allocation->origin.empty() ? "" : fmt::format(" ({})", allocation->origin));
    Diagnostic found = error(
        "host-race", fmt::format("host code {} {} while a {} that {} it is pending", access.writes ? "writes" : "reads",
                                 place, what, work_writes ? "writes" : "reads"));
    found.where = at;
    if (other) found.notes.push_back(std::move(*other));
    found.notes.push_back({fmt::format("the {} was asked for", what), asked});
    found.hint = access.writes && !work_writes
                     ? "wait before the memory is used again: cudaStreamSynchronize, or cudaEventSynchronize after it"
                     : "wait before host code uses the result: cudaDeviceSynchronize, or cudaStreamSynchronize of its "
                       "stream";
    tell_finding(gpu_, std::move(found), gpu_.place());
}

/// Host code ran until here: what it touched is compared with what was pending then.
bool HostHazards::judge(Cause cause) {
    bool spins = false;
    for (const HostAccess& access : PageGuard::take()) {
        spins |= access.again;
        if (cause == Cause::host_waits || cause == Cause::kernel_waits || access.again || !gpu_.active.events.spot)
            continue;
        const auto where = gpu_.active.events.spot(std::span(access.stack).first(access.depth));
        if (!where) continue;
        for (const Use& use : uses_) {
            if (use.operation->done || use.number > access.issued || access.address < use.begin ||
                access.address >= use.end)
                continue;
            if (use.is_kernel) {
                suspects_.push_back({use.task, access, *where});
            } else if (access.writes || use.writes) {
                const bool is_fill = std::holds_alternative<FillTask>(*use.task);
                tell(access, *where, is_fill ? "fill" : "copy", use.writes, std::nullopt, use.where);
            }
        }
    }
    return spins;
}

bool HostHazards::work_begins(Cause cause) {
    PageGuard::release();
    changed_ = true;
    return judge(cause);
}

void HostHazards::kernel_begins(const Task& task) {
    gpu_.checks->watched.clear();
    for (const Suspect& suspect : suspects_)
        if (suspect.task == &task) gpu_.checks->watched.push_back({.address = suspect.access.address});
}

void HostHazards::kernel_ends(const Task& task) {
    std::size_t next = 0;
    for (const Suspect& suspect : suspects_) {
        if (suspect.task != &task || next == gpu_.checks->watched.size()) continue;
        const WatchedByte& seen = gpu_.checks->watched[next++];
        if (!seen.written && !(seen.read && suspect.access.writes)) continue;
        SourceSpot asked;
        for (const Use& use : uses_)
            if (use.task == &task) asked = use.where;
        Diagnostic::Note other{fmt::format("{} of {} {} it", name_of_thread(seen.thread),
                                           std::get<KernelTask>(task).display, seen.written ? "writes" : "reads"),
                               seen.where};
        tell(suspect.access, suspect.where, "kernel", seen.written, std::move(other), asked);
    }
    gpu_.checks->watched.clear();
    std::erase_if(suspects_, [&](const Suspect& suspect) { return suspect.task == &task; });
}

/// The pages that pending work writes (`reads_too`), or reads or writes. A page that the memory shares with
/// something else is left alone, as is one that is used only in part. In ascending order.
std::vector<GuardedPages> HostHazards::pages_of_uses(bool reads_too) const {
    struct Span {
        std::uint64_t begin, end;
    };
    std::vector<Span> spans;
    for (const auto& [begin, end, writes] : spans_)
        if (!reads_too || writes) spans.push_back({begin, end});
    std::vector<Span> merged;
    for (const Span& span : spans)
        if (!merged.empty() && span.begin <= merged.back().end)
            merged.back().end = std::max(merged.back().end, span.end);
        else
            merged.push_back(span);
    std::vector<GuardedPages> pages;
    const std::uint64_t page = page_size();
    for (Span span : merged) {
        const auto allocation = gpu_.memory.space->find(span.begin);
        if (!allocation) continue;
        // Memory that CUDA allocated has its pages for itself.
        const bool own_pages = allocation->kind != MemoryKind::registered && allocation->begin % page == 0;
        span.end = std::min(span.end, allocation->end());
        span.begin = (span.begin + page - 1) / page * page;
        span.end =
            own_pages && span.end == allocation->end() ? (span.end + page - 1) / page * page : span.end / page * page;
        if (span.begin < span.end) pages.push_back({span.begin, span.end, reads_too});
    }
    return pages;
}

/// None twice: what is written is guarded against all accesses.
std::vector<GuardedPages> HostHazards::pages_to_guard() const {
    std::vector<GuardedPages> pages = pages_of_uses(true);
    const std::vector<GuardedPages> written = pages;
    std::size_t next = 0;
    for (GuardedPages used : pages_of_uses(false)) {
        while (next < written.size() && written[next].end <= used.begin) ++next;
        for (std::size_t k = next; k < written.size() && written[k].begin < used.end; ++k) {
            if (used.begin < written[k].begin) pages.push_back({used.begin, written[k].begin, false});
            used.begin = std::min(written[k].end, used.end);
        }
        if (used.begin < used.end) pages.push_back(used);
    }
    return pages;
}

void HostHazards::call_ends() {
    // A host function that runs in a stream calls; the rest goes on behind it.
    if (!changed_ || gpu_.scheduler.running_operations()) return;
    changed_ = false;
    std::erase_if(uses_, [](const Use& use) { return use.operation->done; });
    spans_.clear();
    for (const Use& use : uses_) spans_.emplace(use.begin, use.end, use.writes);
    std::erase_if(suspects_, [&](const Suspect& suspect) {
        return std::none_of(uses_.begin(), uses_.end(), [&](const Use& use) { return use.task == suspect.task; });
    });
    std::vector<GuardedPages> pages = pages_to_guard();
    if (pages == guarded_ && PageGuard::any()) return;
    guarded_ = std::move(pages);
    PageGuard::guard(guarded_);
}

void HostHazards::forget() {
    PageGuard::release();
    (void)PageGuard::take();
    uses_.clear();
    spans_.clear();
    suspects_.clear();
}

bool HostHazards::is_wrong_free(std::uint64_t address, const char* function) {
    const auto allocation = gpu_.memory.space->find(address);
    if (!allocation) return false;
    const bool pinned = allocation->kind == MemoryKind::pinned, managed = allocation->kind == MemoryKind::managed;
    if (!pinned && !managed && allocation->kind != MemoryKind::device) return false;
    Diagnostic found = error("wrong-free",
                             fmt::format("{} of {}: malloc did not allocate it", function,
                                         pinned    ? "page-locked memory, which is cudaMallocHost's or cudaHostAlloc's"
                                         : managed ? "managed memory"
                                                   : "device memory"),
                             fmt::format("{} frees it", pinned ? "cudaFreeHost" : "cudaFree"));
    found.where = gpu_.place();
    found.notes.push_back({fmt::format("{} bytes{}; they stay allocated", allocation->size,
                                       allocation->origin.empty() ? "" : fmt::format(" ({})", allocation->origin)),
                           {}});
    tell_finding(gpu_, std::move(found), gpu_.place());
    return true;
}

void HostHazards::host_frees(std::uint64_t address) {
    const auto allocation = gpu_.memory.space->find(address);
    if (!allocation || allocation->kind != MemoryKind::registered || allocation->begin != address) return;
    const auto use = std::find_if(uses_.begin(), uses_.end(), [&](const Use& each) {
        return !each.operation->done && each.begin < allocation->end() && each.end > allocation->begin;
    });
    const bool pending = use != uses_.end();
    Diagnostic found =
        error("freed-while-used", pending ? fmt::format("host memory of {} bytes is freed while a {} that uses it is "
                                                        "pending",
                                                        allocation->size, use->is_kernel ? "kernel" : "copy")
                                          : fmt::format("host memory of {} bytes is freed while it is registered with "
                                                        "the device",
                                                        allocation->size));
    found.where = gpu_.place();
    if (pending)
        found.notes.push_back({fmt::format("the {} was asked for", use->is_kernel ? "kernel" : "copy"), use->where});
    found.notes.push_back({"registered by cudaHostRegister: " + allocation->origin, {}});
    found.hint = pending ? "wait for the stream, then cudaHostUnregister, then free" : "cudaHostUnregister before free";
    tell_finding(gpu_, std::move(found), gpu_.place());
    // The memory is still there: what is pending can use it for the last time.
    (void)gpu_.scheduler.wait_for_devices();
    gpu_.memory.leave_registered(address);
}

}  // namespace cudash::virtual_gpu::runtime
