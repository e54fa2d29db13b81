#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/access_base.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/exec/wrapped_index.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

constexpr const char* called_from_here = "called from here";

/// "a 4-byte read"; "the kernel reads".
struct AccessWords {
    const char *noun, *verb;
};
constexpr AccessWords words_for(AccessKind kind) {
    switch (kind) {
        case AccessKind::load:
            return {"read", "reads"};
        case AccessKind::store:
            return {"write", "writes"};
        case AccessKind::atomic:
            break;
    }
    return {"atomic access", "changes"};
}
const char* name_of(AccessKind kind) {
    return words_for(kind).noun;
}

std::string_view name_of(MemoryKind kind) {
    return row_of(kind).description;
}

/// "p" and "cell 3" of the origin "p, cell 3"; a variable's origin is its name.
std::pair<std::string, std::string> name_and_place(const Allocation& allocation) {
    const std::string& origin = allocation.origin;
    if (allocation.kind == MemoryKind::variable) return {origin, ""};
    const auto comma = origin.find(", ");
    if (comma == std::string::npos) return {"", origin};
    return {origin.substr(0, comma), origin.substr(comma + 2)};
}

/// "100 elements of 4 bytes; this is index 100", if the accesses of `size` bytes divide memory into such.
std::string elements(std::uint64_t bytes, std::int64_t place, std::uint32_t size) {
    if (size < 2 || place % size != 0 || bytes < size) return {};
    const std::uint64_t count = bytes / size;
    return fmt::format(", {} {} of {} bytes; this is index {}", count, count == 1 ? "element" : "elements", size,
                       place / static_cast<std::int64_t>(size));
}

