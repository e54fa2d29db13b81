// The virtual GPU as the CUDA runtime sees it: devices with their contexts, memory, streams and events, and the modules
// of the session's device code. The bodies of the API functions work on this.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/types.h>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/function.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"
#include "runtime_wrappers/virtual_gpu/model/shared_memory/banks.h"
#include "runtime_wrappers/virtual_gpu/runtime/advice.h"
#include "runtime_wrappers/virtual_gpu/runtime/call_lock.h"
#include "runtime_wrappers/virtual_gpu/runtime/host_block.h"
#include "runtime_wrappers/virtual_gpu/runtime/images.h"
#include "runtime_wrappers/virtual_gpu/runtime/interprocess.h"
#include "runtime_wrappers/virtual_gpu/runtime/kernel_thread.h"
#include "runtime_wrappers/virtual_gpu/runtime/libraries.h"
#include "runtime_wrappers/virtual_gpu/runtime/memory_pool.h"
#include "runtime_wrappers/virtual_gpu/runtime/memory_use.h"
#include "runtime_wrappers/virtual_gpu/runtime/modules.h"
#include "runtime_wrappers/virtual_gpu/runtime/persisting_l2.h"
#include "runtime_wrappers/virtual_gpu/runtime/progress.h"
#include "runtime_wrappers/virtual_gpu/runtime/repeated_launches.h"
#include "runtime_wrappers/virtual_gpu/runtime/task.h"
#include "runtime_wrappers/virtual_gpu/runtime/tensor_maps.h"
#include "runtime_wrappers/virtual_gpu/runtime/virtual_memory.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::virtual_gpu {
class Checks;
class Debugger;
class Profiler;
class StreamRaces;
struct Uses;
}  // namespace cudash::virtual_gpu

namespace cudash::virtual_gpu::runtime {

class Graphs;
class HostHazards;

struct PoolChoice {
    cudaMemPool_t standard = nullptr, current = nullptr;
};

/// What the context of one device holds beside memory and streams.
struct Device {
    std::array<std::size_t, 7> limits{};  ///< by cudaLimit
    cudaFuncCache cache_config = cudaFuncCachePreferNone;
    BankSize bank_size = BankSize::four_bytes;
    unsigned flags = cudaDeviceMapHost;
    std::set<int> peers;
    PoolChoice pools;
    MemoryUse memory;        ///< of its blocks, but for those of pools
    bool heap_used = false;  ///< a kernel that allocates memory has run
};

/// What the address space does not keep of a live allocation.
struct Block {
    int device = 0;
    std::uint64_t size = 0;
    cudaMemPool_t pool = nullptr;     ///< stream-ordered memory
    std::optional<HostBlock> host{};  ///< owner of pinned and managed memory
    AdvisedPages advice{};            ///< of managed memory
    bool free_issued = false;         ///< cudaFreeAsync was called and has not run yet
    OperationPtr free{};              ///< that
    GraphMemory* graph = nullptr;     ///< memory of a graph's allocation node
    api::CallPlace made{};            ///< the call that allocated it
};

/// A kernel that has begun and waits for others. What belongs to the operation that runs is put aside with it.
struct WaitingKernel {
    OperationPtr operation;
    std::unique_ptr<KernelThread> thread;
    Usage usage{};
    Uses* uses = nullptr;
    std::string running{};
    bool waited = false;
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
    std::unique_ptr<AddressSpace> memory;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Checks> checks;
    std::unique_ptr<HostHazards> hazards;
    std::map<Address, int> registrations;  ///< host memory that the program registered: the device, by begin
    std::atomic<bool> registered{false};   ///< whether there are any
    std::unique_ptr<Profiler> profiler;
    /// Who debugs a launch (api::Runtime::debug_launches); empty: nobody debugs any.
    std::function<std::shared_ptr<Debugger>(const std::string& kernel, bool has_source)> debug_launch;
    std::uint64_t launches = 0;  ///< kernels that were given to streams so far
    std::uint64_t told_of = 0;   ///< the launch, from 1, whose findings are being told; 0: none
    std::unique_ptr<StreamRaces> stream_races;
    Uses* uses = nullptr;                 ///< of the operation that runs, where somebody asks for them
    std::set<std::string> told_findings;  ///< that a launch from the same place found before
    std::vector<Device> devices;
    std::map<Address, Block> blocks;
    HandleTable<cudaMemPool_t, MemoryPool> pools{0x5000'8000'1000};
    /// Pools of host and of managed memory: the default and the current one of a place, made when asked for.
    std::map<std::pair<MemoryKind, int>, PoolChoice> other_pools;
    Interprocess interprocess;
    VirtualMemory virtual_memory;
    Images images;
    Timeline timeline;
    PersistingL2 persisting_l2;
    /// Each device has variables and functions' attributes of its own; managed variables are of all.
    std::vector<std::unique_ptr<Modules>> modules_of;
    ManagedVariables managed_variables;
    Libraries libraries;
    std::unique_ptr<Graphs> graphs;
    std::vector<std::shared_ptr<Capture>> captures;  ///< that have begun and not ended
    ~Gpu();

