#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/isa/address_windows.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"

namespace cudash::virtual_gpu {
namespace {

const char* name_of(AccessKind kind) {
    constexpr const char* names[] = {"read", "write", "atomic access"};
    return names[static_cast<int>(kind)];
}

const char* name_of(MemoryKind kind) {
    constexpr const char* names[] = {"device memory",          "variable",       "pinned host memory",
                                     "registered host memory", "managed memory", "device-heap block"};
    return names[static_cast<int>(kind)];
}

std::string describe(const Allocation& allocation, bool released) {
    std::string text =
        fmt::format("{}{} bytes of {}", released ? "freed: " : "", allocation.size, name_of(allocation.kind));
    if (allocation.kind == MemoryKind::variable) text = fmt::format("variable of {} bytes", allocation.size);
    return allocation.origin.empty() ? text : fmt::format("{} ({})", text, allocation.origin);
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

/// A place in shared or local memory as a number that may be negative; registers of addresses have 32 or 64 bits.
std::int64_t signed_place(std::uint64_t address) {
    return address <= 0xFFFF'FFFF ? static_cast<std::int32_t>(address) : static_cast<std::int64_t>(address);
}

/// A place before the block's shared memory, by the variable that begins it.
std::string before_shared_memory(const Launch& launch, std::uint32_t shared_bytes, std::int64_t place) {
    const auto& variables = launch.program->shared_variables;  // by where they begin
    const bool one_begins =
        !variables.empty() && variables.front().begin == 0 && (variables.size() == 1 || variables[1].begin != 0);
    if (!one_begins) return fmt::format("at byte {} of shared memory: the block has {} bytes", place, shared_bytes);
    const SharedVariable& first = variables.front();
    return fmt::format("at byte {} of {}, which has {} bytes of {}shared memory", place, first.name,
                       first.bytes != 0 ? first.bytes : launch.dynamic_shared, first.bytes != 0 ? "" : "dynamic ");
}

/// From here on the distance to an allocation says nothing.
constexpr std::uint64_t far_away = std::uint64_t{1} << 32;

/// cudaMalloc(&d, n) where n counts elements: the access is past n bytes, and within n elements of its size.
void suspect_elements(const Allocation& allocation, Address address, std::uint32_t size, Diagnostic& diagnostic) {
    if (allocation.count.empty() || size < 2) return;
    const std::uint64_t whole = allocation.size * size;
    if (address < allocation.begin || address - allocation.begin > whole - size) return;
    diagnostic.notes.push_back({fmt::format("its size is {}, which is {} bytes; {} elements of {} bytes are {} bytes",
                                            allocation.count, allocation.size, allocation.size, size, whole),
                                {}});
    diagnostic.hint =
        fmt::format("if {} counts elements, allocate {} * sizeof(the element)", allocation.count, allocation.count);
}

/// Says where a global address lies relative to what is allocated.
void explain_global(const AddressSpace& memory, Address address, std::uint32_t size, Diagnostic& diagnostic) {
    if (address < 4096) {
        diagnostic.message += address == 0 ? ": a null pointer" : ": a null pointer plus an offset";
        return;
    }
    auto nearest = memory.nearest(address);
    if (!nearest) return;
    const Allocation& allocation = nearest->allocation;
    std::string what = describe(allocation, nearest->released);
    if (allocation.contains(address, 1)) {
        if (nearest->released) {
            diagnostic.code = "use-after-free";
            diagnostic.message += fmt::format(", byte {} of memory that was freed", address - allocation.begin);
        } else if (!allocation.contains(address, size)) {
            diagnostic.message +=
                fmt::format(", {} bytes past the end of an allocation", address + size - allocation.end());
        } else if (allocation.read_only) {
            diagnostic.message += ", in read-only memory";
        }
    } else if (address >= allocation.end()) {
        const std::uint64_t distance = address - allocation.end();
        if (distance >= far_away) {
            diagnostic.message += ", nowhere near an allocation";
            return;
        }
        diagnostic.message += fmt::format(", {} bytes past the end of the nearest allocation", distance);
    } else {
        diagnostic.message += fmt::format(", {} bytes before the nearest allocation", allocation.begin - address);
    }
    diagnostic.notes.push_back({"the nearest memory: " + what, {}});
    if (!nearest->released) suspect_elements(allocation, address, size, diagnostic);
}

const Instruction* end_with(Warp& warp, const Instruction* at, unsigned lane, LaunchStatus status,
                            Diagnostic diagnostic) {
    Block& block = *warp.block;
    diagnostic.where = source_spot(*block.launch, *warp.frame->code, at, &diagnostic.notes);
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

std::string coordinates(const Dim3& at) {
    return fmt::format("({},{},{})", at.x, at.y, at.z);
}

Dim3 thread_at(const Warp& warp, unsigned lane) {
    return {warp.tid[0][lane], warp.tid[1][lane], warp.tid[2][lane]};
}

SourceSpot source_spot(const Launch& launch, const Code& code, const Instruction* at,
                       std::vector<Diagnostic::Note>* notes) {
    const ptx::Location& location = code.locations[code.index_of(at)];
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
    while (notes && site >= 0) notes->push_back({"called from here", caller()});
    return where;
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

const Instruction* raise_access(Warp& warp, const Instruction* at, unsigned lane, Address address, std::uint32_t size,
                                AccessKind kind, ptx::Space space) {
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
        Diagnostic diagnostic = error(
            "misaligned-access",
            fmt::format("{}-byte {} at address {:#x}, which is no multiple of {}", size, name_of(kind), address, size));
        diagnostic.hint = "a pointer to a wider type must be a multiple of that type's size";
        return end_with(warp, at, lane, LaunchStatus::misaligned_address, std::move(diagnostic));
    }
    Diagnostic diagnostic = error(writes ? "oob-write" : "oob-read", fmt::format("{}-byte {} ", size, name_of(kind)));
    LaunchStatus status = LaunchStatus::illegal_address;
    const std::int64_t place = signed_place(address);
    if (space == ptx::Space::shared && place < 0) {
        diagnostic.message += before_shared_memory(launch, warp.block->shared_bytes, place);
        // Recorded on an H200: far before shared memory as far behind it.
        if (place <= -std::int64_t{launch.profile->shared_per_multiprocessor})
            status = LaunchStatus::illegal_instruction;
    } else if (space == ptx::Space::shared) {
        diagnostic.message +=
            fmt::format("at byte {} of shared memory: the block has {} bytes", address, warp.block->shared_bytes);
        if (launch.dynamic_shared == 0 && launch.program->uses_dynamic_shared)
            diagnostic.hint = "the kernel uses extern __shared__ memory: give its size as the third launch argument";
        // Recorded on an H200: an access beyond all shared memory is an illegal instruction.
        if (address >= launch.profile->shared_per_multiprocessor) status = LaunchStatus::illegal_instruction;
    } else if (space == ptx::Space::local) {
        diagnostic.message +=
            fmt::format("at byte {} of the thread's local memory, which has {} bytes", place, warp.local_size);
    } else if (space == ptx::Space::param) {
        diagnostic.message += fmt::format("at byte {} of the kernel's parameters", address);
    } else if (const auto owner = launch.memory->find(address); owner && owner->host_only) {
        diagnostic.code = "host-pointer-in-kernel";
        diagnostic.message += "of a pool of host memory that the device has no access to";
        diagnostic.hint =
            "give it: cudaMemAccessDesc d = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite}; "
            "cudaMemPoolSetAccess(pool, &d, 1);";
    } else if (!launch.memory->is_device_range(address) && is_host_memory(address)) {
        diagnostic.code = "host-pointer-in-kernel";
        // Not where: the host's addresses are others in every run.
        diagnostic.message += "of the host's memory";
        diagnostic.hint =
            "a kernel reaches what cudaMalloc, cudaMallocManaged or cudaMallocHost gave; copy other data with "
            "cudaMemcpy";
    } else {
        diagnostic.message += fmt::format("at address {:#x}", address);
        explain_global(*launch.memory, address, size, diagnostic);
    }
    return end_with(warp, at, lane, status, std::move(diagnostic));
}

}  // namespace cudash::virtual_gpu
