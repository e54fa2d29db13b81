// What the virtual GPU counted of kernels, for cells, lesson checks and graders. Host code only.
//
//   cudash::profile_on();
//   k<<<4, 256>>>(d);
//   cudash::profile("k").metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
//
// Metrics are those of `:profile metrics`, by Nsight Compute's names. They are sums over all launches of the kernel
// since the profile began; a name without template arguments stands for all instances of the template. What is not
// known (a kernel that never ran, a metric that does not exist, a line without instructions) is NaN, and why() says
// which it was.
#pragma once

#include <cuda_runtime.h>

#ifndef __CUDASH__
#error "cudash/profile.h is for cells and cudash run: of what nvcc built, cudash --profile exec PROGRAM shows a profile"
#endif

extern "C" {
void cudash_profile_on(int on);
unsigned long long cudash_profile_launches(const char* kernel);
double cudash_profile_metric(const char* kernel, unsigned line, const char* metric);
double cudash_profile_microseconds(const char* kernel);
int cudash_profile_blocks(const char* kernel);
const char* cudash_profile_bound(const char* kernel);
const char* cudash_profile_why(void);
}

namespace cudash {

class Profile {
public:
    explicit Profile(const char* kernel) : kernel_(kernel) {}
    unsigned long long launches() const { return cudash_profile_launches(kernel_); }
    double metric(const char* name) const { return cudash_profile_metric(kernel_, 0, name); }
    /// Of a line of the source.
    double metric(const char* name, unsigned line) const { return cudash_profile_metric(kernel_, line, name); }
    /// Modelled, of all launches together.
    double microseconds() const { return cudash_profile_microseconds(kernel_); }
    /// What holds it up most: "device memory", "shared memory", "latency".
    const char* bound() const { return cudash_profile_bound(kernel_); }
    /// That one multiprocessor holds at once; -1: not known.
    int blocks_per_multiprocessor() const { return cudash_profile_blocks(kernel_); }
    /// Why the last answer was NaN; "" if it was not.
    static const char* why() { return cudash_profile_why(); }

private:
    const char* kernel_;  // as long as the caller keeps it
};

/// Kernels are counted from now on, or not any more. On a real GPU nothing is.
inline void profile_on(bool on = true) {
    cudaDeviceSynchronize();
    cudash_profile_on(on);
}
/// Waits for what was launched.
inline Profile profile(const char* kernel) {
    cudaDeviceSynchronize();
    return Profile(kernel);
}

}  // namespace cudash
