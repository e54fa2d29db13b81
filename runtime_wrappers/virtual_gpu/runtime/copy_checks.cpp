#include "runtime_wrappers/virtual_gpu/runtime/copy_checks.h"

#include <fmt/format.h>

#include <array>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

Diagnostic warning(Gpu& gpu, std::string code, std::string message, std::string hint) {
    Diagnostic found = error(std::move(code), std::move(message), std::move(hint));
    found.severity = Diagnostic::Severity::warning;
    found.where = gpu.place();
    return found;
}

void tell(Gpu& gpu, Diagnostic found) {
    tell_finding(gpu, std::move(found), gpu.place());
}

std::string with_origin(const std::string& origin) {
    return origin.empty() ? "" : fmt::format(" ({})", origin);
}

/// n where n * sizeof(T) was meant: the call's size is written as the number of elements was where the memory was
/// allocated, or as the array has them, and has that value.
void look_for_elements(Gpu& gpu, const char* verb, std::uint64_t count, std::span<const Rows* const> sides) {
    const api::CallPlace call = gpu.call_place();
    if (call.size.empty()) return;
    std::uint64_t element = 0;
    std::string memory;
    for (const Rows* side : sides) {
        const auto block = side->array ? gpu.blocks.end() : gpu.blocks.find(reinterpret_cast<Address>(side->pointer));
        if (block == gpu.blocks.end()) continue;
        const api::CallPlace& made = block->second.made;
        if (made.element_bytes < 2 || made.elements != call.size || count * made.element_bytes != block->second.size)
            continue;
        element = made.element_bytes;
        const auto allocation = gpu.memory->find(block->first);
        memory = fmt::format("{} bytes are allocated for {} elements{}", block->second.size, made.elements,
                             with_origin(allocation ? allocation->origin : std::string()));
    }
    for (const api::CallText::Extent& array : call.arrays) {
        // As many bytes as one element has may be meant.
        if (array.bytes < 2 || array.count != count || count <= array.bytes) continue;
        element = array.bytes;
        if (memory.empty()) memory = fmt::format("the array has {} elements of {} bytes", array.count, array.bytes);
    }
    if (element == 0) return;
    Diagnostic found = warning(gpu, "bytes-not-elements",
                               fmt::format("{} {} bytes, where {} elements of {} bytes are {} bytes", verb, count,
                                           count, element, count * element),
                               fmt::format("sizes are in bytes: {} * sizeof(the element)", call.size));
    found.notes.push_back({memory, {}});
    tell(gpu, std::move(found));
}

/// What a kind says that cannot be: plain device memory on a side that it calls the host's.
void look_at_kind(Gpu& gpu, const CopyTask& task, const Side& to, const Side& from) {
    struct Kind {
        cudaMemcpyKind kind;
        const char* name;
        bool dst_on_host, src_on_host;
    };
    static constexpr std::array kinds = {
        Kind{cudaMemcpyHostToHost, "cudaMemcpyHostToHost", true, true},
        Kind{cudaMemcpyHostToDevice, "cudaMemcpyHostToDevice", false, true},
        Kind{cudaMemcpyDeviceToHost, "cudaMemcpyDeviceToHost", true, false},
    };
    for (const Kind& row : kinds) {
        if (row.kind != task.kind || task.dst.array || task.src.array) continue;
        const bool dst_wrong = row.dst_on_host && to.where == Side::Where::device;
        const bool src_wrong = row.src_on_host && from.where == Side::Where::device;
        if (!dst_wrong && !src_wrong) continue;
        const char* sides = dst_wrong && src_wrong ? "dst and src are" : dst_wrong ? "dst is" : "src is";
        const char* fits = !to.on_host() && !from.on_host()  ? "cudaMemcpyDeviceToDevice"
                           : to.where == Side::Where::device ? "cudaMemcpyHostToDevice"
                                                             : "cudaMemcpyDeviceToHost";
        Diagnostic found =
            warning(gpu, "wrong-direction", fmt::format("the kind is {}, but {} device memory", row.name, sides),
                    fmt::format("the order is cudaMemcpy(dst, src, count, kind); for these pointers {} "
                                "is the kind",
                                fits));
        found.notes.push_back({"the runtime goes by the addresses, and copies all the same", {}});
        tell(gpu, std::move(found));
    }
}

/// Rows of pitched memory begin a pitch apart.
void look_at_pitch(Gpu& gpu, const Rows& rows, const Box& box, const char* role) {
    if (rows.array || !rows.pointer) return;
    const auto memory = gpu.memory->find(reinterpret_cast<Address>(rows.pointer));
    if (!memory || memory->pitch == 0 || memory->height < 2) return;
    const bool is_linear = box.height == 1 && box.depth == 1;
    if (!is_linear && box.height > 1 && rows.pitch % memory->pitch != 0) {
        Diagnostic found =
            warning(gpu, "wrong-pitch",
                    fmt::format("rows of {} are taken {} bytes apart, and the memory has them {} bytes apart", role,
                                rows.pitch, memory->pitch),
                    "give the pitch that cudaMallocPitch returned for this memory");
        found.notes.push_back({fmt::format("the memory: {} rows of {} bytes{}", memory->height, memory->width,
                                           with_origin(memory->origin)),
                               {}});
        return tell(gpu, std::move(found));
    }
    const bool whole = reinterpret_cast<Address>(rows.pointer) == memory->begin &&
                       box.width == memory->width * memory->height && memory->width != memory->pitch;
    if (!is_linear || !whole) return;
    Diagnostic found =
        warning(gpu, "wrong-pitch",
                fmt::format("{} bytes are taken as one piece, but the memory of {} has padding behind each row",
                            box.width, role),
                "cudaMemcpy2D and cudaMemset2D go by rows: give them the pitch, the width in bytes and the height");
    found.notes.push_back({fmt::format("the memory: {} rows of {} bytes, {} bytes apart{}", memory->height,
                                       memory->width, memory->pitch, with_origin(memory->origin)),
                           {}});
    tell(gpu, std::move(found));
}

}  // namespace

void look_at_copy(Gpu& gpu, const CopyTask& task, const Side& to, const Side& from) {
    if (!gpu.checks->selection().has(Checker::copy)) return;
    const std::array sides = {&task.dst, &task.src};
    if (task.box.height == 1 && task.box.depth == 1) look_for_elements(gpu, "copies", task.box.width, sides);
    look_at_kind(gpu, task, to, from);
    look_at_pitch(gpu, task.dst, task.box, "dst");
    look_at_pitch(gpu, task.src, task.box, "src");
}

void look_at_fill(Gpu& gpu, const FillTask& task) {
    if (!gpu.checks->selection().has(Checker::copy)) return;
    const std::array sides = {&task.dst};
    if (task.box.height == 1 && task.box.depth == 1) look_for_elements(gpu, "sets", task.box.width, sides);
    look_at_pitch(gpu, task.dst, task.box, "devPtr");
}

}  // namespace cudash::virtual_gpu::runtime