/// True if the process itself could read there.
bool is_host_memory(Address address) {
    char byte = 0;
    iovec here{&byte, 1}, there{reinterpret_cast<void*>(address), 1};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

/// How far the generic windows of shared and local memory are from what comes before them.
constexpr std::uint64_t window_gap = window_size;

/// The place that a generic address means if it is in a window or before it: where pointers to its variables go wrong.
bool to_window(Address& address, Address window) {
    if (address + window_gap - window >= window_size + window_gap) return false;
    address -= window;
    return true;
}

/// A place in shared or local memory, which begins at `base`, as a number that may be negative; registers of addresses
/// have 32 or 64 bits.
std::int64_t signed_place(std::uint64_t address, std::uint64_t base) {
    const std::uint64_t place = address - base;
    return address <= 0xFFFF'FFFF ? static_cast<std::int32_t>(place) : static_cast<std::int64_t>(place);
}

/// A place outside of the block's shared memory, by the variable that is nearest to it.
void explain_shared(const Launch& launch, std::uint32_t shared_bytes, std::int64_t place, std::uint32_t size,
                    Diagnostic& diagnostic) {
    // By where they begin; arrays of dynamic shared memory begin at the same place.
    const auto& variables = launch.program->shared_variables;
    const SharedVariable* nearest = variables.empty() ? nullptr : place < 0 ? &variables.front() : &variables.back();
    for (const SharedVariable& each : variables)
        if (nearest && &each != nearest && each.begin == nearest->begin) nearest = nullptr;
    const auto bytes = nearest ? nearest->bytes != 0 ? nearest->bytes : launch.dynamic_shared : 0;
    const std::int64_t begin = nearest ? nearest->begin - launch.shared_base : 0;
    const bool far = place < -std::int64_t{window_size} || place > std::int64_t{window_size};
    if (!nearest || (place < 0 && begin != 0) || bytes == 0 || far) {
        diagnostic.message += fmt::format("at byte {} of shared memory: the block has {} bytes", place, shared_bytes);
        return;
    }
    place -= begin;
    diagnostic.message +=
        fmt::format("{} {}, at byte {} of {}", place < 0 ? "before the beginning of" : "past the end of", nearest->name,
                    place, bytes);
    diagnostic.notes.push_back({fmt::format("{}: {} bytes of {}shared memory{}", nearest->name, bytes,
                                            nearest->bytes != 0 ? "" : "dynamic ", elements(bytes, place, size)),
                                {}});
}

/// From here on the distance to an allocation says nothing.
constexpr std::uint64_t far_away = std::uint64_t{1} << 32;

/// "100 * 50 * 4" counts bytes already.
bool has_factor(std::string_view product, std::uint32_t factor) {
    while (true) {
        const std::size_t end = std::min(product.find('*'), product.size());
        std::string_view term = product.substr(0, end);
        term.remove_prefix(std::min(term.find_first_not_of(' '), term.size()));
        if (term.substr(0, term.find_last_not_of(' ') + 1) == std::to_string(factor)) return true;
        if (end == product.size()) return false;
        product.remove_prefix(end + 1);
    }
}

/// cudaMalloc(&d, n) where n counts elements: the access is past n bytes, and within n elements of its size.
void suspect_elements(const Allocation& allocation, Address address, std::uint32_t size, Diagnostic& diagnostic) {
    if (allocation.count.empty() || size < 2 || has_factor(allocation.count, size)) return;
    const std::uint64_t whole = allocation.size * size;
    if (address < allocation.begin || address - allocation.begin > whole - size) return;
    // A number says by itself how many bytes it is.
    const std::string what = allocation.count == std::to_string(allocation.size)
                                 ? "sizes count bytes"
                                 : fmt::format("its size is {}, which is {} bytes", allocation.count, allocation.size);
    diagnostic.notes.push_back(
        {fmt::format("{}; {} elements of {} bytes are {} bytes", what, allocation.size, size, whole), {}});
    diagnostic.hint =
        fmt::format("if {} counts elements, allocate {} * sizeof(the element)", allocation.count, allocation.count);
}

/// Memory that host and device share is host memory on all sides: what runs over its end lands there.
bool is_beside_shared(const AddressSpace& memory, Address address) {
    const auto nearest = memory.nearest(address);
    if (!nearest || nearest->released || memory.is_device_range(nearest->allocation.begin)) return false;
    const Allocation& allocation = nearest->allocation;
    // The neighbours of registered memory are the program's own.
    const std::uint64_t reach = allocation.kind == MemoryKind::registered
                                    ? std::min<std::uint64_t>(allocation.size, 256)
                                    : std::max<std::uint64_t>(allocation.size, 4096);
    return address >= allocation.begin ? address - allocation.begin < allocation.size + reach
                                       : allocation.begin - address <= reach;
}

/// What was freed may have been given out again in part: an access behind a live array that the kernel was given runs
/// over its end, unless the kernel was given the freed memory, too.
std::optional<Allocation> overrun_argument(const Launch& launch, const Allocation& freed, Address address) {
    std::optional<Allocation> nearest;
    for (std::size_t at = 0; at + sizeof address <= launch.parameters.size(); at += sizeof address) {
        Address argument = 0;
        std::memcpy(&argument, launch.parameters.data() + at, sizeof argument);
        const auto live = launch.memory->find(argument);
        if (!live && freed.contains(argument, 1)) return std::nullopt;
        if (!live || address < live->end()) continue;
        const std::uint64_t reach = std::max<std::uint64_t>(live->size, 4096);
        if (address - live->end() < reach && (!nearest || live->end() > nearest->end())) nearest = *live;
    }
    return nearest;
}

/// A null pointer that the launch was given, that device code was given by malloc, or that was read from memory.
std::string hint_for_null(const Launch& launch) {
    const bool given = std::ranges::any_of(launch.program->pointers, [&](const PointerParameter& pointer) {
        Address argument = 0;
        if (pointer.offset + sizeof argument > launch.parameters.size()) return false;
        std::memcpy(&argument, launch.parameters.data() + pointer.offset, sizeof argument);
        return argument < 4096;
    });
    if (given)
        return "an argument of the launch is null: call cudaMalloc for it first, and check that it succeeds. A "
               "function that allocates for its caller takes float** or float*&";
    if (launch.program->uses_heap)
        return fmt::format(
            "malloc and new in device code return null when the heap of {} bytes is full; "
            "cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes) makes it larger",
            launch.malloc_heap);
    return "the pointer was read from memory, where nothing has set it: give it the address of memory of cudaMalloc";
}

/// "p (cell 3)", for a note.
std::string title_of(const Allocation& allocation) {
    const auto [name, place] = name_and_place(allocation);
    return (name.empty() ? "the allocation" : name) + (place.empty() ? "" : fmt::format(" ({})", place));
}

void explain_wrapped(const WrappedIndex& wrapped, Diagnostic& diagnostic) {
    const std::string name = name_and_place(wrapped.array).first;
    diagnostic.message +=
        fmt::format("far past the end of {}: its unsigned index went below zero, and -{} became {}",
                    name.empty() ? "an allocation" : name, wrapped.below, (std::uint64_t{1} << 32) - wrapped.below);
    diagnostic.notes.push_back(
        {fmt::format("{}: {} bytes of {}", title_of(wrapped.array), wrapped.array.size, name_of(wrapped.array.kind)),
         {}});
    diagnostic.hint = "compute the index with int, and test it before the access";
}

/// Says where a global address lies relative to what is allocated. `base`: what it was computed from, if that is known.
void explain_global(const Launch& launch, Address address, std::uint32_t size, const std::optional<Allocation>& base,
                    Diagnostic& diagnostic) {
    auto nearest = launch.memory->nearest(address);
    if (nearest && base && !base->contains(address, 1))
        nearest = {*base, false};
    else if (nearest && nearest->released && nearest->allocation.contains(address, 1))
        if (auto live = overrun_argument(launch, nearest->allocation, address)) nearest = {std::move(*live), false};
    if (address < 4096 || !nearest) {
        diagnostic.message += fmt::format("at address {:#x}{}", address,
                                          address == 0     ? ": a null pointer"
                                          : address < 4096 ? ": a null pointer plus an offset"
                                                           : "");
        if (address < 4096) diagnostic.hint = hint_for_null(launch);
        return;
    }
    const Allocation& allocation = nearest->allocation;
    if (!allocation.contains(address, 1))
        if (const auto wrapped = find_wrapped_index(launch, address, size, base))
            return explain_wrapped(*wrapped, diagnostic);
    const std::string name = name_and_place(allocation).first;
    const std::string title = name.empty() ? "an allocation" : name;
    const auto place = static_cast<std::int64_t>(address - allocation.begin);
    const bool inside = allocation.contains(address, 1);
    if (!inside && address >= allocation.end() && address - allocation.end() >= far_away) {
        diagnostic.message += fmt::format("at address {:#x}, nowhere near an allocation", address);
        return;
    }
    if (inside && nearest->released) {
        diagnostic.code = "use-after-free";
        diagnostic.message += fmt::format("at byte {} of {}, which was freed", place, name.empty() ? "memory" : name);
    } else if (inside && allocation.contains(address, size)) {
        diagnostic.message += fmt::format("at byte {} of {}, which is read-only", place, title);
    } else if (inside) {
        diagnostic.message += fmt::format("across the end of {}, at byte {} of {}", title, place, allocation.size);
    } else {
        diagnostic.message +=
            fmt::format("{} {}, at byte {} of {}", place < 0 ? "before the beginning of" : "past the end of", title,
                        place, allocation.size);
    }
    const std::string kind = allocation.kind == MemoryKind::variable
                                 ? fmt::format("a variable of {} bytes", allocation.size)
                                 : fmt::format("{} bytes of {}", allocation.size, name_of(allocation.kind));
    diagnostic.notes.push_back({fmt::format("{}: {}{}{}", title_of(allocation), kind,
                                            nearest->released ? ", freed" : "", elements(allocation.size, place, size)),
                                {}});
    if (!nearest->released) suspect_elements(allocation, address, size, diagnostic);
}

/// Memory of another device that the kernel's own was not opened to.
void explain_peer(const Launch& launch, const Allocation& allocation, Diagnostic& diagnostic) {
    const int owner = std::countr_zero(allocation.devices);
    const auto [name, place] = name_and_place(allocation);
    diagnostic.code = "no-peer-access";
    diagnostic.message += fmt::format("of {}, which is memory of device {}; the kernel runs on device {}",
                                      name.empty() ? "an allocation" : name, owner, launch.device);
    if (!place.empty() && !name.empty())
        diagnostic.notes.push_back(
            {fmt::format("{} ({}): {} bytes of {}", name, place, allocation.size, name_of(allocation.kind)), {}});
    diagnostic.hint = fmt::format(
        "once, while device {} is current: cudaDeviceEnablePeerAccess({}, 0); or copy the data with cudaMemcpy",
        launch.device, owner);
}

/// What a function of a header does is told at the line that calls it; the header's line becomes a note.
void name_own_line_first(Diagnostic& diagnostic) {
    if (!is_foreign(diagnostic.where)) return;
    const auto own = std::ranges::find_if(diagnostic.notes, [](const Diagnostic::Note& note) {
        return note.message == called_from_here && !is_foreign(note.where);
    });
    if (own == diagnostic.notes.end()) return;
    const SourceSpot header = std::exchange(diagnostic.where, own->where);
    diagnostic.notes.erase(own);
    std::erase_if(diagnostic.notes, [](const Diagnostic::Note& note) {
        return note.message == called_from_here && is_foreign(note.where);
    });
    diagnostic.notes.push_back({"this is done here, in a function that the line calls", header});
}

const Instruction* end_with(Warp& warp, const Instruction* at, unsigned lane, LaunchStatus status,
                            Diagnostic diagnostic) {
    Block& block = *warp.block;
    diagnostic.where = source_spot(*block.launch, *warp.frame->code, at, &diagnostic.notes);
    name_own_line_first(diagnostic);
    diagnostic.thread = ThreadSpot{std::string(block.launch->kernel), block.id, thread_at(warp, lane)};
    warp.stop = Stop::fault;
    if (!block.fault) block.fault = Fault{status, std::move(diagnostic)};
    return nullptr;
}

/// The shared memory of a block of the cluster, where nothing is.
const Instruction* raise_in_cluster(Warp& warp, const Instruction* at, unsigned lane, std::uint64_t place,
                                    std::uint32_t size, AccessKind kind) {
    const auto& blocks = warp.block->cluster->blocks;
    const std::uint64_t rank = (place >> cluster_shift) - 1, byte = place & (window_size - 1);
    Diagnostic diagnostic =
        error(kind == AccessKind::load ? "oob-read" : "oob-write",
              fmt::format("{}-byte {} at byte {} of the shared memory of ", size, name_of(kind), byte));
    // Recorded on an H200: a block that is not there, or no longer, is a launch failure.
    LaunchStatus status = LaunchStatus::launch_failure;
    if (rank >= blocks.size()) {
        diagnostic.message += fmt::format("a block that is not there: the cluster has {} blocks", blocks.size());
        diagnostic.hint = "ranks go from 0 to cluster.num_blocks() - 1";
    } else if (blocks[rank]->done()) {
        diagnostic.code = "use-after-free";
        diagnostic.message += fmt::format("block {}, which has ended", coordinates(blocks[rank]->id));
        diagnostic.hint = "a cluster.sync() at the kernel's end keeps every block until the others need it no longer";
    } else {
        diagnostic.message +=
            fmt::format("block {}, which has {} bytes", coordinates(blocks[rank]->id), blocks[rank]->shared_bytes);
        status = LaunchStatus::illegal_address;
    }
    return end_with(warp, at, lane, status, std::move(diagnostic));
}

}  // namespace

