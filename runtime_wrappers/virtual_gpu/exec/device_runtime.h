// The device runtime: what cudaXxx() calls and <<<>>> in device code become (libcudadevrt's functions of CUDA 12 and
// 13).
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/child_work.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

class LoadedModule;
struct Profile;

/// The handler of a call to `name`, or nullptr if it is not a function of the device runtime.
Handler select_device_runtime(std::string_view name);

/// What lies at an address of text_window.
std::string_view text_of(Address address, const DeviceRuntime* runtime);

/// What one grid has asked for so far. Its blocks run one after the other, so that the order is the same in every run.
class DeviceQueue {
public:
    /// `room`: operations that it may ask for.
    DeviceQueue(const LoadedModule& module, const Profile& profile, AddressSpace& memory, const DeviceRuntime* runtime,
                std::uint64_t room)
        : module_(module), profile_(profile), memory_(memory), runtime_(runtime), room_(room) {}
    ~DeviceQueue();
    DeviceQueue(const DeviceQueue&) = delete;
    DeviceQueue& operator=(const DeviceQueue&) = delete;

    struct Thread {
        std::uint64_t block = 0;
        std::uint32_t warp = 0, lane = 0;
        friend auto operator<=>(const Thread&, const Thread&) = default;
    };

    /// Memory for the parameters of a launch; 0: there is none, and the thread's last error says why.
    Address parameter_buffer(const Thread& thread, Address function, Dim3 grid, Dim3 block, std::uint32_t shared);
    /// Of the launch whose parameters lie there. Returns an error's number, as all of these do.
    int launch(const Thread& thread, Address buffer, std::uint64_t stream);
    int add(const Thread& thread, ChildWork work);
    /// The newest value counts, however many threads set one.
    void set_condition(std::uint64_t handle, std::uint32_t value);

    int fail(const Thread& thread, int error);
    int last_error(const Thread& thread, bool clear);
    /// "child" for the address of a kernel, or "".
    std::string_view kernel_at(Address function) const;

    const DeviceRuntime* runtime() const { return runtime_; }
    std::uint64_t next_handle() { return ++handles_; }
    std::vector<ChildWork> take() { return std::move(work_); }

private:
    struct Planned {
        ChildLaunch launch;
        std::uint32_t parameter_bytes = 0;
    };
    const LoadedModule& module_;
    const Profile& profile_;
    AddressSpace& memory_;
    const DeviceRuntime* runtime_;
    std::uint64_t room_, handles_ = 0x1000;
    std::vector<ChildWork> work_;
    std::map<Address, Planned> planned_;
    std::set<Thread> launching_;
    std::map<Thread, int> errors_;
    std::vector<Address> buffers_;
};

}  // namespace cudash::virtual_gpu
