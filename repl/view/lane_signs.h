// How the states of lanes are shown where a launch stands in the debugger: one table.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "repl/view/picture/theme.h"

namespace cudash::view {

struct LaneSign {
    char letter;  ///< as DebugStop::lanes has it
    char sign;
    Ink ink;
    std::string_view meaning;
};
inline constexpr std::array lane_signs = {LaneSign{'a', '#', Ink::good, "active"},
                                          LaneSign{'d', '.', Ink::pale, "diverged"},
                                          LaneSign{'j', '-', Ink::soft, "waiting to reconverge"},
                                          LaneSign{'b', '|', Ink::orange, "at a barrier"},
                                          LaneSign{'c', '~', Ink::violet, "in a warp-level call"},
                                          LaneSign{'f', 'x', Ink::quiet, "finished"},
                                          LaneSign{'n', ' ', Ink::paper, ""}};

inline const LaneSign& sign_of(char letter) {
    const auto* found = std::ranges::find(lane_signs, letter, &LaneSign::letter);
    return found == lane_signs.end() ? lane_signs.back() : *found;
}

/// Lines of source that are shown before a stop, and as many after it.
inline constexpr unsigned lines_around_stop = 2;

}  // namespace cudash::view