    /// One API call: takes the lock and decides whether the function may run at all.
    class Call {
    public:
        Call(Gpu& gpu, api::Support support) : gpu_(gpu), lock_(gpu.mutex_, std::defer_lock) {
            if (gpu.is_of_parent_process(support)) {
                status_ = gpu.refuse_in_child(support);
                return;
            }
            lock_.lock();
            status_ = gpu.admit(support);
            gpu.calls_.fetch_add(1, std::memory_order_relaxed);
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

    /// Says why a call is refused, and returns `error`.
    template <class... Values>
    cudaError_t refuse(cudaError_t error, fmt::format_string<Values...> cause, Values&&... values) {
        api::thread_state().explanation.cause = fmt::format(cause, std::forward<Values>(values)...);
        return error;
    }
    /// The same with advice on what to try.
    cudaError_t refuse_with_hint(cudaError_t error, std::string cause, std::string hint);

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
    SourceSpot place() const { return call_place().where; }
    api::CallPlace call_place() const { return active.events.place ? active.events.place() : api::CallPlace(); }
    /// The same in words, for what is made now, and the variable that it is for: "d_a, cell 2 line 4".
    std::string origin() const;

    /// The stream behind a handle, default streams included; nullptr after saying why.
    Stream* stream(cudaStream_t handle);
    Event* event(cudaEvent_t handle);

    /// Has the stream do it after all that it was asked before, or records it while the stream is being captured. The
    /// operation is in `issued` if one was made.
    cudaError_t submit(Stream& stream, Task task, OperationPtr* issued = nullptr);
    /// Queues an operation that nothing captures.
    OperationPtr issue(Stream& stream, TaskPtr task);
    /// `origin`: where it was asked for, if that is not where the program is now.
    OperationPtr issue_after(int device, TaskPtr task, const std::vector<OperationPtr>& before, int priority = 0,
                             const SourceSpot& origin = {});
    /// Runs what the operations need and the operations, and waits for them on the modelled clock. Returns what went
    /// wrong on the device since the last wait.
    cudaError_t wait_for(const std::vector<OperationPtr>& operations);
    cudaError_t wait_for_device(int device);
    cudaError_t wait_for_devices();
    /// Runs all that the device was asked for, the host not waiting for it on the modelled clock.
    cudaError_t run_all(int device);
    /// Runs what the operation needs and the operation, whatever comes of it.
    void run_before_reuse(const OperationPtr& operation);
    /// Runs the same; cudaErrorNotReady if the modelled clock has them end later than now.
    cudaError_t query(const std::vector<OperationPtr>& operations);
    /// Everything that is queued runs: the end of a cell or of a program.
    cudaError_t settle();
    /// An error of an operation that the context survives: the next wait returns it.
    void note_failure(cudaError_t error, bool told);
    /// Calls of the program so far, and whether something is queued; for Progress.
    std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
    bool work_waits() const { return work_waits_.load(std::memory_order_relaxed); }
    /// Runs what is queued although no call needs it.
    void go_on(Cause cause);
    /// A thread of the program is about to wait, in nothing of the runtime's, for so many nanoseconds at least: what is
    /// queued runs, and the time passes on the modelled clock.
    void host_waits(double nanoseconds);
    /// Kernels that wait look again; nothing new begins.
    void look_again();
    /// Whether what runs because a thread waits is still at it.
    bool goes_on();
    bool in_host_function() const { return host_functions_.load() > 0; }
    bool running_operations() const { return running_; }
    /// Of a kernel that runs in a thread of its own: it waits for others (DeviceOutput::waits); null: it can't.
    KernelThread* waiting_thread() { return step_ ? step_->thread.get() : nullptr; }
    /// Kernels that wait end now, and what they did is of no interest.
    bool abandons() const { return abandons_; }
    bool has_waiting_kernels() const { return kernels_wait_.load(std::memory_order_relaxed); }
    /// Async-signal-safe: what is queued and has not begun is dropped.
    void interrupt() noexcept { interrupted_.store(true), executor->cancel(); }
    /// Whether a call has needed a context: the runtime makes one then.
    bool has_begun() const noexcept { return begun_.load(); }
    bool interrupted() const noexcept { return interrupted_.load(); }
    void forget_interrupt() noexcept { interrupted_.store(false); }

    /// Device memory of the current device, or the error; `block` says what is to be remembered of it.
    cudaError_t allocate(Address& address, std::uint64_t size, Block block);
    /// Whether the device has room for `size` more bytes, of that pool if one is given.
    cudaError_t check_room(std::uint64_t size, int device, const MemoryPool* pool = nullptr);
    /// A launch is observed now: another one in its midst is not.
    bool observing = false;
    const bool skips_repeats = runtime::skips_repeats();
    RepeatedLaunches repeated_launches;
    /// How often the same was asked of the device, for what differs from time to time.
    std::uint64_t count_repeat(std::uint64_t what) { return repeats_[what]++; }
    /// Host memory that kernels reach at its own address; a null pointer for 0 bytes.
    cudaError_t allocate_host(void*& pointer, std::uint64_t size, MemoryKind kind, unsigned flags);
    /// Sets what a block of device memory counts for.
    void resize(Block& block, std::uint64_t size);
    /// Whether the computer has room for `size` more bytes.
    bool host_has_room(std::uint64_t size, std::uint64_t& available);
    /// Whether it has room for device memory that is about to be written: it commits memory as it is touched.
    cudaError_t check_host_room(const std::byte* bytes, std::uint64_t size);
    void trim_pools();
    std::uint64_t free_bytes(int device) const;
    void forget(Address address);
    /// Host memory that the program keeps, and that the devices may use from now on, or no more.
    bool enter_registered(Allocation allocation);
    void leave_registered(Address address);
    /// Frees device or managed memory, of a pool or a graph too; false if it is none that can be freed.
    bool release(Address address);

    /// The sticky error that a kernel left; 0 if none.
    cudaError_t sticky() const { return sticky_; }
    bool context_dead() const { return dead_; }
    /// `told`: the kernel's findings were sent; later calls only repeat the code.
    void lose_context(cudaError_t error, bool told);
    /// cudaDeviceReset: everything that the current device's context holds goes.
    void reset();
    /// What no real GPU can: the context goes on, memory kept.
    void recover() { sticky_ = cudaSuccess, dead_ = false; }
    /// For functions that look at their arguments before the context.
    cudaError_t context_status();

    /// Runs a student's host function, which may not call the runtime. It may fault and never return here, and so runs
    /// without the lock; start_over() clears the mark that it leaves then.
    template <class Body>
    void run_callback(Body body) {
        // On a real device another thread runs it: its errors are not those of this one.
        api::ThreadState& thread = api::thread_state();
        const cudaError_t last_error = thread.last_error;
        thread.in_callback = true;
        ++host_functions_;
        mutex_.unlock();
        body();
        mutex_.lock();
        --host_functions_;
        thread.in_callback = false;
        thread.last_error = last_error;
    }
    /// Between cells: nothing of this thread's is under way.
    void start_over() {
        mutex_.give_back();
        if (std::exchange(api::thread_state().in_callback, false)) --host_functions_;
        api::thread_state().configurations.clear();
        api::thread_state().frame = nullptr;
    }

    void initialise(Device& device);
    /// What a device held that ends.
    void reset_memory(int index);

private:
    Gpu(const Profile& profile, const api::Active& active);
    void call_ends();
    /// Runs what is wanted. Kernels may wait in its midst: then all that is queued runs, and what waits goes on. If
    /// `enough` is given the caller waits until it says so, and kernels for which nobody could do anything have a
    /// deadlock. True if the program spun on a flag meanwhile (HostHazards::work_begins).
    bool run_wanted(Cause cause = Cause::call, const std::function<bool()>& enough = {});
    bool run_everything(Cause cause, bool to_the_end);
    void run_now(const OperationPtr& operation);
    /// The kernel runs in its thread until it has ended or waits.
    void step(WaitingKernel& kernel, const std::function<bool(KernelThread&)>& go);
    void end_kernel(WaitingKernel& kernel);
    /// Those that wait look again. True if some moved.
    bool step_waiting_kernels(bool hope);
    /// Kernels that wait for what was dropped end.
    void abandon_waiting_kernels();
    /// Nothing queued lets the kernels go on: other threads of the program may. False if there are none that could.
    bool let_other_threads_act();
    void finish_all();
    /// Pools give back what nobody uses, down to their release thresholds: where the host has waited.
    cudaError_t outcome();
    cudaError_t admit(api::Support support);
    /// Whether this is a child of the process that used the context first. It has none of the threads that its parent
    /// works with, one of which may have held the lock.
    bool is_of_parent_process(api::Support support);
    cudaError_t refuse_in_child(api::Support support);

    CallLock mutex_;
    std::condition_variable_any turn_;  ///< one thread at a time runs operations
    bool running_ = false;
    std::thread::id runner_{};
    std::atomic<bool> interrupted_{false}, work_waits_{false}, begun_{false};
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<int> host_functions_{0};  ///< that run now
    std::atomic<pid_t> process_{0};       ///< that used the context first
    cudaError_t failure_ = cudaSuccess;
    bool failure_told_ = false;
    cudaError_t sticky_ = cudaSuccess;
    bool sticky_told_ = false;
    bool dead_ = false;  ///< reset after a sticky error: nothing works in this process any more
    std::unique_ptr<Progress> progress_;
    std::vector<std::unique_ptr<WaitingKernel>> waiting_;  ///< in the order in which they started
    std::vector<std::unique_ptr<KernelThread>> idle_threads_;
    WaitingKernel* step_ = nullptr;  ///< that runs now
    bool abandons_ = false;
    bool sleeps_ = false;  ///< the program waits for a time that the modelled clock has counted
    std::atomic<bool> kernels_wait_{false};
    std::map<std::uint64_t, std::uint64_t> repeats_;
    std::uint64_t since_look_ = 0;  ///< bytes given out since the computer was last asked what it has
};

}  // namespace cudash::virtual_gpu::runtime
