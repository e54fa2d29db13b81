#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

#include <array>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/copy_checks.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// What a kind says of its two sides: each must be memory that the device knows. Page-locked and managed memory serve
/// as either side (recorded on an H200), so that the other direction cannot be told from the pointers alone.
struct KindRule {
    bool dst_on_device, src_on_device;
};
constexpr std::array<KindRule, 5> kind_rules = {
    KindRule{false, false},  // cudaMemcpyHostToHost
    KindRule{true, false},   // cudaMemcpyHostToDevice
    KindRule{false, true},   // cudaMemcpyDeviceToHost
    KindRule{true, true},    // cudaMemcpyDeviceToDevice
    KindRule{false, false},  // cudaMemcpyDefault
};

/// Bytes from the first to the end of the last row; nullopt if they are more than addresses there are.
std::optional<std::uint64_t> span_of(const Rows& rows, const Box& box) {
    std::uint64_t slices, lines, sum, span;
    if (__builtin_mul_overflow(box.depth - 1, rows.slice, &slices) ||
        __builtin_mul_overflow(box.height - 1, rows.pitch, &lines) || __builtin_add_overflow(slices, lines, &sum) ||
        __builtin_add_overflow(sum, box.width, &span))
        return std::nullopt;
    std::uint64_t end;
    if (__builtin_add_overflow(reinterpret_cast<Address>(rows.pointer), span, &end)) return std::nullopt;
    return span;
}

std::string whose(const Allocation& allocation) {
    std::string text = fmt::format("allocation #{} of {} bytes", allocation.serial, allocation.size);
    if (!allocation.origin.empty()) text += fmt::format(" ({})", allocation.origin);
    return text;
}

cudaError_t refuse_unknown_device_address(Gpu& gpu, const void* pointer, const char* role) {
    const Address address = reinterpret_cast<Address>(pointer);
    const auto near = gpu.memory.space->nearest(address);
    if (near && near->released && near->allocation.contains(address, 1))
        return refuse_with_hint(cudaErrorInvalidValue,
                                fmt::format("{} points into {}, which was freed", role, whose(near->allocation)),
                                "copy before cudaFree, or allocate again");
    if (near && !near->released && address >= near->allocation.end())
        return refuse(cudaErrorInvalidValue, "{} is {} bytes past the end of {}", role,
                      address - near->allocation.end(), whose(near->allocation));
    return refuse(cudaErrorInvalidValue, "{} is a device address where nothing is allocated", role);
}

Side::Where where_is(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::pinned:
        case MemoryKind::registered:
            return Side::Where::locked;
        case MemoryKind::managed:
            return Side::Where::managed;
        case MemoryKind::device:
        case MemoryKind::variable:
        case MemoryKind::heap:
            return Side::Where::device;
    }
    return Side::Where::pageable;
}

Link link_of(const Side& dst, const Side& src) {
    if (dst.where == Side::Where::device && src.where == Side::Where::device) return Link::device;
    const bool pageable = dst.where == Side::Where::pageable || src.where == Side::Where::pageable;
    return pageable ? Link::pageable : Link::pinned;
}

template <class Row>
void each_row(const Box& box, Row row) {
    for (std::uint64_t z = 0; z < box.depth; ++z)
        for (std::uint64_t y = 0; y < box.height; ++y) row(y, z);
}

/// One row if the rows follow each other without a gap.
Box joined(Box box, const Rows& a, const Rows& b) {
    const auto dense = [&](const Rows& rows) {
        return (box.height == 1 || rows.pitch == box.width) && (box.depth == 1 || rows.slice == box.width * box.height);
    };
    if (dense(a) && dense(b)) return {.width = box.bytes()};
    return box;
}

}  // namespace

namespace {

/// Copies don't reach the device's heap; fills do (recorded on an H200).
cudaError_t refuse_heap(Gpu& gpu, const Rows& rows) {
    if (rows.array) return cudaSuccess;
    const auto allocation = gpu.memory.space->find(reinterpret_cast<Address>(rows.pointer));
    if (!allocation || allocation->kind != MemoryKind::heap) return cudaSuccess;
    return refuse_with_hint(cudaErrorInvalidValue,
                            fmt::format("{} is memory that malloc() in device code gave, and the host can't copy it",
                                        fmt::ptr(rows.pointer)),
                            "copy it in a kernel to memory of cudaMalloc");
}

}  // namespace

