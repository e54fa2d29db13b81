#include "runtime_wrappers/virtual_gpu/runtime/persisting_l2.h"

#include <algorithm>
#include <set>

#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

// More windows than anybody keeps in mind: the oldest were displaced by then.
constexpr std::size_t most_windows = 64;

/// Whether `later` can only begin when `earlier` has ended.
bool comes_after(const OperationPtr& later, const Operation* earlier) {
    if (earlier->done) return earlier->end <= later->earliest;
    std::vector<const Operation*> open{later.get()};
    std::set<const Operation*> seen;
    while (!open.empty()) {
        const Operation* each = open.back();
        open.pop_back();
        for (const OperationPtr& before : each->after) {
            if (before.get() == earlier) return true;
            if (seen.insert(before.get()).second) open.push_back(before.get());
        }
    }
    return false;
}

}  // namespace

void PersistingL2::launched(Gpu& gpu, const OperationPtr& kernel, const cudaAccessPolicyWindow& window) {
    if (window.num_bytes == 0) return;
    Window newest;
    newest.base = reinterpret_cast<std::uintptr_t>(window.base_ptr);
    newest.size = window.num_bytes;
    newest.kernel = kernel;
    const auto on_other_device = [&](const Window& other) { return other.kernel->device != kernel->device; };
    // Accesses within a window that is not persisting make the lines normal, or the first to go.
    std::erase_if(windows_, [&](const Window& other) {
        return !on_other_device(other) && other.base >= newest.base && other.base < newest.base + newest.size &&
               (window.hitProp != cudaAccessPropertyPersisting || other.size == newest.size);
    });
    if (window.hitProp != cudaAccessPropertyPersisting) return;
    newest.wanted = static_cast<std::uint64_t>(static_cast<double>(window.num_bytes) *
                                               std::clamp(static_cast<double>(window.hitRatio), 0.0, 1.0));

    std::size_t kernels = 1;
    std::uint64_t wanted = newest.wanted, left = 0;
    std::erase_if(windows_, [&](const Window& other) {
        if (on_other_device(other)) return false;
        if (!comes_after(kernel, other.kernel.get())) {
            ++kernels;
            wanted += other.wanted;
            return false;
        }
        if (other.left) left += other.wanted;
        return !other.left;
    });
    warn(gpu, newest, kernels, wanted, left);
    if (windows_.size() >= most_windows) windows_.erase(windows_.begin());
    windows_.push_back(std::move(newest));
}

void PersistingL2::warn(Gpu& gpu, const Window& newest, std::size_t kernels, std::uint64_t wanted, std::uint64_t left) {
    const auto& device = gpu.devices[static_cast<std::size_t>(newest.kernel->device)];
    const std::uint64_t set_aside = device.limits[cudaLimitPersistingL2CacheSize];
    if (wanted + left <= set_aside) {
        told_ = 0;
        return;
    }
    if (std::exchange(told_, wanted + left) == wanted + left) return;
    if (!gpu.active.events.diagnostic) return;
    Diagnostic warning;
    warning.severity = Diagnostic::Severity::warning;
    warning.code = "l2-set-aside-exceeded";
    warning.message = kernels == 1 ? fmt::format("the window of the kernel wants {} bytes to persist in L2", wanted)
                                   : fmt::format(
                                         "the windows of {} kernels that can work at once want {} bytes to "
                                         "persist in L2",
                                         kernels, wanted);
    if (left > 0) warning.message += fmt::format(" beside {} bytes that kernels before left there", left);
    warning.message += fmt::format(", and {} are set aside", set_aside);
    warning.hint = wanted > set_aside
                       ? fmt::format(
                             "lower num_bytes or hitRatio, or raise "
                             "cudaLimitPersistingL2CacheSize, here up to {}",
                             gpu.profile.persisting_l2_max)
                       : "call cudaCtxResetPersistingL2Cache when earlier data need not persist any more";
    warning.where = gpu.place();
    gpu.active.events.diagnostic(warning);
}

void PersistingL2::end_device(int device) {
    std::erase_if(windows_, [&](const Window& window) { return window.kernel->device == device; });
}

void PersistingL2::reset(int device) {
    for (Window& window : windows_)
        if (window.kernel->device == device) window.left = false;
}

}  // namespace cudash::virtual_gpu::runtime
