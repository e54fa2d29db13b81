// Barriers and warp-level calls that not all threads come to as they must.
//
// Programming Guide, "Synchronization Functions": __syncthreads() "is allowed in conditional code but only if the
// conditional evaluates identically across the entire thread block". "Warp Shuffle Functions": "Each calling thread
// must have its own bit set in the mask", and to read from a thread that takes no part gives an undefined value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/findings.h"

namespace cudash::virtual_gpu {

/// Who has come to one barrier of a block since it was last complete.
struct BarrierPhase {
    std::vector<std::uint32_t> came, waited;  ///< masks, by warp
    struct Place {
        PlaceRecord record;
        std::uint32_t index = 0;
    };
    std::vector<Place> places;  ///< different instructions
    bool counted = false;       ///< for a number of threads that the program gives

    void add(const PlaceRecord& record, std::size_t warps, bool waits);
    void clear();
};

class BarrierCheck {
public:
    explicit BarrierCheck(Findings& findings) : findings_(findings) {}
    void completed(const BarrierPhase& phase, std::uint64_t block) const;
    void collective(const CollectiveRecord& record) const;
    void shuffle(const ShuffleRecord& record) const;

private:
    Findings& findings_;
};

}  // namespace cudash::virtual_gpu