namespace {

/// Compilers name no line (`.loc 1 0 0`) for what they moved, out of a loop for example: the line of what follows is
/// meant, which it was made for, or else that of what comes before. Where no line is known of the function: its own.
const ptx::Location& location_near(const Code& code, std::size_t index) {
    const auto own = code.locations.begin() + static_cast<std::ptrdiff_t>(index);
    const auto has_line = [](const ptx::Location& each) { return each.line != 0; };
    if (own->line != 0 || own->file == 0) return *own;
    if (const auto next = std::find_if(own, code.locations.end(), has_line); next != code.locations.end()) return *next;
    const auto before = std::find_if(std::make_reverse_iterator(own), code.locations.rend(), has_line);
    return before == code.locations.rend() ? *own : *before;
}

}  // namespace

bool has_own_line(const Code& code, const Instruction* at) {
    return code.locations[code.index_of(at)].line != 0;
}

bool is_foreign(const SourceSpot& where) {
    const std::string& file = where.file;
    return file.find("include/") != std::string::npos || file.find("__nv_nvrtc") != std::string::npos ||
           file.find("cooperative_groups") != std::string::npos || file == "PTX" || file.empty();
}

std::string coordinates(const Dim3& at) {
    return fmt::format("({},{},{})", at.x, at.y, at.z);
}

