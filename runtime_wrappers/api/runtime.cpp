#include "runtime_wrappers/api/runtime.h"

#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/api/wrong_free.h"
#include "runtime_wrappers/cuda/real_gpu.h"
#include "runtime_wrappers/host_check/ledger.h"
#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"
#include "runtime_wrappers/virtual_gpu/runtime/host_hazards.h"
#include "runtime_wrappers/virtual_gpu/runtime/unfreed.h"

namespace cudash::api {
namespace {

std::uint64_t generations = 0;

/// Owns what entry points reach through active().
class Served {
public:
    Served(DeviceCode& code, Events events, const Options& options) {
        state.code = &code;
        state.events = std::move(events);
        state.trace_calls = static_cast<bool>(state.events.trace);
        state.report_errors = options.report_errors;
        state.keep_unseen_errors = options.keep_unseen_errors;
        state.generation = ++generations;
        state.ledger = std::make_unique<host_check::Ledger>();
    }
    ~Served() {
        if (active() == &state) set_active(nullptr);
    }
    Active state;
};

HostChecks host_checks(const virtual_gpu::Selection& selection) {
    using virtual_gpu::Checker;
    return {.copies = selection.has(Checker::copy),
            .unchecked = selection.has(Checker::unchecked),
            .leaks = selection.has(Checker::leak)};
}

std::vector<Diagnostic> what_leaks(std::span<const host_check::Leak> memory, const host_check::Ledger& ledger) {
    std::vector<Diagnostic> found;
    if (auto leak = host_check::describe_leaks(memory)) found.push_back(std::move(*leak));
    if (auto left = host_check::describe_undestroyed(ledger.objects())) found.push_back(std::move(*left));
    return found;
}

/// What is to be said when a program has ended.
std::vector<Diagnostic> what_is_left(const Runtime& runtime, const Active& state, bool as_it_should) {
    std::vector<Diagnostic> found = state.unseen.take();
    if (!state.host_checks.unchecked) found.clear();
    if (!as_it_should || runtime.sticky_error() != cudaSuccess || !state.host_checks.leaks) return found;
    for (Diagnostic& leak : runtime.leaks()) found.push_back(std::move(leak));
    return found;
}

std::string details_of_pitched(std::uint64_t pitch, std::uint64_t width, std::uint64_t height) {
    return fmt::format("pitch {}, rows of {} bytes, {} rows", pitch, width, height);
}

ListedAllocation listed(const virtual_gpu::Allocation& allocation) {
    ListedAllocation row;
    row.address = allocation.begin;
    row.size = allocation.size;
    row.kind = virtual_gpu::row_of(allocation.kind).name;
    if (allocation.pitch) row.details = details_of_pitched(allocation.pitch, allocation.width, allocation.height);
    row.pitch = allocation.pitch;
    row.width = allocation.width;
    row.height = allocation.height;
    if (allocation.flags & cudaHostAllocWriteCombined) row.details = "write-combined";
    if (allocation.read_only) row.details = "constant";
    row.origin = allocation.origin;
    return row;
}

/// What a real GPU does not tell: how memory came to be.
ListedAllocation listed(const host_check::Ledger::Entry& entry) {
    constexpr std::array names = {std::pair(host_check::Kind::device, "device"),
                                  std::pair(host_check::Kind::managed, "managed"),
                                  std::pair(host_check::Kind::locked, "pinned")};
    ListedAllocation row;
    row.address = entry.memory.begin;
    row.size = entry.memory.size;
    for (const auto& [kind, name] : names)
        if (kind == entry.kind) row.kind = name;
    row.pitch = entry.memory.pitch;
    row.width = entry.memory.width;
    row.height = entry.memory.height;
    if (row.pitch) row.details = details_of_pitched(row.pitch, row.width, row.height);
    row.origin = host_check::origin_of(entry.memory.made);
    return row;
}

class VirtualRuntime final : public Runtime {
public:
    VirtualRuntime(std::unique_ptr<Served> served, std::unique_ptr<virtual_gpu::runtime::Gpu> gpu)
        : served_(std::move(served)), gpu_(std::move(gpu)) {
        served_->state.virtual_gpu = gpu_.get();
        set_active(&served_->state);
    }
    ~VirtualRuntime() override { set_active(nullptr); }