cudaError_t locate(Gpu& gpu, const Rows& rows, const Box& box, const char* role, Side& side) {
    if (rows.array) {
        if (rows.array->released()) return refuse(cudaErrorInvalidValue, "the CUDA array of {} was freed", role);
        side.where = Side::Where::device;
        side.bytes = rows.array->bytes() + rows.offset;
        return cudaSuccess;
    }
    const auto span = span_of(rows, box);
    if (!span && box.height == 1 && box.depth == 1)
        return refuse_with_hint(cudaErrorInvalidValue, fmt::format("no memory holds {} bytes", box.width),
                                hint_of_size(box.width));
    if (!span) return refuse(cudaErrorInvalidValue, "the pitch of {} is larger than any memory", role);
    const Address address = reinterpret_cast<Address>(rows.pointer);
    if (const auto allocation = gpu.memory.space->find(address)) {
        if (!allocation->contains(address, *span))
            return refuse_with_hint(cudaErrorInvalidValue,
                                    fmt::format("{} bytes do not fit: {} points {} bytes into {}", *span, role,
                                                address - allocation->begin, whose(*allocation)),
                                    address == allocation->begin && *span % allocation->size == 0
                                        ? "is the allocation too small? Sizes are in bytes: cudaMalloc(&p, n * "
                                          "sizeof(*p))"
                                        : "copy at most what both sides have; sizes are in bytes");
        const AllocationRecord* block = gpu.memory.record_at(allocation->begin);
        if (block && block->free_issued && !gpu.scheduler.running_operations())
            return refuse(cudaErrorInvalidValue, "{} points into memory that cudaFreeAsync was given", role);
        side.where = where_is(allocation->kind);
        side.bytes = reinterpret_cast<std::byte*>(address + static_cast<std::uint64_t>(allocation->host_offset));
        return cudaSuccess;
    }
    if (!rows.pointer) return refuse(cudaErrorInvalidValue, "{} is a null pointer", role);
    if (gpu.memory.space->is_device_range(address)) return refuse_unknown_device_address(gpu, rows.pointer, role);
    if (!is_mapped(rows.pointer, *span))
        return refuse(cudaErrorInvalidValue, "{} bytes at {} are not all memory of this program", *span, role);
    side.where = Side::Where::pageable;
    side.bytes = static_cast<std::byte*>(const_cast<void*>(rows.pointer));
    return cudaSuccess;
}

cudaError_t check_kind(cudaMemcpyKind kind) {
    if (kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault) return cudaSuccess;
    return refuse(cudaErrorInvalidMemcpyDirection, "there is no cudaMemcpyKind {}", static_cast<int>(kind));
}

cudaError_t check_copy(Gpu& gpu, const CopyTask& task, Side& to, Side& from) {
    if (const cudaError_t bad = check_kind(task.kind); bad != cudaSuccess) return bad;
    if (const cudaError_t lost = gpu.context.status(); lost != cudaSuccess) return lost;
    for (const Rows* rows : {&task.dst, &task.src})
        if (const cudaError_t bad = refuse_heap(gpu, *rows); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = locate(gpu, task.dst, task.box, "dst", to); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = locate(gpu, task.src, task.box, "src", from); bad != cudaSuccess) return bad;
    const KindRule rule = kind_rules[task.kind];
    for (const auto& [needed, side, role] :
         {std::tuple(rule.dst_on_device, &to, "dst"), std::tuple(rule.src_on_device, &from, "src")})
        if (needed && !side->known_to_device())
            return refuse_with_hint(
                cudaErrorInvalidValue,
                fmt::format("the kind says that {} is on the device, but it is ordinary host memory", role),
                "dst comes first, then src; is one of them the address of a pointer, &p, in place of p? "
                "cudaMemcpyDefault finds "
                "the direction");
    return cudaSuccess;
}

