// What the checkers found in one launch: each kind of mistake at a pair of places once, with a count of the others.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/exec/observer.h"

namespace cudash::virtual_gpu {

/// Where the program's author would look for an instruction: of what headers hold, the place that uses it.
SourceSpot author_spot(const Launch& launch, const Code& code, const Instruction* at);
ThreadSpot thread_spot(const Launch& launch, std::uint64_t block, std::uint32_t warp, unsigned lane);
/// "thread (3,0,0) of block (1,0,0)"
std::string name_of_thread(const ThreadSpot& thread);
/// "byte 40 of 400 bytes of device memory (cell 3)"
std::string name_of_place(const Launch& launch, std::uint64_t address);
/// "byte 40 of tile (1024 bytes of shared memory)"
std::string name_of_shared_place(const Launch& launch, std::uint64_t offset);

/// What would order a race: decided when all of a line's are known.
struct RaceRemedy {
    enum class Reach : std::uint8_t { warp, block, grid };
    Reach reach = Reach::warp;  ///< of the widest pair
    bool shared = false;
    bool within_line = false;   ///< a line that reads and writes meets itself, as the first found
    bool both_write = false;    ///< two threads write one place
    bool one_store = false;     ///< and that in one instruction, which only stores
    bool many_warps = false;    ///< of each block
    bool has_barriers = false;  ///< __syncthreads() in the kernel
    bool lost_index = false;    ///< different threads compute one index, from nothing but their own

    void join(const RaceRemedy& other) {
        reach = std::max(reach, other.reach);
        both_write |= other.both_write;
        one_store &= other.one_store;
        lost_index |= other.lost_index;
    }
    std::string hint() const;
};

/// The other party of a race: a thread, and the word that both access.
struct OtherAccess {
    std::uint64_t block = 0;
    std::uint32_t warp = 0, lane = 0;
    bool writes = false, in_shared = false;
    std::uint64_t address = 0;  ///< of the word; of shared memory in its state space
    std::uint32_t bytes = 0;
};

/// Is told of each new finding at the moment it is made.
class FindingWatch {
public:
    virtual ~FindingWatch() = default;
    /// Without its hint, which depends on what else is found. `other`: nullptr if there is none.
    virtual void found(const Diagnostic& finding, const OtherAccess* other) = 0;
};

class Findings {
public:
    FindingWatch* watch = nullptr;  ///< nobody, in most launches
    void begin(const Launch& launch) { launch_ = &launch, found_.clear(), same_values_.clear(), left_out_ = 0; }
    const Launch& launch() const { return *launch_; }
    /// `code` with the same places is the same mistake: `make` is called for the first only.
    void add(std::string_view code, const void* place, const void* other_place,
             const std::function<Diagnostic()>& make);
    /// Threads write the same value with this instruction, which is not told: it counts for what helps all the same.
    void note_same_value(const void* place) { same_values_.insert(place); }
    /// The same of a race. What `make` gives as `remedy.within_line` counts, and its hint, unless it has one.
    void add_race(std::string_view code, const void* place, const void* other_place, RaceRemedy remedy,
                  const OtherAccess& other, const std::function<Diagnostic(RaceRemedy&)>& make);
    /// Those of the launch that another one gathered.
    void join(Findings&& other);
    std::vector<Diagnostic> take();

private:
    void add_new(std::string_view code, const void* place, const void* other_place, const OtherAccess* other,
                 const std::function<Diagnostic()>& make);
    struct Found {
        std::string_view code;
        const void *place, *other_place;
        Diagnostic diagnostic;
        std::uint64_t more = 0;
        std::optional<RaceRemedy> remedy{};
    };
    Found* find(std::string_view code, const void* place, const void* other_place);

    const Launch* launch_ = nullptr;
    std::vector<Found> found_;
    std::uint64_t left_out_ = 0;
    std::set<const void*> same_values_;
};

}  // namespace cudash::virtual_gpu