    bool is_virtual() const override { return true; }
    void set_tracing(bool calls, bool launches) override {
        served_->state.trace_calls = calls;
        served_->state.trace_launches = launches;
    }
    void debug_launches(DebugLaunch who) override { gpu_->debug_launch = std::move(who); }
    std::uint64_t launches() const override { return gpu_->launches; }
    std::uint64_t launch_told_of() const override { return gpu_->told_of; }
    void forget_interrupt() override { gpu_->forget_interrupt(); }
    std::vector<ListedStream> streams() override;
    std::string device_description() const override {
        const std::size_t count = gpu_->devices.size();
        return count == 1 ? fmt::format("virtual {}", gpu_->profile.name)
                          : fmt::format("{} virtual {}", count, gpu_->profile.name);
    }
    Target target() const override { return {.arch = gpu_->profile.nvrtc_arch, .real = false}; }
    int synchronize() override {
        gpu_->start_over();
        virtual_gpu::runtime::Gpu::Call call(*gpu_, Support::PURE);  // none of the program's
        return gpu_->settle();
    }
    void abandon() override {
        gpu_->start_over();
        virtual_gpu::runtime::Gpu::Call call(*gpu_, Support::PURE);  // none of the program's
        gpu_->timeline.drop_all();
    }
    std::vector<Diagnostic> end_of_program(bool as_it_should) override {
        return what_is_left(*this, served_->state, as_it_should);
    }
    std::vector<Diagnostic> leaks() const override {
        virtual_gpu::runtime::Gpu::Call call(*gpu_, Support::ALWAYS);
        return what_leaks(virtual_gpu::runtime::unfreed_memory(*gpu_), *served_->state.ledger);
    }
    int sticky_error() const override { return gpu_->context_dead() ? cudaErrorDevicesUnavailable : gpu_->sticky(); }
    bool recover() override {
        gpu_->recover();
        thread_state().last_error = cudaSuccess;
        return true;
    }
    void cancel() noexcept override { gpu_->interrupt(); }
    std::optional<Diagnostic> set_check(std::string_view text) override {
        auto selection = virtual_gpu::parse_selection(text);
        if (!selection) return selection.error();
        gpu_->checks->select(*selection);
        served_->state.host_checks = host_checks(*selection);
        return std::nullopt;
    }
    std::vector<ListedChecker> checkers() const override {
        const virtual_gpu::Selection& selection = gpu_->checks->selection();
        std::vector<ListedChecker> list;
        for (const virtual_gpu::CheckerRow& row : virtual_gpu::checkers())
            list.push_back({row.name, row.finds, selection.has(row.checker), selection.budget == 0});
        return list;
    }
    virtual_gpu::Profiler* profiler() override { return gpu_->profiler.get(); }
    std::optional<std::string> describe_address(std::uint64_t address) const override;
    std::vector<ListedAllocation> allocations() const override;
    std::optional<ListedAllocation> allocation_of(std::uint64_t address) const override {
        const auto found = gpu_->memory->find(address);
        return found ? std::optional(listed(*found)) : std::nullopt;
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten(std::uint64_t address, std::uint64_t bytes,
                                                                   std::size_t most) const override {
        return gpu_->checks->unwritten(*gpu_->memory, address, bytes, most);
    }
    bool peek(std::uint64_t address, void* destination, std::size_t bytes) const override {
        const std::byte* source = gpu_->memory->pointer(address, bytes);
        if (source) std::memcpy(destination, source, bytes);
        return source != nullptr;
    }

private:
    std::unique_ptr<Served> served_;
    std::unique_ptr<virtual_gpu::runtime::Gpu> gpu_;
};

std::optional<std::string> VirtualRuntime::describe_address(std::uint64_t address) const {
    if (!gpu_->memory->is_device_range(address)) return std::nullopt;
    const auto named = [](const virtual_gpu::Allocation& allocation) {
        return fmt::format("{} bytes of device memory{}", allocation.size,
                           allocation.origin.empty() ? "" : fmt::format(" ({})", allocation.origin));
    };
    if (const auto inside = gpu_->memory->find(address)) {
        const std::uint64_t byte = address - inside->begin;
        return byte == 0 ? named(*inside) : fmt::format("byte {} of {}", byte, named(*inside));
    }
    const auto near = gpu_->memory->nearest(address);
    if (near && near->released && near->allocation.contains(address, 1))
        return fmt::format("{}, which was freed", named(near->allocation));
    if (near && address >= near->allocation.end())
        return fmt::format("{} bytes past the end of {}", address - near->allocation.end(), named(near->allocation));
    return "a device address where nothing is allocated";
}

std::vector<Runtime::ListedStream> VirtualRuntime::streams() {
    virtual_gpu::runtime::Gpu::Call call(*gpu_, Support::PURE);  // none of the program's
    std::vector<ListedStream> list;
    gpu_->timeline.legacy(0);
    gpu_->timeline.each_stream([&](const virtual_gpu::Stream& stream) {
        ListedStream row;
        row.name = stream.legacy       ? "default"
                   : stream.per_thread ? "per thread"
                                       : fmt::format("stream {}", stream.number);
        row.device = stream.device;
        row.blocking = stream.blocking();
        row.capturing = stream.capture != nullptr;
        row.priority = stream.priority;
        if (stream.per_thread) row.handle = reinterpret_cast<std::uint64_t>(cudaStreamPerThread);
        for (const auto& [handle, each] : gpu_->timeline.streams)
            if (&each == &stream) row.handle = handle;
        list.push_back(std::move(row));
    });
    return list;
}

std::vector<ListedAllocation> VirtualRuntime::allocations() const {
    virtual_gpu::runtime::Gpu::Call call(*gpu_, Support::PURE);  // none of the program's
    std::vector<ListedAllocation> list;
    for (const virtual_gpu::Allocation& allocation : gpu_->memory->allocations()) {
        ListedAllocation& row = list.emplace_back(listed(allocation));
        if (gpu_->devices.size() == 1 || !std::has_single_bit(allocation.devices)) continue;
        row.details.insert(
            0, fmt::format("device {}{}", std::countr_zero(allocation.devices), row.details.empty() ? "" : ", "));
    }
    return list;
}

class RealRuntime final : public Runtime {
public:
    RealRuntime(std::unique_ptr<Served> served, std::unique_ptr<cuda::RealGpu> gpu, int index)
        : served_(std::move(served)), gpu_(std::move(gpu)), index_(index) {
        served_->state.real_gpu = gpu_.get();
        set_active(&served_->state);
    }
    ~RealRuntime() override { set_active(nullptr); }

