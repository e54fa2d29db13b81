#include "runtime_wrappers/host_check/copies.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "runtime_wrappers/host_check/heap_block.h"

namespace cudash::host_check {
namespace {

Diagnostic warning(std::string code, std::string message, std::string hint) {
    Diagnostic found = error(std::move(code), std::move(message), std::move(hint));
    found.severity = Diagnostic::Severity::warning;
    return found;
}

std::string with_origin(const Memory& memory) {
    const std::string origin = origin_of(memory.made);
    return origin.empty() ? "" : fmt::format(" ({})", origin);
}

/// n where n * sizeof(T) was meant: the call's size is written as the number of elements was where the memory was
/// allocated, or as the array has them, and has that value.
std::optional<Diagnostic> elements_for_bytes(const char* verb, std::uint64_t count, std::span<const Side* const> sides,
                                             const api::CallPlace& call) {
    if (call.size.empty()) return std::nullopt;
    std::uint64_t element = 0;
    std::string words;
    for (const Side* side : sides) {
        if (side->array || !side->memory) continue;
        const Memory& memory = *side->memory;
        const api::CallPlace& made = memory.made;
        if (reinterpret_cast<std::uint64_t>(side->pointer) != memory.begin || made.element_bytes < 2 ||
            made.elements != call.size || count * made.element_bytes != memory.size)
            continue;
        element = made.element_bytes;
        words =
            fmt::format("{} bytes are allocated for {} elements{}", memory.size, made.elements, with_origin(memory));
    }
    for (const api::CallText::Extent& array : call.arrays) {
        // As many bytes as one element has may be meant.
        if (array.bytes < 2 || array.count != count || count <= array.bytes) continue;
        element = array.bytes;
        if (words.empty()) words = fmt::format("the array has {} elements of {} bytes", array.count, array.bytes);
    }
    if (element == 0) return std::nullopt;
    Diagnostic found = warning("bytes-not-elements",
                               fmt::format("{} {} bytes, where {} elements of {} bytes are {} bytes", verb, count,
                                           count, element, count * element),
                               fmt::format("sizes are in bytes: {} * sizeof(the element)", call.size));
    found.notes.push_back({words, {}});
    return found;
}

/// `factor` is one of those of `product`: "w" of "w*h".
bool has_factor(std::string_view product, std::string_view factor) {
    return product == factor || product.starts_with(std::string(factor) + "*") ||
           product.ends_with("*" + std::string(factor));
}

/// The same of a width: rows of w * sizeof(T) bytes, of which w are taken.
std::optional<Diagnostic> elements_for_width(const char* verb, std::uint64_t width, std::uint64_t height,
                                             std::span<const Side* const> sides, const api::CallPlace& call) {
    if (call.size.empty()) return std::nullopt;
    std::uint64_t element = 0;
    std::string words;
    for (const Side* side : sides) {
        if (side->array || !side->memory) continue;
        const Memory& memory = *side->memory;
        const api::CallPlace& made = memory.made;
        const std::uint64_t row = memory.pitch != 0 ? memory.width : side->pitch;
        if (reinterpret_cast<std::uint64_t>(side->pointer) != memory.begin || made.element_bytes < 2 ||
            !has_factor(made.elements, call.size) || width * made.element_bytes != row ||
            (memory.pitch == 0 && row * height != memory.size))
            continue;
        element = made.element_bytes;
        words = fmt::format("the memory: rows of {} bytes{}", row, with_origin(memory));
    }
    for (const api::CallText::Extent& array : call.arrays) {
        if (array.bytes < 2 || array.count != width * height || width <= array.bytes) continue;
        element = array.bytes;
        if (words.empty()) words = fmt::format("the array has {} elements of {} bytes", array.count, array.bytes);
    }
    if (element == 0) return std::nullopt;
    Diagnostic found = warning("bytes-not-elements",
                               fmt::format("{} {} bytes of each row, where {} elements of {} bytes are {} bytes", verb,
                                           width, width, element, width * element),
                               fmt::format("the width is in bytes: {} * sizeof(the element)", call.size));
    found.notes.push_back({words, {}});
    return found;
}

/// What a kind says that cannot be: plain device memory on a side that it calls the host's.
std::optional<Diagnostic> wrong_kind(const Copy& copy) {
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
        if (row.kind != copy.kind || copy.to.array || copy.from.array) continue;
        const bool dst_wrong = row.dst_on_host && copy.to.on_device;
        const bool src_wrong = row.src_on_host && copy.from.on_device;
        if (!dst_wrong && !src_wrong) continue;
        const char* sides = dst_wrong && src_wrong ? "dst and src are" : dst_wrong ? "dst is" : "src is";
        const char* fits = !copy.to.on_host && !copy.from.on_host ? "cudaMemcpyDeviceToDevice"
                           : copy.to.on_device                    ? "cudaMemcpyHostToDevice"
                                                                  : "cudaMemcpyDeviceToHost";
        Diagnostic found =
            warning("wrong-direction", fmt::format("the kind is {}, but {} device memory", row.name, sides),
                    fmt::format("the order is cudaMemcpy(dst, src, count, kind); for these pointers {} "
                                "is the kind",
                                fits));
        found.notes.push_back({"the runtime goes by the addresses, and copies all the same", {}});
        return found;
    }
    return std::nullopt;
}

/// Rows of pitched memory begin a pitch apart.
std::optional<Diagnostic> wrong_pitch(const Side& side, std::uint64_t width, std::uint64_t height, std::uint64_t depth,
                                      const char* role) {
    if (side.array || !side.memory) return std::nullopt;
    const Memory& memory = *side.memory;
    if (memory.pitch == 0 || memory.height < 2) return std::nullopt;
    const std::string rows = fmt::format("the memory: {} rows of {} bytes", memory.height, memory.width);
    const bool is_linear = height == 1 && depth == 1;
    if (!is_linear && height > 1 && side.pitch % memory.pitch != 0) {
        Diagnostic found =
            warning("wrong-pitch",
                    fmt::format("rows of {} are taken {} bytes apart, and the memory has them {} bytes apart", role,
                                side.pitch, memory.pitch),
                    "give the pitch that cudaMallocPitch returned for this memory");
        found.notes.push_back({rows + with_origin(memory), {}});
        return found;
    }
    const bool whole = reinterpret_cast<std::uint64_t>(side.pointer) == memory.begin &&
                       width == memory.width * memory.height && memory.width != memory.pitch;
    if (!is_linear || !whole) return std::nullopt;
    Diagnostic found = warning(
        "wrong-pitch",
        fmt::format("{} bytes are taken as one piece, but the memory of {} has padding behind each row", width, role),
        "cudaMemcpy2D and cudaMemset2D go by rows: give them the pitch, the width in bytes and the height");
    found.notes.push_back({fmt::format("{}, {} bytes apart{}", rows, memory.pitch, with_origin(memory)), {}});
    return found;
}

/// malloc's blocks end before the copy does.
std::optional<Diagnostic> beyond_heap_block(const Side& side, std::uint64_t width, bool writes) {
    const std::optional<std::uint64_t> room = room_in_heap(side, width);
    if (!room) return std::nullopt;
    Diagnostic found = error(writes ? "oob-write" : "oob-read",
                             fmt::format("the copy {} {} bytes {} host memory that has {}", writes ? "writes" : "reads",
                                         width, writes ? "to" : "of", *room),
                             "give host memory as many bytes as the copy has: malloc(n * sizeof(the element)), or a "
                             "std::vector of n elements");
    return found;
}

/// Those that there are, at the call's place.
std::vector<Diagnostic> collect(std::initializer_list<std::optional<Diagnostic>> candidates,
                                const api::CallPlace& call) {
    std::vector<Diagnostic> found;
    for (const std::optional<Diagnostic>& candidate : candidates) {
        if (!candidate) continue;
        found.push_back(*candidate);
        found.back().where = call.where;
    }
    return found;
}

}  // namespace

