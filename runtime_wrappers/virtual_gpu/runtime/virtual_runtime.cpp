#include "runtime_wrappers/virtual_gpu/runtime/virtual_runtime.h"

#include <array>
#include <bit>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "runtime_wrappers/virtual_gpu/runtime/backend.h"
#include "runtime_wrappers/virtual_gpu/runtime/unfreed.h"

namespace cudash::virtual_gpu::runtime {
namespace {

using api::ListedAllocation, api::Served, api::Support;

ListedAllocation listed(const Allocation& allocation) {
    ListedAllocation row;
    row.address = allocation.begin;
    row.size = allocation.size;
    row.kind = row_of(allocation.kind).name;
    if (allocation.pitch) row.details = api::details_of_pitched(allocation.pitch, allocation.width, allocation.height);
    row.pitch = allocation.pitch;
    row.width = allocation.width;
    row.height = allocation.height;
    if (allocation.flags & cudaHostAllocWriteCombined) row.details = "write-combined";
    if (allocation.read_only) row.details = "constant";
    row.origin = allocation.origin;
    return row;
}

class VirtualRuntime final : public api::Runtime {
public:
    VirtualRuntime(std::unique_ptr<Served> served, std::unique_ptr<Gpu> gpu)
        : served_(std::move(served)), gpu_(std::move(gpu)), backend_(*gpu_) {
        served_->begin(backend_);
    }
    ~VirtualRuntime() override { api::set_active(nullptr); }