    bool is_virtual() const override { return false; }
    void set_tracing(bool calls, bool) override { served_->state.trace_calls = calls; }
    std::vector<ListedStream> streams() override { return {{.name = "default"}}; }
    std::string device_description() const override { return fmt::format("gpu {}: {}", index_, gpu_->name()); }
    Target target() const override { return gpu_->target(); }
    int synchronize() override { return gpu_->synchronize(); }
    std::vector<Diagnostic> end_of_program(bool as_it_should) override {
        return what_is_left(*this, served_->state, as_it_should);
    }
    std::vector<Diagnostic> leaks() const override {
        return what_leaks(served_->state.ledger->memory(), *served_->state.ledger);
    }
    std::optional<Diagnostic> set_check(std::string_view text) override {
        auto selection = virtual_gpu::parse_selection(text);
        if (!selection) return selection.error();
        selection_ = *selection;
        served_->state.host_checks = host_checks(selection_);
        return std::nullopt;
    }
    std::vector<ListedChecker> checkers() const override {
        std::vector<ListedChecker> list;
        for (const virtual_gpu::CheckerRow& row : virtual_gpu::checkers())
            if (!row.of_kernels) list.push_back({row.name, row.finds, selection_.has(row.checker), true});
        return list;
    }
    void abandon() override {}
    int sticky_error() const override { return gpu_->sticky(); }
    bool recover() override { return false; }
    void cancel() noexcept override {}
    std::optional<std::string> describe_address(std::uint64_t address) const override {
        if (!gpu_->is_device_memory(address)) return std::nullopt;
        std::string text = fmt::format("{:#x} is device memory", address);
        if (const auto known = served_->state.ledger->find(address)) {
            const ListedAllocation row = listed(*known);
            text += fmt::format(", {} bytes into an allocation of {} bytes{}", address - row.address, row.size,
                                row.origin.empty() ? "" : fmt::format(" ({})", row.origin));
        }
        return text;
    }
    std::vector<ListedAllocation> allocations() const override {
        std::vector<ListedAllocation> list;
        for (const auto& entry : served_->state.ledger->allocations()) list.push_back(listed(entry));
        return list;
    }
    std::optional<ListedAllocation> allocation_of(std::uint64_t address) const override {
        const auto range = gpu_->range_of(address);
        if (!range) return std::nullopt;
        if (const auto known = served_->state.ledger->find(address)) return listed(*known);
        ListedAllocation row;
        row.address = range->first;
        row.size = range->second;
        row.kind = "device";
        return row;
    }
    bool peek(std::uint64_t address, void* destination, std::size_t bytes) const override {
        return gpu_->peek(address, destination, bytes);
    }

private:
    std::unique_ptr<Served> served_;
    std::unique_ptr<cuda::RealGpu> gpu_;
    virtual_gpu::Selection selection_;
    int index_;
};

Result<std::unique_ptr<Runtime>> create_virtual(const Options& options, std::unique_ptr<Served> served) {
    const std::string_view name = options.device.profile.empty() ? virtual_gpu::profiles().front().name
                                                                 : std::string_view(options.device.profile);
    const auto* profile = virtual_gpu::find_profile(name);
    if (!profile) return error("unknown-profile", fmt::format("unknown profile '{}'", name));
    auto gpu =
        virtual_gpu::runtime::Gpu::create(*profile, options.device.count, served->state,
                                          std::chrono::milliseconds(options.kernel_timeout_ms), options.compiler);
    if (!gpu) return gpu.error();
    (*gpu)->profiler->on = options.profile;
    std::unique_ptr<Runtime> runtime(new VirtualRuntime(std::move(served), std::move(*gpu)));
    if (auto unknown = runtime->set_check(options.check)) return *unknown;
    return runtime;
}

}  // namespace

Result<std::unique_ptr<Runtime>> Runtime::create(const Options& options, DeviceCode& code, Events events) {
    if (active()) return error("runtime-in-use", "a CUDA runtime is open already in this process");
    auto served = std::make_unique<Served>(code, std::move(events), options);
    if (options.device.backend == DeviceSelection::Backend::virtual_gpu)
        return create_virtual(options, std::move(served));
    auto gpu = cuda::RealGpu::create(options.device.index, served->state);
    if (gpu) {
        std::unique_ptr<Runtime> runtime(new RealRuntime(std::move(served), std::move(*gpu), options.device.index));
        if (auto unknown = runtime->set_check(options.check)) return *unknown;
        return runtime;
    }
    if (options.device.backend == DeviceSelection::Backend::automatic)
        return create_virtual(options, std::move(served));
    return gpu.error();
}

bool is_guarded(std::uint64_t address) noexcept {
    return virtual_gpu::runtime::PageGuard::holds(address);
}

void let_host_access(std::uint64_t address, bool writes, std::span<const std::uint64_t> stack) noexcept {
    virtual_gpu::runtime::PageGuard::note(address, writes, stack);
}

void host_frees(const void* pointer, const void* frame) {
    const Active* runtime = active();
    if (!runtime || !runtime->virtual_gpu || !runtime->virtual_gpu->registered) return;
    const ServedCall served(frame);
    virtual_gpu::runtime::Gpu& gpu = *runtime->virtual_gpu;
    virtual_gpu::runtime::Gpu::Call call(gpu, Support::ALWAYS);
    gpu.hazards->host_frees(reinterpret_cast<std::uint64_t>(pointer));
}

bool is_wrong_free(const void* pointer, const char* function, const void* frame) {
    const Active* runtime = active();
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    if (!runtime || !runtime->virtual_gpu || !virtual_gpu::runtime::HostHazards::may_be_cudas(address)) return false;
    const ServedCall served(frame);
    virtual_gpu::runtime::Gpu& gpu = *runtime->virtual_gpu;
    virtual_gpu::runtime::Gpu::Call call(gpu, Support::ALWAYS);
    return gpu.hazards->is_wrong_free(address, function);
}

}  // namespace cudash::api
