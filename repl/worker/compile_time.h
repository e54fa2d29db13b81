// The time at which a stranger's code is compiled: always the same, or `__TIME__` would be another number on each run.
#pragma once

namespace cudash::worker {

/// From now on ctime(3), which NVRTC takes `__DATE__` and `__TIME__` from, tells the beginning of 1970. (clang takes
/// them from SOURCE_DATE_EPOCH.)
void fix_compile_time();

}  // namespace cudash::worker
