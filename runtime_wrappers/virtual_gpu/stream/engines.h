// When the engines of a device are busy on the modelled clock: kernels run side by side as long as their shares fit,
// and each copy engine does one copy at a time. Nanoseconds.
#pragma once

#include <array>
#include <vector>

#include "runtime_wrappers/virtual_gpu/stream/operation.h"

namespace cudash::virtual_gpu {

class Engines {
public:
    /// `copy_engines`: as cudaDeviceProp::asyncEngineCount. With one, both directions share it; with none, copies and
    /// kernels take turns. `most_kernels`: resident grids per device.
    Engines(unsigned copy_engines, unsigned most_kernels) : copy_engines_(copy_engines), most_kernels_(most_kernels) {}

    /// Takes the first gap at or after `earliest`; returns when the work ends. Kernels of higher priority (a lower
    /// number) may come in between: their blocks go first as those of this one end.
    double place(const Usage& usage, double earliest, int priority = 0);
    /// No later work begins before `time`.
    void forget_before(double time);

private:
    struct Interval {
        double begin, end, share;
        int priority;
    };
    struct Schedule {
        std::vector<Interval> busy;  ///< by their ends
        double last = 0;
    };
    std::size_t index_of(Engine engine) const;

    unsigned copy_engines_, most_kernels_;
    std::array<Schedule, 3> engines_;
};

}  // namespace cudash::virtual_gpu