Dim3 thread_at(const Warp& warp, unsigned lane) {
    return {warp.tid[0][lane], warp.tid[1][lane], warp.tid[2][lane]};
}

SourceSpot source_spot(const Launch& launch, const Code& code, const Instruction* at,
                       std::vector<Diagnostic::Note>* notes) {
    const ptx::Location& location = location_near(code, code.index_of(at));
    auto spot = [&](unsigned file, unsigned line, unsigned column) {
        const auto& files = *launch.files;
        return SourceSpot{file < files.size() ? files[file] : std::string(), line, column};
    };
    if (location.line == 0) return {"PTX", location.ptx_line, 0};
    SourceSpot where = spot(location.file, location.line, location.column);
    int site = code.source ? location.inlined_at : -1;
    const auto caller = [&] {
        const ptx::InlineSite& inlined = code.source->inline_sites[static_cast<std::size_t>(site)];
        site = inlined.parent;
        return spot(inlined.file, inlined.line, inlined.column);
    };
    // What CUDA C++ builds in (tex2D, surf2Dread) is nobody's source: its caller's line is meant.
    while (site >= 0 && where.file.ends_with("__nv_nvrtc_builtin_header.h")) where = caller();
    while (notes && site >= 0) notes->push_back({called_from_here, caller()});
    return where;
}

