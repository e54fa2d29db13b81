#include "repl/session/memory/memory.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "repl/session/compile_help.h"
#include "repl/session/guard.h"
#include "runtime_wrappers/api/entry_points.h"

namespace cudash::session {
namespace {

namespace entry = api::entry;

/// Compiles and runs a declaration of the session's own, around text of the user's.
std::optional<Diagnostic> declare(const Inspected& session, const std::string& head, const std::string& text,
                                  const std::string& tail) {
    auto compiled = session.engine.compile("here", head + text + tail);
    explain(compiled.diagnostics);
    session.unit.add(std::move(compiled.facts));
    if (!compiled.ok) {
        Diagnostic problem = error("bad-expression", fmt::format("'{}' is not an expression", text));
        for (Diagnostic& said : compiled.diagnostics) {
            if (said.severity != Diagnostic::Severity::error) continue;
            problem.message = fmt::format("'{}': {}", text, said.message);
            if (!said.hint.empty()) problem.hint = said.hint;
            break;
        }
        return problem;
    }
    const GuardedEnd end = Guard::run([&] {
        for (auto* initializer : compiled.initializers) initializer();
    });
    if (end.kind == GuardedEnd::Kind::returned) return std::nullopt;
    return error("bad-expression", fmt::format("evaluating '{}' did not come to its end", text));
}

std::string name_of_kind(std::string_view kind) {
    constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"device", "device memory"},      {"variable", "a device variable"},
        {"pinned", "pinned host memory"}, {"registered", "registered host memory"},
        {"managed", "managed memory"},    {"heap", "memory of the device heap"},
    };
    for (const auto& [own, words] : names)
        if (own == kind) return std::string(words);
    return std::string(kind);
}

/// The memory that `located.address` is in.
std::optional<Diagnostic> find_memory(const Inspected& session, Located& located, bool pointed) {
    if (located.address == 0)
        return error("null-pointer", "it is a null pointer", "allocate the memory first, or look whether that failed");
    if (const auto allocation = session.runtime.allocation_of(located.address)) {
        located.available = allocation->address + allocation->size - located.address;
        located.memory = name_of_kind(allocation->kind);
        located.origin = allocation->origin;
        located.pitch = allocation->pitch;
        if (allocation->pitch != 0 && located.element.bytes != 0 && pointed && located.extent.size() == 1 &&
            located.address == allocation->address) {
            const std::uint64_t rows = allocation->size / allocation->pitch;
            located.extent = {rows, allocation->width / located.element.bytes};
            located.stride = {allocation->pitch, located.element.bytes};
            if (allocation->height != 0 && allocation->height < rows) {
                located.extent = {rows / allocation->height, allocation->height,
                                  allocation->width / located.element.bytes};
                located.stride = {allocation->pitch * allocation->height, allocation->pitch, located.element.bytes};
            }
        }
        return std::nullopt;
    }
    if (const auto about = session.runtime.describe_address(located.address)) {
        const bool freed = about->find("was freed") != std::string::npos;
        const bool live = !freed && about->find("device memory") != std::string::npos &&
                          about->find("past the end") == std::string::npos;
        if (live) {
            located.memory = "device memory";
            return std::nullopt;
        }
        return error(freed ? "freed-memory" : "bad-address", *about,
                     freed ? "look at it before cudaFree, or at a new allocation" : ":mem lists what is allocated");
    }
    char probe = 0;
    const iovec local{&probe, 1}, remote{reinterpret_cast<void*>(located.address), 1};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != 1)
        return error("bad-address", fmt::format("{:#x} is not an address of memory", located.address),
                     "was the pointer set?");
    located.memory = "host memory";
    return std::nullopt;
}

