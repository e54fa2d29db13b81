#include "runtime_wrappers/virtual_gpu/exec/device_runtime.h"

#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/device_heap.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/library_call.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/isa/link.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"

namespace cudash::virtual_gpu {
namespace {

// cudaError_t, as far as device code meets it.
constexpr int success = 0, invalid_value = 1, memory_allocation = 2, invalid_configuration = 9,
              pending_count_exceeded = 69, invalid_device_function = 98, not_supported = 801;
// cuda_device_runtime_api.h
constexpr std::uint64_t stream_tail_launch = 3;
constexpr std::uint32_t event_disable_timing = 2;

/// One lane's call.
struct Call {
    Warp& w;
    const Instruction* i;
    unsigned lane;
    DeviceQueue& queue;

    template <class T>
    T get(std::size_t index) const {
        return argument<T>(w, i, index, lane);
    }
    DeviceQueue::Thread thread() const { return {w.block->number, w.index, lane}; }
    int fail(int error) const { return queue.fail(thread(), error); }
};

/// A function that only returns something.
template <auto Function>
const Instruction* run_plain(const Instruction* i, Warp& w) {
    DeviceQueue& queue = *w.block->launch->device_queue;
    for_each_lane(w.mask, [&](unsigned l) { set_result(w, i, l, Function(Call{w, i, l, queue})); });
    w.wrote = true;
    return i + 1;
}

/// A function that returns an error and writes a T to where its first argument points, if there was none.
template <class T, auto Function>
const Instruction* run_writing(const Instruction* i, Warp& w) {
    DeviceQueue& queue = *w.block->launch->device_queue;
    T values[warp_size] = {};
    Access access;
    std::uint32_t writing = 0;
    for_each_lane(w.mask, [&](unsigned l) {
        const Call call{w, i, l, queue};
        const auto [error, value] = Function(call);
        set_result(w, i, l, call.fail(error));
        access.address[l] = call.get<Address>(0);
        values[l] = static_cast<T>(value);
        if (error == success) writing |= 1u << l;
    });
    const std::uint32_t all = std::exchange(w.mask, writing);
    Layout layouts[2];
    const AccessShape shape{ptx::Space::none, AccessKind::store, sizeof(T), values, sizeof(T)};
    const bool allowed = writing == 0 || check_addresses<ptx::Space::none>(i, w, access, shape, layouts);
    if (allowed) for_each_lane(writing, [&](unsigned l) { std::memcpy(access.at(l), &values[l], sizeof(T)); });
    w.mask = all;
    w.wrote = true;
    return allowed ? i + 1 : nullptr;
}

using Answer = DeviceRuntime::Answer;

Address get_parameter_buffer(const Call& call) {
    const Address made = call.queue.parameter_buffer(call.thread(), call.get<Address>(0), call.get<Dim3>(1),
                                                     call.get<Dim3>(2), call.get<std::uint32_t>(3));
    const auto memory = call.w.block->launch->memory->find(made);
    if (memory && call.w.observer) call.w.observer->heap_memory_begins(call.w.block->number, made, memory->size);
    return made;
}
int launch_device(const Call& call) {
    return call.queue.launch(call.thread(), call.get<Address>(0), call.get<std::uint64_t>(1));
}
int get_last_error(const Call& call) {
    return call.queue.last_error(call.thread(), true);
}
int peek_at_last_error(const Call& call) {
    return call.queue.last_error(call.thread(), false);
}
int succeed(const Call&) {
    return success;
}
int refuse(const Call& call) {
    return call.fail(not_supported);
}

int copy(const Call& call) {
    const ChildCopy made{call.get<Address>(0), call.get<Address>(1), call.get<std::uint64_t>(2)};
    return call.queue.add(call.thread(), {made, call.get<std::uint64_t>(4) == stream_tail_launch});
}
int fill(const Call& call) {
    const ChildFill made{call.get<Address>(0), call.get<std::uint64_t>(2),
                         static_cast<std::uint8_t>(call.get<std::uint32_t>(1))};
    return call.queue.add(call.thread(), {made, call.get<std::uint64_t>(3) == stream_tail_launch});
}

Answer new_stream(const Call& call) {
    return {success, static_cast<std::int64_t>(call.queue.next_handle())};
}
/// "cudaEventCreateWithFlags() ... with the cudaEventDisableTiming flag": others are refused, as on an H200.
Answer new_event(const Call& call) {
    if (call.get<std::uint32_t>(1) != event_disable_timing) return {invalid_value, 0};
    return {success, static_cast<std::int64_t>(call.queue.next_handle())};
}
Answer device(const Call& call) {
    return {success, call.w.block->launch->device};
}
Answer device_count(const Call& call) {
    return call.queue.runtime() ? call.queue.runtime()->device_count() : Answer{success, 1};
}
Answer attribute(const Call& call) {
    if (!call.queue.runtime()) return {not_supported, 0};
    return call.queue.runtime()->attribute(call.get<int>(1), call.get<int>(2));
}
Answer limit(const Call& call) {
    return call.queue.runtime() ? call.queue.runtime()->limit(call.get<int>(1)) : Answer{not_supported, 0};
}
Answer occupancy_of(const Call& call) {
    if (!call.queue.runtime()) return {not_supported, 0};
    const std::string_view kernel = call.queue.kernel_at(call.get<Address>(1));
    if (kernel.empty()) return {invalid_device_function, 0};
    return call.queue.runtime()->blocks_per_multiprocessor(kernel, call.get<int>(2), call.get<std::uint64_t>(3));
}
Answer malloc(const Call& call) {
    const Address made = allocate_on_heap(call.w, call.i, call.get<std::uint64_t>(1));
    return {made != 0 ? success : memory_allocation, static_cast<std::int64_t>(made)};
}
const Instruction* run_free(const Instruction* i, Warp& w) {
    std::array<Address, warp_size> addresses{};
    for_each_lane(w.mask, [&](unsigned l) {
        addresses[l] = argument<Address>(w, i, 0, l);
        set_result(w, i, l, success);
    });
    return release_on_heap(w, i, addresses) ? i + 1 : nullptr;
}
/// It returns nothing, so that what goes wrong is told when the graph goes on.
const Instruction* run_set_condition(const Instruction* i, Warp& w) {
    for_each_lane(w.mask, [&](unsigned l) {
        w.block->launch->device_queue->set_condition(argument<std::uint64_t>(w, i, 0, l),
                                                     argument<std::uint32_t>(w, i, 1, l));
    });
    return i + 1;
}
Address error_name(const Call& call) {
    return text_window + 2 * std::uint64_t{call.get<std::uint32_t>(0) & 0xFFFF};
}
Address error_text(const Call& call) {
    return error_name(call) + 1;
}
/// What an H200 answers, whatever the toolkit.
Answer runtime_version(const Call&) {
    return {success, 6000};
}

struct Row {
    std::string_view name;  ///< behind __cudaCDP2
    Handler handler;
};
constexpr Row rows[] = {
    {"GetParameterBufferV2", run_plain<get_parameter_buffer>},
    {"GetParameterBufferV2_ptsz", run_plain<get_parameter_buffer>},
    {"LaunchDeviceV2", run_plain<launch_device>},
    {"LaunchDeviceV2_ptsz", run_plain<launch_device>},
    {"GetLastError", run_plain<get_last_error>},
    {"PeekAtLastError", run_plain<peek_at_last_error>},
    {"GetErrorName", run_plain<error_name>},
    {"GetErrorString", run_plain<error_text>},
    {"Malloc", run_writing<std::uint64_t, malloc>},
    {"Free", run_free},
    {"GetDevice", run_writing<std::int32_t, device>},
    {"GetDeviceCount", run_writing<std::int32_t, device_count>},
    {"DeviceGetAttribute", run_writing<std::int32_t, attribute>},
    {"DeviceGetLimit", run_writing<std::uint64_t, limit>},
    {"RuntimeGetVersion", run_writing<std::int32_t, runtime_version>},
    {"OccupancyMaxActiveBlocksPerMultiprocessor", run_writing<std::int32_t, occupancy_of>},
    {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", run_writing<std::int32_t, occupancy_of>},
    {"DeviceGetCacheConfig", run_plain<refuse>},
    {"DeviceGetSharedMemConfig", run_plain<refuse>},
    {"FuncGetAttributes", run_plain<refuse>},
    {"StreamCreateWithFlags", run_writing<std::uint64_t, new_stream>},
    {"StreamDestroy", run_plain<succeed>},
    {"StreamWaitEvent", run_plain<succeed>},
    {"StreamWaitEvent_ptsz", run_plain<succeed>},
    {"EventCreateWithFlags", run_writing<std::uint64_t, new_event>},
    {"EventRecord", run_plain<succeed>},
    {"EventRecord_ptsz", run_plain<succeed>},
    {"EventDestroy", run_plain<succeed>},
    {"MemcpyAsync", run_plain<copy>},
    {"MemcpyAsync_ptsz", run_plain<copy>},
    {"MemsetAsync", run_plain<fill>},
    {"MemsetAsync_ptsz", run_plain<fill>},
    {"Memcpy2DAsync", run_plain<refuse>},
    {"Memcpy2DAsync_ptsz", run_plain<refuse>},
    {"Memcpy3DAsync", run_plain<refuse>},
    {"Memcpy3DAsync_ptsz", run_plain<refuse>},
    {"Memset2DAsync", run_plain<refuse>},
    {"Memset2DAsync_ptsz", run_plain<refuse>},
    {"Memset3DAsync", run_plain<refuse>},
    {"Memset3DAsync_ptsz", run_plain<refuse>},
};

bool is_within(const Dim3& size, unsigned x, unsigned y, unsigned z) {
    return size.x != 0 && size.y != 0 && size.z != 0 && size.x <= x && size.y <= y && size.z <= z;
}

}  // namespace

Handler select_device_runtime(std::string_view name) {
    if (name == "cudaGraphSetConditional") return run_set_condition;
    constexpr std::string_view prefix = "__cudaCDP2";
    if (!name.starts_with(prefix)) return nullptr;
    name.remove_prefix(prefix.size());
    for (const Row& row : rows)
        if (row.name == name) return row.handler;
    return nullptr;
}

DeviceQueue::~DeviceQueue() {
    for (const Address buffer : buffers_) memory_.release(buffer);
}

std::string_view text_of(Address address, const DeviceRuntime* runtime) {
    if (!runtime) return {};
    const auto number = static_cast<int>((address - text_window) / 2);
    return (address & 1) != 0 ? runtime->error_text(number) : runtime->error_name(number);
}

std::string_view DeviceQueue::kernel_at(Address function) const {
    const auto& functions = module_.tree().functions;
    const std::uint64_t index = (function - code_window) / code_step;
    if (function < code_window || index >= functions.size() || !functions[index].is_entry) return {};
    return functions[index].name;
}

Address DeviceQueue::parameter_buffer(const Thread& thread, Address function, Dim3 grid, Dim3 block,
                                      std::uint32_t shared) {
    const auto refused = [&](int error) { return static_cast<void>(fail(thread, error)), Address{0}; };
    const std::string_view kernel = kernel_at(function);
    const KernelInfo* const info = kernel.empty() ? nullptr : module_.kernel(kernel);
    if (!info) return refused(invalid_device_function);
    const std::uint64_t threads = size_product(size_product(block.x, block.y), block.z);
    const std::uint64_t most_threads = std::min<std::uint64_t>(
        profile_.max_threads_per_block, info->max_threads != 0 ? info->max_threads : most_warps * warp_size);
    // Recorded on an H200: more than 48 KB of shared memory are refused, too.
    if (!is_within(grid, 0x7FFF'FFFF, 65535, 65535) || !is_within(block, 1024, 1024, 64) || threads > most_threads ||
        size_sum(info->static_shared, shared) > profile_.shared_per_block)
        return refused(invalid_configuration);
    // Recorded on an H200: one thread can launch any number, since its children begin meanwhile; of many threads no
    // more have a launch waiting than the limit says.
    const std::uint64_t threads_at_once = runtime_ ? runtime_->pending_launches() : 2048;
    const bool known = launching_.contains(thread);
    if ((!known && launching_.size() >= threads_at_once) || work_.size() >= room_)
        return refused(pending_count_exceeded);
    const auto made = memory_.allocate(std::max<std::uint64_t>(info->parameter_bytes, 1), 64, MemoryKind::heap,
                                       "the parameters of a kernel that device code launches");
    if (!made) return refused(pending_count_exceeded);
    launching_.insert(thread);
    buffers_.push_back(made->begin);
    planned_[made->begin] = {{std::string(kernel), grid, block, shared, {}}, info->parameter_bytes};
    return made->begin;
}

int DeviceQueue::launch(const Thread& thread, Address buffer, std::uint64_t stream) {
    const auto found = planned_.find(buffer);
    if (found == planned_.end()) return fail(thread, invalid_value);
    Planned planned = std::move(found->second);
    planned_.erase(found);
    const auto memory = memory_.find(buffer);
    if (!memory) return fail(thread, invalid_value);
    planned.launch.parameters.resize(planned.parameter_bytes);
    std::memcpy(planned.launch.parameters.data(),
                reinterpret_cast<const std::byte*>(buffer + static_cast<std::uint64_t>(memory->host_offset)),
                planned.parameter_bytes);
    work_.push_back({std::move(planned.launch), stream == stream_tail_launch});
    return success;
}

int DeviceQueue::add(const Thread& thread, ChildWork work) {
    if (work_.size() >= room_) return fail(thread, pending_count_exceeded);
    work_.push_back(std::move(work));
    return success;
}

void DeviceQueue::set_condition(std::uint64_t handle, std::uint32_t value) {
    auto* const last = work_.empty() ? nullptr : std::get_if<ChildCondition>(&work_.back().what);
    if (last && last->handle == handle)
        last->value = value;
    else
        work_.push_back({ChildCondition{handle, value}});
}

int DeviceQueue::fail(const Thread& thread, int error) {
    if (error != success) errors_[thread] = error;
    return error;
}

int DeviceQueue::last_error(const Thread& thread, bool clear) {
    const auto found = errors_.find(thread);
    if (found == errors_.end()) return success;
    const int error = found->second;
    if (clear) errors_.erase(found);
    return error;
}

}  // namespace cudash::virtual_gpu
