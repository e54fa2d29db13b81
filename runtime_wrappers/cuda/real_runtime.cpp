#include "runtime_wrappers/cuda/real_runtime.h"

#include <array>

#include <fmt/format.h>

#include "runtime_wrappers/cuda/backend.h"
#include "runtime_wrappers/host_check/ledger.h"

namespace cudash::cuda {
namespace {

using api::ListedAllocation, api::Served;

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
    if (row.pitch) row.details = api::details_of_pitched(row.pitch, row.width, row.height);
    row.origin = host_check::origin_of(entry.memory.made);
    return row;
}

class RealRuntime final : public api::Runtime {
public:
    RealRuntime(std::unique_ptr<Served> served, std::unique_ptr<RealGpu> gpu, int index)
        : served_(std::move(served)), gpu_(std::move(gpu)), backend_(*gpu_), index_(index) {
        served_->begin(backend_);
    }
    ~RealRuntime() override { api::set_active(nullptr); }

    bool is_virtual() const override { return false; }
    void set_tracing(bool calls, bool) override { served_->state.trace_calls = calls; }
    std::vector<ListedStream> streams() override { return {{.name = "default"}}; }
    std::string device_description() const override { return fmt::format("gpu {}: {}", index_, gpu_->name()); }
    api::Target target() const override { return gpu_->target(); }
    int synchronize() override { return gpu_->synchronize(); }
    std::vector<Diagnostic> end_of_program(bool as_it_should) override {
        return api::what_is_left(*this, served_->state, as_it_should);
    }
    std::vector<Diagnostic> leaks() const override {
        return api::what_leaks(served_->state.ledger->memory(), *served_->state.ledger);
    }
    std::optional<Diagnostic> set_check(std::string_view text) override {
        auto selection = virtual_gpu::parse_selection(text);
        if (!selection) return selection.error();
        selection_ = *selection;
        served_->state.host_checks = api::host_checks(selection_);
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
    std::unique_ptr<RealGpu> gpu_;
    RealBackend backend_;
    virtual_gpu::Selection selection_;
    int index_;
};

}  // namespace

Result<std::unique_ptr<api::Runtime>> create_real(const api::Options& options, std::unique_ptr<api::Served>& served) {
    auto gpu = RealGpu::create(options.device.index, served->state);
    if (!gpu) return gpu.error();
    std::unique_ptr<api::Runtime> runtime(new RealRuntime(std::move(served), std::move(*gpu), options.device.index));
    if (auto unknown = runtime->set_check(options.check)) return *unknown;
    return runtime;
}

}  // namespace cudash::cuda