std::optional<Diagnostic> locate_array(Located& located) {
    cudaChannelFormatDesc format{};
    cudaExtent extent{};
    unsigned flags = 0;
    const auto handle = reinterpret_cast<cudaArray_t>(located.address);
    if (!handle) return error("null-pointer", "it is a null cudaArray_t", "allocate it with cudaMallocArray first");
    if (entry::cudaArrayGetInfo(&format, &extent, &flags, handle) != cudaSuccess)
        return error("bad-address", "it is not a CUDA array, or one that was freed", "cudaMallocArray makes one");
    located.is_array = true;
    located.memory = "a CUDA array";
    const std::uint64_t bits = static_cast<std::uint64_t>(format.x + format.y + format.z + format.w);
    if (located.element.bytes == 0) {
        constexpr const char* names = "xyzw";
        const int channels[] = {format.x, format.y, format.z, format.w};
        located.element.bytes = bits / 8;
        // As CUDA's vector types are called: uchar4, float2.
        const std::string sign = format.f == cudaChannelFormatKindSigned ? "" : "u";
        const int count = (format.x > 0) + (format.y > 0) + (format.z > 0) + (format.w > 0);
        const std::string kind = format.f == cudaChannelFormatKindFloat ? format.x == 16 ? "half" : "float"
                                 : format.x == 8                        ? sign + "char"
                                 : format.x == 16                       ? sign + "short"
                                                                        : sign + "int";
        located.element.type = count == 1 ? kind : fmt::format("{}{}", kind, count);
        std::uint32_t offset = 0;
        for (int i = 0; i < 4 && channels[i] > 0; ++i) {
            Scalar scalar;
            scalar.kind = format.f == cudaChannelFormatKindFloat    ? Scalar::Kind::floating
                          : format.f == cudaChannelFormatKindSigned ? Scalar::Kind::signed_integer
                                                                    : Scalar::Kind::unsigned_integer;
            scalar.bytes = static_cast<std::uint32_t>(channels[i]) / 8;
            scalar.offset = offset;
            if (format.y > 0) scalar.name = std::string(1, names[i]);
            offset += scalar.bytes;
            located.element.scalars.push_back(std::move(scalar));
        }
    }
    if (bits == 0 || located.element.bytes != bits / 8)
        return error("wrong-type", fmt::format("an element of the array has {} bytes, {} has {}", bits / 8,
                                               located.element.type, located.element.bytes));
    const std::uint64_t width = extent.width, height = std::max<std::uint64_t>(1, extent.height),
                        depth = std::max<std::uint64_t>(1, extent.depth);
    const std::uint64_t row = width * located.element.bytes;
    if (extent.depth > 0) {
        located.extent = {depth, height, width};
        located.stride = {row * height, row, located.element.bytes};
    } else if (extent.height > 0) {
        located.extent = {height, width};
        located.stride = {row, located.element.bytes};
    } else {
        located.extent = {width};
        located.stride = {located.element.bytes};
    }
    located.available = row * height * depth;
    return std::nullopt;
}

/// The host's copy of a device variable is of no interest.
void follow_shadow(const Inspected& session, Located& located) {
    const auto shadow = session.unit.shadow_at(located.address);
    void* on_device = nullptr;
    if (shadow && entry::cudaGetSymbolAddress(&on_device, shadow->first) == cudaSuccess)
        located.address = reinterpret_cast<std::uint64_t>(on_device) +
                          (located.address - reinterpret_cast<std::uint64_t>(shadow->first));
}

Answer locate(const Inspected& session, const Locate& request) {
    // Names of their own: none of the user's, and none twice.
    static unsigned count = 0;
    const std::string value_name = fmt::format("__cudash_shown{}", ++count);
    const std::string element_name = fmt::format("__cudash_element{}", count);
    if (auto problem = declare(session, fmt::format("auto&& {} = ", value_name), request.expression, "\n;"))
        return *problem;
    if (!request.as.empty())
        if (auto problem = declare(session, fmt::format("using {} = ", element_name), request.as, "\n;"))
            return *problem;
    const auto object = session.engine.object(value_name, request.as.empty() ? std::string() : element_name);
    if (!object) return error("bad-expression", fmt::format("'{}' has no value to look at", request.expression));

    Located located;
    located.element = object->element;
    located.address = object->address;
    located.extent = object->extent;
    const bool pointed = object->kind == HostObject::Kind::pointed;
    if (object->kind == HostObject::Kind::cuda_array) {
        if (auto problem = locate_array(located)) return *problem;
        return located;
    }
    if (located.element.bytes == 0)
        return error("wrong-type", fmt::format("what '{}' points at has no size", request.expression),
                     fmt::format("say the type of its elements: `as float`"));
    follow_shadow(session, located);
    std::uint64_t known = object->element.bytes;
    for (const std::uint64_t count : located.extent) known *= count;
    if (!located.extent.empty() && known == 0 && !pointed) return error("nothing-there", "it has no elements");
    if (auto problem = find_memory(session, located, pointed)) return *problem;
    if (object->kind == HostObject::Kind::pitched) {
        const std::uint64_t slices =
            object->pitch * object->height == 0 ? 1 : located.available / (object->pitch * object->height);
        const std::uint64_t row = object->width / located.element.bytes;
        located.extent = {object->height, row};
        located.stride = {object->pitch, located.element.bytes};
        if (slices > 1) {
            located.extent = {slices, object->height, row};
            located.stride = {object->pitch * object->height, object->pitch, located.element.bytes};
        }
        return located;
    }
    if (!request.as.empty() && !pointed && known > 0) {
        // An array seen as another type: what its bytes hold of it.
        located.extent = {known};
        located.available = known;
    }
    if (located.stride.empty()) {
        std::uint64_t inner = located.element.bytes;
        for (std::size_t i = 1; i < located.extent.size(); ++i) inner *= located.extent[i];
        if (!located.extent.empty() && located.extent[0] == 0 && pointed && inner > 0)
            located.extent[0] = located.available / inner;
        if (!request.as.empty() && !pointed && !located.extent.empty())
            located.extent[0] = located.available / located.element.bytes;
        std::uint64_t step = inner;
        for (std::size_t i = 0; i < located.extent.size(); ++i) {
            located.stride.push_back(step);
            if (i + 1 < located.extent.size()) step /= located.extent[i + 1];
        }
    }
    if (!pointed && located.available == 0) located.available = known;
    return located;
}

