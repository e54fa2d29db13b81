#include "runtime_wrappers/virtual_gpu/exec/stops.h"

#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {

const Instruction* run_stop(const Instruction* i, Warp& w) {
    Stops* const stops = w.block->launch->stops;
    // A kernel that debug code launches is not debugged itself.
    if (!stops) return next(i, w);
    std::uint8_t mark = stops->marked[i->extra];
    if ((stops->moment >= stops->ask_at || (mark & Stops::asked)) && !stops->arrives(w, i)) [[unlikely]] {
        w.count_before(i);
        w.block->fault = Fault{LaunchStatus::cancelled, {}};
        w.stop = Stop::fault;
        return nullptr;
    }
    mark = stops->marked[i->extra];  // breakpoints may have come
    stops->marked[i->extra] = static_cast<std::uint8_t>(mark | Stops::seen);
    w.stopped_at = stops->moment++;
    w.frame->last_stop = i;
    if (!(mark & Stops::foreign)) w.stepped = w.frame;
    return next(i, w);
}

}  // namespace cudash::virtual_gpu