std::string value_text(const std::byte* bytes, std::uint32_t size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, std::min<std::size_t>(size, sizeof bits));
    if (size == 4) {
        const float real = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        const auto exponent = static_cast<std::uint32_t>(bits) >> 23 & 0xFF;
        if (exponent > 64 && exponent < 192) return fmt::format("{} (as float)", real);
        return fmt::format("{}", static_cast<std::int32_t>(bits));
    }
    if (size == 8) {
        const std::uint64_t exponent = bits >> 52 & 0x7FF;
        if (exponent > 768 && exponent < 1280) return fmt::format("{} (as double)", std::bit_cast<double>(bits));
        return fmt::format("{}", static_cast<std::int64_t>(bits));
    }
    return fmt::format("{}", bits);
}

const Instruction* raise(Warp& warp, const Instruction* at, LaunchStatus status, std::string code, std::string message,
                         int lane, std::string hint) {
    unsigned who = lane >= 0 ? static_cast<unsigned>(lane) : static_cast<unsigned>(std::countr_zero(warp.mask));
    return end_with(warp, at, who, status, error(std::move(code), std::move(message), std::move(hint)));
}

const Instruction* raise_stack_overflow(Warp& warp, const Instruction* at, std::string_view what, int lane) {
    const std::uint64_t limit = warp.block->launch->stack_limit;
    std::string hint = "check that every recursion ends";
    // An H200 gives threads at most 1 KiB less than their local memory.
    if (2 * limit <= most_local_bytes - 1024)
        hint += fmt::format(", or give threads more stack: cudaDeviceSetLimit(cudaLimitStackSize, {})",
                            std::max<std::uint64_t>(2 * limit, 2048));
    // Recorded on an H200, for recursion and alloca: the thread's next access is beyond its local memory.
    return raise(warp, at, LaunchStatus::illegal_address, "stack-overflow",
                 fmt::format("{} more than {} bytes of stack", what, limit), lane, std::move(hint));
}