bool copy_here(std::uint64_t address, void* to, std::uint64_t bytes) {
    const iovec local{to, bytes}, remote{reinterpret_cast<void*>(address), bytes};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

/// Whole rows of an array, [first, last), through a buffer.
class ArrayRows {
public:
    static std::optional<ArrayRows> of(std::uint64_t address) {
        ArrayRows rows;
        rows.handle_ = reinterpret_cast<cudaArray_t>(address);
        cudaChannelFormatDesc format{};
        unsigned flags = 0;
        if (entry::cudaArrayGetInfo(&format, &rows.extent_, &flags, rows.handle_) != cudaSuccess) return std::nullopt;
        rows.extent_.height = std::max<std::size_t>(1, rows.extent_.height);
        rows.extent_.depth = std::max<std::size_t>(1, rows.extent_.depth);
        rows.row_ = rows.extent_.width * static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
        return rows;
    }
    std::uint64_t row() const { return row_; }
    std::uint64_t count() const { return extent_.height * extent_.depth; }

    bool copy(std::uint64_t first, std::uint64_t last, char* buffer, bool to_array) const {
        while (first < last) {
            const std::uint64_t slice = first / extent_.height, y = first % extent_.height;
            const std::uint64_t here = std::min(last - first, extent_.height - y);
            cudaMemcpy3DParms copy{};
            const cudaPitchedPtr memory{buffer, row_, row_, here};
            const cudaPos place{0, y, slice};
            if (to_array) {
                copy.srcPtr = memory;
                copy.dstArray = handle_;
                copy.dstPos = place;
                copy.kind = cudaMemcpyHostToDevice;
            } else {
                copy.dstPtr = memory;
                copy.srcArray = handle_;
                copy.srcPos = place;
                copy.kind = cudaMemcpyDeviceToHost;
            }
            copy.extent = {extent_.width, here, 1};
            if (entry::cudaMemcpy3D(&copy) != cudaSuccess) return false;
            buffer += here * row_;
            first += here;
        }
        return true;
    }

private:
    cudaArray_t handle_ = nullptr;
    cudaExtent extent_{};
    std::uint64_t row_ = 0;
};

Diagnostic unreadable() {
    return error("bad-address", "the memory can't be read: it ends before, or was freed",
                 ":mem lists what is allocated");
}

Answer read(const Inspected& session, const ReadBytes& request, std::span<std::byte> window) {
    if (request.bytes > most_bytes_at_once) return error("bad-address", "too much to read at once");
    MemoryBytes result;
    void* to = window.data();
    if (request.bytes > 0 && request.bytes <= window.size()) {
        result.in_window = request.bytes;
    } else {
        result.bytes.resize(request.bytes);
        to = result.bytes.data();
    }
    if (request.is_array) {
        const auto rows = ArrayRows::of(request.address);
        if (!rows || rows->row() == 0 || request.bytes == 0) return unreadable();
        const std::uint64_t first = request.offset / rows->row();
        const std::uint64_t last = (request.offset + request.bytes + rows->row() - 1) / rows->row();
        if (last > rows->count()) return unreadable();
        std::string buffer((last - first) * rows->row(), '\0');
        if (!rows->copy(first, last, buffer.data(), false)) return unreadable();
        std::memcpy(to, buffer.data() + (request.offset - first * rows->row()), request.bytes);
        return result;
    }
    const std::uint64_t at = request.address + request.offset;
    constexpr std::size_t most_runs = 4096;
    result.unwritten = session.runtime.unwritten(at, request.bytes, most_runs);
    if (session.runtime.peek(at, to, request.bytes) || copy_here(at, to, request.bytes)) return result;
    return unreadable();
}

Answer write(const Inspected& session, const WriteBytes& request) {
    if (request.is_array) {
        const auto rows = ArrayRows::of(request.address);
        if (!rows || rows->row() == 0 || request.bytes.empty()) return unreadable();
        const std::uint64_t first = request.offset / rows->row();
        const std::uint64_t last = (request.offset + request.bytes.size() + rows->row() - 1) / rows->row();
        if (last > rows->count()) return unreadable();
        std::string buffer((last - first) * rows->row(), '\0');
        if (!rows->copy(first, last, buffer.data(), false)) return unreadable();
        buffer.replace(request.offset - first * rows->row(), request.bytes.size(), request.bytes);
        if (!rows->copy(first, last, buffer.data(), true)) return unreadable();
        return Written{};
    }
    const std::uint64_t at = request.address + request.offset;
    if (session.runtime.allocation_of(at) || session.runtime.describe_address(at)) {
        if (entry::cudaMemcpy(reinterpret_cast<void*>(at), request.bytes.data(), request.bytes.size(),
                              cudaMemcpyDefault) != cudaSuccess)
            return error("bad-address", "the memory can't be written", ":mem lists what is allocated");
        return Written{};
    }
    std::string bytes = request.bytes;
    const iovec local{bytes.data(), bytes.size()}, remote{reinterpret_cast<void*>(at), bytes.size()};
    if (process_vm_writev(getpid(), &local, 1, &remote, 1, 0) != static_cast<ssize_t>(bytes.size()))
        return error("bad-address", "the memory can't be written");
    return Written{};
}

}  // namespace

