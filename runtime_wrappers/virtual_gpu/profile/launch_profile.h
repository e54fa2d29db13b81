// What a profiled launch did, by instruction: what the executor counted, and what its accesses to memory cost by the
// rules of every generation. Counters and lines are read off it for any profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/exec/observer.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_cost.h"
#include "runtime_wrappers/virtual_gpu/model/carveout.h"
#include "runtime_wrappers/virtual_gpu/model/occupancy.h"
#include "runtime_wrappers/virtual_gpu/model/time.h"
#include "runtime_wrappers/virtual_gpu/profile/access_patterns.h"
#include "runtime_wrappers/virtual_gpu/profile/cache_model.h"
#include "runtime_wrappers/virtual_gpu/profile/traffic.h"

namespace cudash::virtual_gpu {

enum class MemorySpace : std::uint8_t { global, shared, local };

struct LaunchProfile {
    struct Instruction {
        std::string function;  ///< as its author wrote it
        std::string text;      ///< as PTX
        SourceSpot where;      ///< line 0: of no line: the compiler made it, or moved it out of a loop
        InstructionCost cost;
        std::vector<std::uint32_t> written, read;  ///< registers, by numbers of their own in the launch
        std::uint64_t warps = 0, threads = 0;      ///< executions, by warps and by their active threads
        bool branch = false;
        std::uint64_t diverged = 0;  ///< of a branch: executions in which the warp's threads parted
    };
    /// What accesses of one kind to one space by one instruction cost.
    struct Access {
        std::uint32_t instruction = 0;
        MemorySpace space = MemorySpace::global;
        AccessKind kind = AccessKind::load;
        std::uint32_t size = 0;  ///< bytes per lane
        Traffic traffic;         ///< of local memory: how many accesses only
        /// The first of those that cost most by the rule of the profile that the kernel ran on.
        WarpAccess worst;
        AccessOrigin worst_at;
    };

    std::string kernel;
    Dim3 grid, block;
    std::uint32_t shared_bytes = 0, dynamic_shared = 0;  ///< of a block; the first is all of it
    Profile device = unnamed_profile();                  ///< that it ran on
    std::uint64_t program = 0;                           ///< Program::serial
    LaunchContext context;
    Occupancy occupancy;  ///< on the device that it ran on
    OnChipSplit on_chip;
    CacheCounts caches;
    CacheContents l2;  ///< when it had ended
    PartitionTimes partitions;
    KernelTime time;                        ///< modelled
    std::vector<Instruction> instructions;  ///< the kernel's, then those of functions that it called; in their order
    std::vector<Access> accesses;           ///< by instruction

    /// The same code with the same configuration: counters can be added up.
    bool is_like(const LaunchProfile& other) const;
    void add(const LaunchProfile& other);
    /// What was counted of some blocks, for all: executions and accesses, not what the caches did.
    void scale(double factor);
};

/// Sums for a launch, a line or an instruction, as a GPU of one profile would count them.
struct Counters {
    struct Global {
        std::uint64_t requests = 0, transactions = 0, sectors = 0, ideal_sectors = 0, threads = 0;
    };
    struct Shared {
        std::uint64_t accesses = 0, wavefronts = 0, ideal = 0, threads = 0;
    };
    std::uint64_t warps = 0, threads = 0;  ///< instructions executed
    std::uint64_t branches = 0, diverged = 0;
    Global global[3];  ///< by AccessKind
    Shared shared[3];
    std::uint64_t local_accesses = 0;
    CacheCounts caches;  ///< of launches on the device that they ran on; zeros otherwise

    void add(const Counters& other);
    void add(const LaunchProfile::Instruction& instruction);
    void add(const LaunchProfile::Access& access, const Profile& device, const PriceOptions& options);
};

Counters count(const LaunchProfile& launch, const Profile& device, const PriceOptions& options);
inline Counters count(const LaunchProfile& launch, const Profile& device) {
    return count(launch, device, launch.context.chosen);
}

/// By LaunchProfile::instructions.
std::vector<Counters> count_instructions(const LaunchProfile& launch, const Profile& device);

struct LineCounters {
    SourceSpot where;  ///< column 0; line 0: instructions of unknown lines
    Counters counters;
};
/// Sorted by file and line.
std::vector<LineCounters> count_lines(const LaunchProfile& launch, const Profile& device);

}  // namespace cudash::virtual_gpu