cudaError_t copy(Gpu& gpu, const Rows& dst, const Rows& src, const Box& box, cudaMemcpyKind kind, Stream& stream,
                 Wait wait) {
    CopyTask task{.dst = dst, .src = src, .box = box, .kind = kind};
    Side to, from;
    if (const cudaError_t bad = check_copy(gpu, task, to, from); bad != cudaSuccess) return bad;
    look_at_copy(gpu, task, to, from);
    const bool host_to_host = to.on_host() && from.on_host();
    // "For transfers from device memory to device memory, no host-side synchronization is performed."
    bool waits =
        wait == Wait::host ? link_of(to, from) != Link::device : host_to_host || to.where == Side::Where::pageable;
    if (wait == Wait::host) {
        const cudaError_t bad = stream.legacy ? refuse_implicit_dependency(gpu, stream.device) : cudaSuccess;
        if (bad != cudaSuccess) return bad;
    }
    if (wait == Wait::none && !stream.capture && from.where == Side::Where::pageable && !waits) {
        // "[...] host memory is copied to a staging buffer immediately": a large one is waited for instead.
        constexpr std::uint64_t most_staged = 64ull << 20;
        if (box.bytes() > most_staged) {
            waits = true;
        } else {
            auto staged = std::make_shared<std::vector<std::byte>>(box.bytes());
            each_row(box, [&](std::uint64_t y, std::uint64_t z) {
                std::memcpy(staged->data() + (z * box.height + y) * box.width,
                            from.bytes + y * src.pitch + z * src.slice, box.width);
            });
            task.src = {.pointer = staged->data(), .pitch = box.width, .slice = box.width * box.height};
            task.staged = std::move(staged);
        }
    }
    OperationPtr issued;
    const cudaError_t status = gpu.submit(stream, std::move(task), &issued);
    if (status != cudaSuccess || !waits || !issued) return status;
    return gpu.scheduler.wait_for({issued});
}

namespace {

Address address_of(const Rows& rows, std::uint64_t y, std::uint64_t z) {
    return reinterpret_cast<Address>(rows.pointer) + y * rows.pitch + z * rows.slice;
}

/// Tells the checkers what is written to device memory, and from it to the host.
void note_copy(Gpu& gpu, const CopyTask& task, const Box& rows, const Side& to, const Side& from) {
    const bool to_device = !task.dst.array && to.where == Side::Where::device;
    const bool from_device = !task.src.array && from.where == Side::Where::device;
    std::optional<Diagnostic> found;
    each_row(rows, [&](std::uint64_t y, std::uint64_t z) {
        const Address source = address_of(task.src, y, z), target = address_of(task.dst, y, z);
        if (to_device && from_device)
            gpu.checks->memory_copied(target, source, rows.width);
        else if (to_device)
            gpu.checks->memory_written(target, rows.width);
        else if (from_device && !found)
            found = gpu.checks->copied_to_host(*gpu.memory.space, source, rows.width);
        if (gpu.scheduler.uses && !task.src.array && !task.staged)
            gpu.scheduler.uses->add(Use::read, source, rows.width);
        if (gpu.scheduler.uses && !task.dst.array) gpu.scheduler.uses->add(Use::write, target, rows.width);
    });
    if (found) tell_finding(gpu, std::move(*found), gpu.place());
}

}  // namespace

std::optional<Usage> run_copy(Gpu& gpu, const CopyTask& task) {
    Side to, from;
    cudaError_t status = locate(gpu, task.dst, task.box, "dst", to);
    if (task.staged)
        from = {.where = Side::Where::pageable, .bytes = const_cast<std::byte*>(task.staged->data())};
    else if (status == cudaSuccess)
        status = locate(gpu, task.src, task.box, "src", from);
    if (status == cudaSuccess && to.where == Side::Where::device)
        status = gpu.memory.check_host_room(to.bytes, task.box.bytes());
    if (status != cudaSuccess) return std::nullopt;
    const Box rows = joined(task.box, task.dst, task.src);
    note_copy(gpu, task, rows, to, from);
    bool changes = false;
    each_row(rows, [&](std::uint64_t y, std::uint64_t z) {
        std::byte* target = to.bytes + y * task.dst.pitch + z * task.dst.slice;
        const std::byte* source = from.bytes + y * task.src.pitch + z * task.src.slice;
        // Programs that time a kernel copy its input again: kernels on it need not run again (exec/repeats.h).
        if (to.where == Side::Where::device && std::memcmp(target, source, rows.width) == 0) return;
        std::memmove(target, source, rows.width);
        changes = true;
    });
    if (changes && !task.dst.array) gpu.memory.space->note_change(address_of(task.dst, 0, 0));
    const Link link = link_of(to, from);
    const Engine engine = link == Link::device ? Engine::none : to.on_host() ? Engine::to_host : Engine::to_device;
    return Usage{copy_time(gpu.profile, link, task.box.bytes()), engine};
}

