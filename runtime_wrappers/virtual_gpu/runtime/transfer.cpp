#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

#include <array>
#include <cstring>

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
    const auto near = gpu.memory->nearest(address);
    if (near && near->released && near->allocation.contains(address, 1))
        return gpu.refuse_with_hint(cudaErrorInvalidValue,
                                    fmt::format("{} points into {}, which was freed", role, whose(near->allocation)),
                                    "copy before cudaFree, or allocate again");
    if (near && !near->released && address >= near->allocation.end())
        return gpu.refuse(cudaErrorInvalidValue, "{} is {} bytes past the end of {}", role,
                          address - near->allocation.end(), whose(near->allocation));
    return gpu.refuse(cudaErrorInvalidValue, "{} is a device address where nothing is allocated", role);
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

cudaError_t locate(Gpu& gpu, const Rows& rows, const Box& box, const char* role, Side& side) {
    if (rows.in_array) {
        side.where = Side::Where::device;
        side.bytes = rows.in_array;
        return cudaSuccess;
    }
    const auto span = span_of(rows, box);
    if (!span) return gpu.refuse(cudaErrorInvalidValue, "the pitch of {} is larger than any memory", role);
    const Address address = reinterpret_cast<Address>(rows.pointer);
    if (const auto allocation = gpu.memory->find(address)) {
        if (!allocation->contains(address, *span))
            return gpu.refuse_with_hint(cudaErrorInvalidValue,
                                        fmt::format("{} bytes do not fit: {} points {} bytes into {}", *span, role,
                                                    address - allocation->begin, whose(*allocation)),
                                        "sizes are in bytes: multiply the number of elements by sizeof");
        side.where = where_is(allocation->kind);
        side.bytes = reinterpret_cast<std::byte*>(address + static_cast<std::uint64_t>(allocation->host_offset));
        return cudaSuccess;
    }
    if (!rows.pointer) return gpu.refuse(cudaErrorInvalidValue, "{} is a null pointer", role);
    if (gpu.memory->is_device_range(address)) return refuse_unknown_device_address(gpu, rows.pointer, role);
    if (!is_mapped(rows.pointer, *span))
        return gpu.refuse(cudaErrorInvalidValue, "{} bytes at {} are not all memory of this program", *span, role);
    side.where = Side::Where::pageable;
    side.bytes = static_cast<std::byte*>(const_cast<void*>(rows.pointer));
    return cudaSuccess;
}

cudaError_t check_kind(Gpu& gpu, cudaMemcpyKind kind) {
    if (kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault) return cudaSuccess;
    return gpu.refuse(cudaErrorInvalidMemcpyDirection, "there is no cudaMemcpyKind {}", static_cast<int>(kind));
}

cudaError_t copy(Gpu& gpu, const Rows& dst, const Rows& src, const Box& box, cudaMemcpyKind kind, Stream& stream,
                 Wait wait) {
    if (const cudaError_t bad = check_kind(gpu, kind); bad != cudaSuccess) return bad;
    if (const cudaError_t lost = gpu.context_status(); lost != cudaSuccess) return lost;
    Side to, from;
    if (const cudaError_t bad = locate(gpu, dst, box, "dst", to); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = locate(gpu, src, box, "src", from); bad != cudaSuccess) return bad;
    const KindRule rule = kind_rules[kind];
    for (const auto& [needed, side, role] :
         {std::tuple(rule.dst_on_device, &to, "dst"), std::tuple(rule.src_on_device, &from, "src")})
        if (needed && !side->known_to_device())
            return gpu.refuse_with_hint(
                cudaErrorInvalidValue,
                fmt::format("the kind says that {} is on the device, but it is ordinary host memory", role),
                "the order is cudaMemcpy(dst, src, count, kind); cudaMemcpyDefault finds the direction");

    const Box rows = joined(box, dst, src);
    each_row(rows, [&](std::uint64_t y, std::uint64_t z) {
        std::memmove(to.bytes + y * dst.pitch + z * dst.slice, from.bytes + y * src.pitch + z * src.slice, rows.width);
    });
    const Link link = link_of(to, from);
    gpu.timeline.enqueue(stream, copy_time(gpu.profile, link, box.bytes()));
    // "For transfers from device memory to device memory, no host-side synchronization is performed."
    if (wait == Wait::host && link != Link::device) gpu.timeline.wait(stream);
    return cudaSuccess;
}

cudaError_t fill(Gpu& gpu, const Rows& dst, int value, const Box& box, Stream& stream) {
    if (const cudaError_t lost = gpu.context_status(); lost != cudaSuccess) return lost;
    Side to;
    if (const cudaError_t bad = locate(gpu, dst, box, "devPtr", to); bad != cudaSuccess) return bad;
    if (!to.known_to_device())
        return gpu.refuse_with_hint(cudaErrorInvalidValue, "devPtr is ordinary host memory",
                                    "use memset for host memory");
    const Box rows = joined(box, dst, dst);
    each_row(rows, [&](std::uint64_t y, std::uint64_t z) {
        std::memset(to.bytes + y * dst.pitch + z * dst.slice, value, rows.width);
    });
    gpu.timeline.enqueue(stream, copy_time(gpu.profile, Link::fill, box.bytes()));
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
