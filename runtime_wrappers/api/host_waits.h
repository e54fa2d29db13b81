// Waits of the program that are none of the runtime's: sleeping, yielding, waiting for a time.
#pragma once

namespace cudash::api {

/// The program is about to wait, for so many nanoseconds at least. What it asked a virtual GPU for goes on first.
void host_waits(double nanoseconds);
/// The program reads a clock. Who does nothing else for a while spins until a time: that is a wait too, and counts in
/// steps of 0.1 ms, so that it is the same in every run unless others keep the processor busy. `caller` is the place in
/// the program from which it reads the clock.
void host_reads_clock(const void* caller);
/// Whether that still goes on: a host function of the program's takes its time.
bool work_goes_on();

}  // namespace cudash::api