    bool is_virtual() const override { return true; }
    void set_tracing(bool calls, bool launches) override {
        served_->state.trace_calls = calls;
        served_->state.trace_launches = launches;
    }
    void debug_launches(DebugLaunch who) override { gpu_->launches.debugger = std::move(who); }
    std::uint64_t launches() const override { return gpu_->launches.given; }
    std::uint64_t launch_told_of() const override { return gpu_->launches.told_of; }
    void forget_interrupt() override { gpu_->scheduler.forget_interrupt(); }
    std::vector<ListedStream> streams() override;
    std::string device_description() const override {
        const std::size_t count = gpu_->devices.size();
        return count == 1 ? fmt::format("virtual {}", gpu_->profile.name)
                          : fmt::format("{} virtual {}", count, gpu_->profile.name);
    }
    api::Target target() const override { return {.arch = gpu_->profile.nvrtc_arch, .real = false}; }
    int synchronize() override {
        gpu_->scheduler.start_over();
        Gpu::Call call(*gpu_, Support::PURE);  // none of the program's
        return gpu_->scheduler.settle();
    }
    void abandon() override {
        gpu_->scheduler.start_over();
        Gpu::Call call(*gpu_, Support::PURE);  // none of the program's
        gpu_->scheduler.timeline.drop_all();
    }
    std::vector<Diagnostic> end_of_program(bool as_it_should) override {
        std::vector<Diagnostic> left = api::what_is_left(*this, served_->state, as_it_should);
        std::optional<Diagnostic> unwaited = gpu_->launches.unwaited.take();
        if (unwaited && served_->state.host_checks.unchecked) left.insert(left.begin(), std::move(*unwaited));
        if (as_it_should && gpu_->context.has_refused_code())
            left.insert(left.begin(),
                        error("kernel-not-run", "the program ended with 0, but not all of its kernels ran",
                              "mend what the first error above says"));
        return left;
    }
    std::vector<Diagnostic> leaks() const override {
        Gpu::Call call(*gpu_, Support::ALWAYS);
        return api::what_leaks(unfreed_memory(*gpu_), *served_->state.ledger);
    }
    int sticky_error() const override {
        return gpu_->context.dead() ? cudaErrorDevicesUnavailable : gpu_->context.sticky();
    }
    bool recover() override {
        gpu_->context.recover();
        api::thread_state().last_error = cudaSuccess;
        return true;
    }
    void cancel() noexcept override { gpu_->scheduler.interrupt(); }
    std::optional<Diagnostic> set_check(std::string_view text) override {
        auto selection = parse_selection(text);
        if (!selection) return selection.error();
        gpu_->checks->select(*selection);
        served_->state.host_checks = api::host_checks(*selection);
        return std::nullopt;
    }
    std::vector<ListedChecker> checkers() const override {
        const Selection& selection = gpu_->checks->selection();
        std::vector<ListedChecker> list;
        for (const CheckerRow& row : virtual_gpu::checkers())
            list.push_back({row.name, row.finds, selection.has(row.checker), selection.budget == 0});
        return list;
    }
    Profiler* profiler() override { return gpu_->profiler.get(); }
    std::optional<std::string> describe_address(std::uint64_t address) const override;
    std::optional<std::string> describe_unusable(std::uint64_t address) const override;
    std::vector<ListedAllocation> allocations() const override;
    std::optional<ListedAllocation> allocation_of(std::uint64_t address) const override {
        const auto found = gpu_->memory.space->find(address);
        return found ? std::optional(listed(*found)) : std::nullopt;
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten(std::uint64_t address, std::uint64_t bytes,
                                                                   std::size_t most) const override {
        return gpu_->checks->unwritten(*gpu_->memory.space, address, bytes, most);
    }
    bool peek(std::uint64_t address, void* destination, std::size_t bytes) const override {
        const std::byte* source = gpu_->memory.space->pointer(address, bytes);
        if (source) std::memcpy(destination, source, bytes);
        return source != nullptr;
    }

private:
    std::unique_ptr<Served> served_;
    std::unique_ptr<Gpu> gpu_;
    VirtualBackend backend_;
};

namespace {

std::string with_origin(const Allocation& allocation, std::string_view kind) {
    return fmt::format("{} bytes of {}{}", allocation.size, kind,
                       allocation.origin.empty() ? "" : fmt::format(" ({})", allocation.origin));
}

}  // namespace

std::optional<std::string> VirtualRuntime::describe_unusable(std::uint64_t address) const {
    constexpr std::uint64_t near_end = 1 << 20;
    const auto near = gpu_->memory.space->nearest(address);
    if (!near || gpu_->memory.space->is_device_range(near->allocation.begin)) return std::nullopt;
    const Allocation& allocation = near->allocation;
    const std::string whole = with_origin(allocation, row_of(allocation.kind).description);
    if (near->released && allocation.contains(address, 1))
        return fmt::format("byte {} of {}, which was freed", address - allocation.begin, whole);
    if (near->released || address < allocation.end() || address - allocation.end() >= near_end) return std::nullopt;
    const std::uint64_t distance = address - allocation.end();
    return fmt::format("{} the end of {}", distance == 0 ? "right past" : fmt::format("{} bytes past", distance),
                       whole);
}

std::optional<std::string> VirtualRuntime::describe_address(std::uint64_t address) const {
    if (!gpu_->memory.space->is_device_range(address)) return std::nullopt;
    const auto named = [](const Allocation& allocation) { return with_origin(allocation, "device memory"); };
    if (const auto inside = gpu_->memory.space->find(address)) {
        const std::uint64_t byte = address - inside->begin;
        return byte == 0 ? named(*inside) : fmt::format("byte {} of {}", byte, named(*inside));
    }
    const auto near = gpu_->memory.space->nearest(address);
    if (near && near->released && near->allocation.contains(address, 1))
        return fmt::format("{}, which was freed", named(near->allocation));
    if (near && address >= near->allocation.end())
        return fmt::format("{} bytes past the end of {}", address - near->allocation.end(), named(near->allocation));
    return "a device address where nothing is allocated";
}

std::vector<api::Runtime::ListedStream> VirtualRuntime::streams() {
    Gpu::Call call(*gpu_, Support::PURE);  // none of the program's
    std::vector<ListedStream> list;
    gpu_->scheduler.timeline.legacy(0);
    gpu_->scheduler.timeline.each_stream([&](const Stream& stream) {
        ListedStream row;
        row.name = stream.legacy       ? "default"
                   : stream.per_thread ? "per thread"
                                       : fmt::format("stream {}", stream.number);
        row.device = stream.device;
        row.blocking = stream.blocking();
        row.capturing = stream.capture != nullptr;
        row.priority = stream.priority;
        if (stream.per_thread) row.handle = reinterpret_cast<std::uint64_t>(cudaStreamPerThread);
        for (const auto& [handle, each] : gpu_->scheduler.timeline.streams)
            if (&each == &stream) row.handle = handle;
        list.push_back(std::move(row));
    });
    return list;
}

std::vector<ListedAllocation> VirtualRuntime::allocations() const {
    Gpu::Call call(*gpu_, Support::PURE);  // none of the program's
    std::vector<ListedAllocation> list;
    for (const Allocation& allocation : gpu_->memory.space->allocations()) {
        ListedAllocation& row = list.emplace_back(listed(allocation));
        if (gpu_->devices.size() == 1 || !std::has_single_bit(allocation.devices)) continue;
        row.details.insert(
            0, fmt::format("device {}{}", std::countr_zero(allocation.devices), row.details.empty() ? "" : ", "));
    }
    return list;
}

}  // namespace

Result<std::unique_ptr<api::Runtime>> create_virtual(const api::Options& options, std::unique_ptr<Served> served) {
    const std::string_view name =
        options.device.profile.empty() ? profiles().front().name : std::string_view(options.device.profile);
    const auto* profile = find_profile(name);
    if (!profile) return error("unknown-profile", fmt::format("unknown profile '{}'", name));
    auto gpu = Gpu::create(*profile, options.device.count, served->state,
                           std::chrono::milliseconds(options.kernel_timeout_ms), options.compiler);
    if (!gpu) return gpu.error();
    (*gpu)->profiler->on = options.profile;
    std::unique_ptr<api::Runtime> runtime(new VirtualRuntime(std::move(served), std::move(*gpu)));
    if (auto unknown = runtime->set_check(options.check)) return *unknown;
    return runtime;
}

}  // namespace cudash::virtual_gpu::runtime
