// A copy of this process (fork) that reads or tries something and tells what it found. What it changes, and how it
// ends, stays its own.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace cudash::session {

struct CopyLimits {
    unsigned processor_seconds = 0;  ///< 0: none
    std::chrono::milliseconds wait;  ///< the copy may have inherited a lock that nobody opens
};

struct CopyEnd {
    std::string told;
    bool done = false;  ///< `work` returned, or ended the copy itself without a fault
    int fault = 0;      ///< the signal of the fault that ended it; 0: none, or a limit
};

/// Runs `work` in a copy and waits for it. `work` tells by writing to `file`. Neither done nor fault: the copy was not
/// made (a confined process may not), or met a limit.
CopyEnd in_copy(const std::function<void(int file)>& work, const CopyLimits& limits);

/// Writes all of `text`.
void write_all(int file, std::string_view text);

}  // namespace cudash::session
