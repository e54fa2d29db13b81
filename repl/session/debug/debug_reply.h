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
    std::string kind;  ///< "breakpoint", "watchpoint", "finding", "interrupt", "launch", "end"; empty: none of them
    unsigned breakpoint = 0;  ///< which one, or which watchpoint
};

/// An expression's values, by lane.
struct DebugLanes {
    std::string expression, type;
    std::vector<std::string> values;  ///< 32; empty: there is none, or not here
    std::string lanes;                ///< as DebugStop::lanes
    std::uint32_t lane = 0;           ///< in focus
};

/// One of the calls that led to where a thread is.
struct DebugFrame {
    std::string function;
    SourceSpot where;
    unsigned level = 0;  ///< as `frame` takes it
    bool is_inlined = false;
    unsigned ptx_line = 0;
};

/// A variable, or a part of one.
struct DebugPart {
    std::string name, type, value;
    std::string expression{};  ///< that gives it; empty: none does
    std::uint64_t parts = 0;   ///< members or elements that `members` lists
    bool is_indexed = false;   ///< they are elements
};

/// A thread of the block in focus.
struct DebugThread {
    std::uint32_t number = 0;  ///< in its block
    Dim3 thread{0, 0, 0};
    std::uint32_t warp = 0, lane = 0;
    std::string state;  ///< "runs", "waits at a barrier"
    SourceSpot where;   ///< line 0: it is nowhere any more
    bool in_focus = false;
};

/// What an answer consists of, for programs that show it in their own way.
struct DebugDetails {
    unsigned breakpoint = 0;   ///< that was set; 0: none
    SourceSpot breakpoint_at;  ///< line 0: at no line yet
    std::vector<DebugFrame> frames;
    std::vector<DebugPart> parts;
    std::vector<DebugThread> threads;
    std::vector<std::string> ptx;
    unsigned ptx_line = 0;  ///< of the first of them
};

}  // namespace cudash::session
