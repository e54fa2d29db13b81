// Whether a program that reads clocks waits until a time, or measures what it computes.
#include "runtime_wrappers/api/host_spin.h"

#include <doctest/doctest.h>

using namespace cudash::api;

namespace {

constexpr std::int64_t microsecond = 1'000, millisecond = 1'000'000;

/// A thread, its clocks, and what it has waited by our count.
class Program {
public:
    void computes(std::int64_t nanoseconds) { now_ += nanoseconds, worked_ += nanoseconds; }
    /// Others have the processor; `seen` is what the computer counts as the thread's own time.
    void rests(std::int64_t nanoseconds, std::int64_t seen) { now_ += nanoseconds, worked_ += seen; }
    void calls() { ++calls_; }
    void reads(int place) {
        const char* const code = "where the program reads clocks";
        waited_ += spin_.read({code + place, calls_, now_, worked_});
        computes(microsecond / 10);
    }
    /// A loop of so many reads, `gap` apart.
    void loops(int place, int reads_in_all, std::int64_t gap) {
        for (int i = 0; i < reads_in_all; ++i) reads(place), computes(gap);
    }
    void spins(int place, std::int64_t nanoseconds) {
        const std::int64_t end = now_ + nanoseconds;
        for (reads(place); now_ < end;) reads(place + 1);
    }
    std::int64_t waited() const { return waited_; }

private:
    HostSpin spin_;
    std::int64_t now_ = 5 * millisecond, worked_ = millisecond, waited_ = 0;
    std::uint64_t calls_ = 3;
};

}  // namespace

TEST_CASE("host spin: a loop counts from its first read, in steps of 0.1 ms") {
    Program program;
    program.spins(0, 50 * millisecond + 30 * microsecond);
    CHECK(program.waited() == 50 * millisecond);
    program.calls();
    program.spins(0, 7 * millisecond + 30 * microsecond);
    CHECK(program.waited() == 57 * millisecond);
}

TEST_CASE("host spin: the computer takes the processor away") {
    for (const int when : {1, 2, 5, 31, 100}) {
        Program program;
        CAPTURE(when);
        program.reads(0);
        for (int i = 1; i < when; ++i) program.reads(1);
        program.rests(20 * millisecond, 10 * millisecond);
        for (int i = 0; i < 60'000; ++i) program.reads(1);
        CHECK(program.waited() >= 26 * millisecond - 200 * microsecond);
    }
}

TEST_CASE("host spin: a loop may be over when its thread gets the processor back") {
    Program program;
    program.loops(0, 1, 0);
    program.loops(1, 4, 0);
    program.rests(6 * millisecond, 0);
    program.reads(1);
    CHECK(program.waited() == 6 * millisecond);
}

TEST_CASE("host spin: lines with their times are no loop") {
    Program program;
    for (int i = 0; i < 20; ++i) {
        program.computes(2 * millisecond);
        program.loops(0, 3, microsecond);
    }
    program.calls();
    program.loops(0, 20, 3 * microsecond);
    CHECK(program.waited() == 0);
}

TEST_CASE("host spin: what is computed and measured before the loop does not count") {
    Program program;
    program.reads(0);
    program.computes(30 * millisecond);
    program.reads(1);
    program.spins(2, 5 * millisecond);
    CHECK(program.waited() == 5 * millisecond);
}

TEST_CASE("host spin: the same where a function of the program's reads the clock") {
    Program program;
    for (int i = 0; i < 3; ++i) {
        program.reads(0);
        program.computes(30 * millisecond);
    }
    program.loops(0, 50'301, 0);
    CHECK(program.waited() == 5 * millisecond);
}

TEST_CASE("host spin: what is computed between asking for the time and waiting for its end counts as a part of it") {
    Program program;
    program.reads(0);
    program.computes(3 * millisecond);
    program.loops(1, 20'001, 0);
    CHECK(program.waited() == 5 * millisecond);
}

TEST_CASE("host spin: measuring is no wait") {
    Program program;
    for (int i = 0; i < 200; ++i) {
        program.reads(0);
        program.computes(millisecond);
        program.reads(1);
    }
    program.loops(2, 200, 50 * microsecond);
    for (int i = 0; i < 200; ++i) {
        program.calls();
        program.loops(3, 4, 0);
        program.computes(millisecond);
    }
    CHECK(program.waited() == 0);
}

TEST_CASE("host spin: after calls of the runtime a loop has to be told anew") {
    Program program;
    program.loops(0, 100, 0);
    program.computes(300 * microsecond);
    program.calls();
    program.reads(0);
    CHECK(program.waited() == 0);
}