Answer answer(const Inspected& session, const Query& query, std::span<std::byte> window) {
    if (const auto* request = std::get_if<Locate>(&query)) return locate(session, *request);
    if (const auto* request = std::get_if<ReadBytes>(&query)) return read(session, *request, window);
    return write(session, std::get<WriteBytes>(query));
}

std::optional<Diagnostic> find_displayed(const Inspected& session, Displayed& displayed) {
    Located& located = displayed.located;
    std::uint64_t bytes = located.element.bytes;
    std::string shape;
    bool is_too_much = false;
    for (const std::uint64_t count : located.extent) {
        shape += fmt::format("{}{}", shape.empty() ? "" : " x ", count);
        is_too_much |= __builtin_mul_overflow(bytes, count, &bytes);
    }
    if (std::ranges::find(located.extent, 0u) != located.extent.end())
        return error("nothing-there", fmt::format("an array of {} elements has nothing to show", shape));
    if (is_too_much)
        return error("bad-address", fmt::format("{} elements are more than any memory has", shape),
                     "is a size negative?");
    located.type = located.element.type;
    follow_shadow(session, located);
    if (auto problem = find_memory(session, located, false)) {
        // What `:show` says of expressions is said of an argument here.
        if (problem->code == "null-pointer") problem->message = "the array to show is a null pointer";
        return problem;
    }
    const auto too_small = [&](const std::string& memory) {
        return error("bad-address",
                     fmt::format("{} elements of {} are {} bytes; {}", shape, located.element.type, bytes, memory),
                     "are the numbers of rows and columns right?");
    };
    if (located.available != 0 && bytes > located.available)
        return too_small(fmt::format("{} has {} bytes from there on", located.memory, located.available));
    char probe = 0;
    const std::uint64_t last = located.address + bytes - 1;
    if (located.available == 0 && !session.runtime.peek(last, &probe, 1) && !copy_here(last, &probe, 1))
        return too_small("the memory there ends before");
    return std::nullopt;
}

}  // namespace cudash::session