cudaError_t check_fill(Gpu& gpu, const FillTask& task, Side& to) {
    if (const cudaError_t lost = gpu.context.status(); lost != cudaSuccess) return lost;
    if (const cudaError_t bad = locate(gpu, task.dst, task.box, "devPtr", to); bad != cudaSuccess) return bad;
    if (!to.known_to_device())
        return refuse_with_hint(cudaErrorInvalidValue, "devPtr is ordinary host memory", "use memset for host memory");
    if (!task.dst.array && gpu.memory.space->find(reinterpret_cast<Address>(task.dst.pointer))->devices == 0)
        return refuse_with_hint(cudaErrorInvalidValue, "devPtr is of a host pool that no device has access to",
                                "give the device access with cudaMemPoolSetAccess");
    return cudaSuccess;
}

/// Recorded on an H200: a length that takes a pointer into known memory around the end of all addresses passes for one
/// that fits, and the fill faults.
bool wraps_around(const Gpu& gpu, const Rows& rows, const Box& box) {
    std::uint64_t end;
    return !rows.array && box.height == 1 && box.depth == 1 &&
           __builtin_add_overflow(reinterpret_cast<Address>(rows.pointer), box.width, &end) &&
           gpu.memory.space->find(reinterpret_cast<Address>(rows.pointer));
}

cudaError_t fill(Gpu& gpu, const Rows& dst, int value, const Box& box, Stream& stream, Wait wait) {
    if (const cudaError_t lost = gpu.context.status(); lost != cudaSuccess) return lost;
    if (!stream.capture && wraps_around(gpu, dst, box)) {
        if (const cudaError_t before = gpu.scheduler.run_all(stream.device); before != cudaSuccess) return before;
        gpu.scheduler.lose_context(cudaErrorIllegalAddress, true);
        std::string cause = fmt::format("no memory holds {} bytes", box.width);
        std::string hint = hint_of_size(box.width);
        const bool of_host =
            where_is(gpu.memory.space->find(reinterpret_cast<Address>(dst.pointer))->kind) != Side::Where::device;
        if (of_host && wait == Wait::host)
            return refuse_with_hint(cudaErrorIllegalAddress, std::move(cause), std::move(hint));
        // The call itself succeeds, and the next wait has the error.
        tell_finding(gpu, error("cuda-illegal-address", std::move(cause), std::move(hint)), gpu.place());
        return cudaSuccess;
    }
    FillTask task{.dst = dst, .box = box, .value = static_cast<unsigned char>(value)};
    Side to;
    if (const cudaError_t bad = check_fill(gpu, task, to); bad != cudaSuccess) return bad;
    look_at_fill(gpu, task, to);
    OperationPtr issued;
    const cudaError_t status = gpu.submit(stream, std::move(task), &issued);
    // "asynchronous with respect to the host except when the target is pinned host memory or a Unified Memory region".
    if (status != cudaSuccess || !issued || wait == Wait::none || to.where == Side::Where::device) return status;
    return gpu.scheduler.wait_for({issued});
}

std::optional<Usage> run_fill(Gpu& gpu, const FillTask& task) {
    Side to;
    if (locate(gpu, task.dst, task.box, "devPtr", to) != cudaSuccess) return std::nullopt;
    const Box rows = joined(task.box, task.dst, task.dst);
    if (to.where == Side::Where::device && gpu.memory.check_host_room(to.bytes, task.box.bytes()) != cudaSuccess)
        return std::nullopt;
    if (!task.dst.array && to.where == Side::Where::device)
        each_row(rows, [&](std::uint64_t y, std::uint64_t z) {
            gpu.checks->memory_written(address_of(task.dst, y, z), rows.width);
        });
    if (gpu.scheduler.uses && !task.dst.array)
        each_row(rows, [&](std::uint64_t y, std::uint64_t z) {
            gpu.scheduler.uses->add(Use::write, address_of(task.dst, y, z), rows.width);
        });
    each_row(rows, [&](std::uint64_t y, std::uint64_t z) {
        std::byte* row = to.bytes + y * task.dst.pitch + z * task.dst.slice;
        if (task.element == 1) {
            std::memset(row, static_cast<int>(task.value), rows.width);
        } else {
            for (std::uint64_t x = 0; x < rows.width; x += task.element)
                std::memcpy(row + x, &task.value, task.element);
        }
    });
    if (!task.dst.array) gpu.memory.space->note_change(address_of(task.dst, 0, 0));
    return Usage{copy_time(gpu.profile, Link::fill, task.box.bytes()), Engine::none};
}

}  // namespace cudash::virtual_gpu::runtime