const Instruction* raise_access(Warp& warp, const Instruction* at, unsigned lane, Address address,
                                const AccessShape& shape) {
    const std::uint32_t size = shape.size;
    const AccessKind kind = shape.kind;
    ptx::Space space = shape.space;
    const Launch& launch = *warp.block->launch;
    const std::uint64_t of_shared = space == ptx::Space::none ? address - shared_window : address;
    if ((space == ptx::Space::none || space == ptx::Space::shared) && warp.block->cluster && is_of_cluster(of_shared) &&
        address % size == 0)
        return raise_in_cluster(warp, at, lane, of_shared, size, kind);
    if (space == ptx::Space::none && to_window(address, shared_window)) {
        space = ptx::Space::shared;
    } else if (space == ptx::Space::none && to_window(address, local_window)) {
        space = ptx::Space::local;
    }
    const bool writes = kind != AccessKind::load;
    if (address % size != 0) {
        Diagnostic diagnostic =
            error("misaligned-access", fmt::format("{}-byte {} at address {:#x}, which is not a multiple of {}", size,
                                                   name_of(kind), address, size));
        diagnostic.hint = "a pointer to a wider type must be a multiple of that type's size";
        return end_with(warp, at, lane, LaunchStatus::misaligned_address, std::move(diagnostic));
    }
    Diagnostic diagnostic = error(writes ? "oob-write" : "oob-read", fmt::format("{}-byte {} ", size, name_of(kind)));
    LaunchStatus status = LaunchStatus::illegal_address;
    const std::int64_t place = signed_place(address, space == ptx::Space::shared ? launch.shared_base : 0);
    if (space == ptx::Space::shared && place < 0) {
        explain_shared(launch, warp.block->shared_bytes, place, size, diagnostic);
        // Recorded on an H200: far before shared memory as far behind it.
        if (place <= -std::int64_t{launch.profile->shared_per_multiprocessor})
            status = LaunchStatus::illegal_instruction;
    } else if (space == ptx::Space::shared) {
        explain_shared(launch, warp.block->shared_bytes, place, size, diagnostic);
        if (launch.dynamic_shared == 0 && launch.program->uses_dynamic_shared)
            diagnostic.hint = "the kernel uses extern __shared__ memory: give its size as the third launch argument";
        // Recorded on an H200: an access beyond all shared memory is an illegal instruction.
        if (address >= launch.profile->shared_per_multiprocessor) status = LaunchStatus::illegal_instruction;
    } else if (space == ptx::Space::local) {
        diagnostic.message +=
            fmt::format("at byte {} of the thread's local memory, which has {} bytes", place, warp.local_size);
    } else if (space == ptx::Space::param) {
        diagnostic.message += fmt::format("at byte {} of the kernel's parameters", address);
    } else if (const auto owner = launch.memory->find(address); owner && owner->devices == 0) {
        diagnostic.code = "host-pointer-in-kernel";
        diagnostic.message += "of a pool of host memory that the device has no access to";
        diagnostic.hint =
            "give it: cudaMemAccessDesc d = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite}; "
            "cudaMemPoolSetAccess(pool, &d, 1);";
    } else if (const auto peers = launch.memory->find(address); peers && !(peers->devices & launch.reach)) {
        explain_peer(launch, *peers, diagnostic);
    } else if (!launch.memory->is_device_range(address) && !is_beside_shared(*launch.memory, address) &&
               is_host_memory(address)) {
        diagnostic.code = "host-pointer-in-kernel";
        // Not where: the host's addresses are others in every run.
        diagnostic.message =
            fmt::format("the kernel {} ordinary host memory, which it can't reach", words_for(kind).verb);
        diagnostic.hint =
            "a kernel reaches what cudaMalloc, cudaMallocManaged or cudaMallocHost gave; copy other data with "
            "cudaMemcpy";
    } else {
        explain_global(launch, address, size, base_of_access(launch, *warp.frame->code, at), diagnostic);
    }
    if (shape.values && size <= 8) {
        const auto* value = static_cast<const std::byte*>(shape.values) + lane * shape.value_bytes;
        diagnostic.notes.push_back({"this thread writes " + value_text(value, size), {}});
    }
    return end_with(warp, at, lane, status, std::move(diagnostic));
}

}  // namespace cudash::virtual_gpu
