// A machine that runs random kernels: the virtual GPU or a real one, from the same PTX.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime_wrappers/result.h"
#include "tests/fuzz/differential/kernel.h"

namespace cudash::fuzz {

/// A module loaded on a device.
class Loaded {
public:
    virtual ~Loaded() = default;
    /// The results of all threads, then the totals: 64-bit words.
    virtual Result<std::vector<std::uint64_t>> run(const Kernel& kernel) = 0;
};

class Device {
public:
    virtual ~Device() = default;
    /// PTX, or a CUBIN if the device takes one.
    virtual Result<std::unique_ptr<Loaded>> load(const std::string& code) = 0;
    /// True if a CUBIN for sm_90 does: NVRTC makes one on every core at once, the driver one after the other.
    virtual bool takes_cubin() const { return false; }
    /// "NVIDIA H200", "virtual:h200" and the driver's version.
    virtual std::string name() const = 0;
    virtual std::string driver() const = 0;
};

/// `host_threads` 0: one per core.
Result<std::unique_ptr<Device>> open_virtual_device(unsigned host_threads);
Result<std::unique_ptr<Device>> open_real_device();

}  // namespace cudash::fuzz
