// Races between streams: operations on the same device memory, at least one of which writes, that nothing puts in an
// order: no stream, no event, no wait of the host, no dependency of a graph. Which one ran first here says nothing.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/uses.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"
#include "runtime_wrappers/virtual_gpu/stream/operation.h"

namespace cudash::virtual_gpu {

/// An operation that has run.
struct DeviceWork {
    std::string name;   ///< "kernel scale", "copy to the host"
    SourceSpot origin;  ///< where it was asked for
    bool is_kernel = false;
    int device = 0;
    IssuedIn issued_in;
    Moment moment;
    Uses uses;
};

class StreamRaces {
public:
    /// What it does that others did too that are in no order with it. The uses are settled.
    std::vector<Diagnostic> add(const AddressSpace& memory, DeviceWork work);
    std::size_t size() const { return past_.size(); }
    /// Forgets operations that nothing to come can race with.
    template <class IsOver>
    void forget(IsOver is_over) {
        std::erase_if(past_, [&](const DeviceWork& work) {
            if (!is_over(work.moment)) return false;
            pieces_ -= piece_count(work);
            return true;
        });
    }
    /// The device's memory is gone.
    void end_device(int device) {
        std::erase_if(past_, [&](const DeviceWork& work) {
            if (work.device == device) pieces_ -= piece_count(work);
            return work.device == device;
        });
    }

private:
    static std::size_t piece_count(const DeviceWork& work);

    std::deque<DeviceWork> past_;
    std::size_t pieces_ = 0;
    std::set<std::string> told_;  ///< a loop makes the same mistake in each of its rounds
};

}  // namespace cudash::virtual_gpu
