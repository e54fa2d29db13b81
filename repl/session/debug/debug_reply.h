// What the debugger answers, as plain data beside an outcome's text and table. The front end draws it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// Where a launch stands.
struct DebugStop {
    std::string why;       ///< "breakpoint 1"; empty: that was asked for
    std::string function;  ///< "k"; empty: the launch has ended
    SourceSpot where;
    Dim3 block{0, 0, 0}, thread{0, 0, 0};
    std::uint32_t warp = 0, lane = 0;  ///< in focus
    std::uint64_t moment = 0;
    /// A letter for each lane of the warp: active, diverged, joins, barrier, collective, finished, none: "adjbcfn".
    std::string lanes;
    bool with_source = true;
};

/// An expression's values, by lane.
struct DebugLanes {
    std::string expression, type;
    std::vector<std::string> values;  ///< 32; empty: there is none, or not here
    std::string lanes;                ///< as DebugStop::lanes
    std::uint32_t lane = 0;           ///< in focus
};

}  // namespace cudash::session
