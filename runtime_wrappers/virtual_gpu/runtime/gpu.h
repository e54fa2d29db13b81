// The virtual GPU as the CUDA runtime sees it: devices with their contexts, memory, streams and events, and the modules
// of the session's device code. The bodies of the API functions work on this.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/function.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/model/shared_memory/banks.h"
#include "runtime_wrappers/virtual_gpu/runtime/context_state.h"
#include "runtime_wrappers/virtual_gpu/runtime/images.h"
#include "runtime_wrappers/virtual_gpu/runtime/libraries.h"
#include "runtime_wrappers/virtual_gpu/runtime/memory_manager.h"
#include "runtime_wrappers/virtual_gpu/runtime/modules.h"
#include "runtime_wrappers/virtual_gpu/runtime/persisting_l2.h"
#include "runtime_wrappers/virtual_gpu/runtime/refusal.h"
#include "runtime_wrappers/virtual_gpu/runtime/repeated_launches.h"
#include "runtime_wrappers/virtual_gpu/runtime/scheduler.h"
#include "runtime_wrappers/virtual_gpu/runtime/tensor_maps.h"
#include "runtime_wrappers/virtual_gpu/runtime/unwaited_output.h"

namespace cudash::virtual_gpu {
class Checks;
class Debugger;
class Profiler;
class StreamRaces;
}  // namespace cudash::virtual_gpu

namespace cudash::virtual_gpu::runtime {

class Graphs;
class HostHazards;

/// What the context of one device holds beside memory and streams.
struct Device {
    std::array<std::size_t, 7> limits{};  ///< by cudaLimit
    cudaFuncCache cache_config = cudaFuncCachePreferNone;
    BankSize bank_size = BankSize::four_bytes;
    unsigned flags = cudaDeviceMapHost;
    std::set<int> peers;
    bool heap_used = false;  ///< a kernel that allocates memory has run
};

/// What is known of launches beside the work that they make.
struct LaunchLog {
    /// Who debugs a launch (api::Runtime::debug_launches); empty: nobody debugs any.
    std::function<std::shared_ptr<Debugger>(const std::string& kernel, bool has_source)> debugger;
    std::uint64_t given = 0;              ///< kernels that were given to streams so far
    std::uint64_t told_of = 0;            ///< the launch, from 1, whose findings are being told; 0: none
    std::set<std::string> told_findings;  ///< that a launch from the same place found before
    bool observing = false;               ///< a launch is observed now: another one in its midst is not
    const bool skips_repeats = runtime::skips_repeats();
    RepeatedLaunches repeated;
    UnwaitedOutput unwaited;  ///< of launches that run once the program is over
    /// How often the same was asked of the device, for what differs from time to time.
    std::uint64_t count_repeat(std::uint64_t what) { return repeats[what]++; }
    std::map<std::uint64_t, std::uint64_t> repeats;
};

class Gpu {
public:
    /// `active` holds the device code and the events, and outlives the GPU.
    static Result<std::unique_ptr<Gpu>> create(const Profile& profile, int count, const api::Active& active,
                                               std::chrono::milliseconds kernel_timeout,
                                               MakeCodeGenerator compiler = nullptr);

    const Profile& profile;
    const api::Active& active;
    std::chrono::milliseconds kernel_timeout;
    ContextState context;
    Images images;
    MemoryManager memory;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Checks> checks;
    std::unique_ptr<HostHazards> hazards;
    std::unique_ptr<StreamRaces> stream_races;
    std::unique_ptr<Profiler> profiler;
    std::vector<Device> devices;
    PersistingL2 persisting_l2;
    /// Each device has variables and functions' attributes of its own; managed variables are of all.
    std::vector<std::unique_ptr<Modules>> modules_of;
    ManagedVariables managed_variables;
    Libraries libraries;
    std::unique_ptr<Graphs> graphs;
    std::vector<std::shared_ptr<Capture>> captures;  ///< that have begun and not ended
    LaunchLog launches;
    Scheduler scheduler;
    ~Gpu();

    /// One API call: takes the lock and decides whether the function may run at all.
    class Call {
    public:
        Call(Gpu& gpu, api::Support support) : gpu_(gpu), lock_(gpu.scheduler.lock, std::defer_lock) {
            if (gpu.context.is_of_parent_process(support)) {
                status_ = refuse_in_child(support);
                return;
            }
            lock_.lock();
            status_ = gpu.admit(support);
            gpu.scheduler.count_call();
        }
        ~Call() {
            if (lock_) gpu_.call_ends();
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        cudaError_t status() const { return status_; }

    private:
        Gpu& gpu_;
        std::unique_lock<CallLock> lock_;
        cudaError_t status_ = cudaSuccess;
    };

    Device& device() { return devices[static_cast<std::size_t>(current())]; }
    int current() const { return api::thread_state().device; }
    /// Whose memory kernels of `device` may use: its own and that of the peers that it was opened to.
    DeviceSet reach_of(int device) const {
        DeviceSet set = device_set(device);
        for (const int peer : devices[static_cast<std::size_t>(device)].peers) set |= device_set(peer);
        return set;
    }
    Modules& modules(int device) { return *modules_of[static_cast<std::size_t>(device)]; }
    Modules& modules() { return modules(current()); }
    bool has_device(int index) const { return index >= 0 && index < static_cast<int>(devices.size()); }
    /// Where the program is now.
    SourceSpot place() const { return active.place().where; }

    /// The stream behind a handle, default streams included; nullptr after saying why.
    Stream* stream(cudaStream_t handle);
    Event* event(cudaEvent_t handle);

    /// Has the stream do it after all that it was asked before, or records it while the stream is being captured. The
    /// operation is in `issued` if one was made.
    cudaError_t submit(Stream& stream, Task task, OperationPtr* issued = nullptr);
    /// cudaDeviceReset: everything that the current device's context holds goes.
    void reset();
    void initialise(Device& device);

private:
    Gpu(const Profile& profile, int count, const api::Active& active, std::unique_ptr<AddressSpace> space,
        MakeCodeGenerator compiler);
    SchedulerHooks hooks();
    void call_ends();
    cudaError_t admit(api::Support support);
};

}  // namespace cudash::virtual_gpu::runtime
