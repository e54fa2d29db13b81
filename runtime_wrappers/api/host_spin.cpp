#include "runtime_wrappers/api/host_spin.h"

namespace cudash::api {

/// Whether the loop, if it is one, goes on with this read. After a long gap it begins again at the last read.
bool HostSpin::belongs(const ClockRead& read) {
    constexpr std::int64_t little_work = 20'000;  // nanoseconds
    constexpr unsigned few_gaps = 8;
    if (reads_ == 0 || read.calls != last_.calls) return false;
    const bool is_same_place = read.caller == last_.caller;
    if (after_long_gap_ && !is_same_place) counted_ = last_.now, reads_ = 1, long_gaps_ = 0;
    after_long_gap_ = read.worked - last_.worked > little_work;
    if (!after_long_gap_) return true;
    if (reads_ == 1) return !is_same_place;
    return ++long_gaps_ <= few_gaps;
}

/// A loop that has hardly begun may be over once the thread runs again.
bool HostSpin::is_loop(const ClockRead& read) const {
    constexpr unsigned many_reads = 32, some_reads = 3;
    if (reads_ >= many_reads) return true;
    return reads_ >= some_reads && long_gaps_ == 0 && read.caller == last_.caller && read.now - counted_ >= unit;
}

std::int64_t HostSpin::read(const ClockRead& read) {
    if (!goes_on(read.calls)) {
        if (!belongs(read)) {
            *this = {};
            counted_ = read.now;
        }
        is_known_ = is_loop(read);
        last_ = read;
        ++reads_;
        if (!is_known_) return 0;
    }
    const std::int64_t passed = (read.now - counted_) / unit * unit;
    counted_ += passed;
    return passed;
}

}  // namespace cudash::api
