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
    Paint paint;
    std::string_view meaning;
};
inline constexpr std::array lane_signs = {LaneSign{'a', '#', Paint::good, "active"},
                                          LaneSign{'d', '.', Paint::pale, "diverged"},
                                          LaneSign{'j', '-', Paint::soft, "waiting to reconverge"},
                                          LaneSign{'b', '|', Paint::orange, "at a barrier"},
                                          LaneSign{'c', '~', Paint::violet, "in a warp-level call"},
                                          LaneSign{'f', 'x', Paint::quiet, "finished"},
                                          LaneSign{'n', ' ', Paint::paper, ""}};

inline const LaneSign& sign_of(char letter) {
    const auto* found = std::ranges::find(lane_signs, letter, &LaneSign::letter);
    return found == lane_signs.end() ? lane_signs.back() : *found;
}

/// Lines of source that are shown before a stop, and as many after it.
inline constexpr unsigned lines_around_stop = 2;

}  // namespace cudash::view