std::optional<std::uint64_t> room_in_heap(const Side& side, std::uint64_t width) {
    if (side.memory || side.array || side.on_device) return std::nullopt;
    return heap_block_below(side.pointer, width, side.pageable);
}

std::vector<Diagnostic> look_at(const Copy& copy, const api::CallPlace& call) {
    const std::array sides = {&copy.to, &copy.from};
    const bool linear = copy.height == 1 && copy.depth == 1;
    return collect({linear ? beyond_heap_block(copy.to, copy.width, true) : std::nullopt,
                    linear ? beyond_heap_block(copy.from, copy.width, false) : std::nullopt,
                    linear            ? elements_for_bytes("copies", copy.width, sides, call)
                    : copy.depth == 1 ? elements_for_width("copies", copy.width, copy.height, sides, call)
                                      : std::nullopt,
                    wrong_kind(copy), wrong_pitch(copy.to, copy.width, copy.height, copy.depth, "dst"),
                    wrong_pitch(copy.from, copy.width, copy.height, copy.depth, "src")},
                   call);
}

std::vector<Diagnostic> look_at(const Fill& fill, const api::CallPlace& call) {
    const std::array sides = {&fill.to};
    const bool linear = fill.height == 1 && fill.depth == 1;
    return collect({linear            ? elements_for_bytes("sets", fill.width, sides, call)
                    : fill.depth == 1 ? elements_for_width("sets", fill.width, fill.height, sides, call)
                                      : std::nullopt,
                    wrong_pitch(fill.to, fill.width, fill.height, fill.depth, "devPtr")},
                   call);
}

}  // namespace cudash::host_check
