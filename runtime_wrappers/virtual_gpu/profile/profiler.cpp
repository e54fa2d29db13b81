#include "runtime_wrappers/virtual_gpu/profile/profiler.h"

#include <algorithm>

namespace cudash::virtual_gpu {

std::optional<KernelTime> Profiler::launch_ended() {
    auto launch = collector_.take();
    if (!launch) return std::nullopt;
    const KernelTime time = launch->time;
    if (!on) return time;
    ++launches_;
    history_.push_back({launch->kernel, launch->l2, launch->caches, launch->time});
    if (history_.size() > most_history) history_.pop_front();
    if (log_.size() < most_log)
        log_.push_back({launch->kernel, launch->grid, launch->block, launch->context.registers,
                        count(*launch, launch->device, launch->context.chosen), launch->time});
    else
        ++log_left_out_;
    const auto same = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.sum.is_like(*launch); });
    if (same != entries_.end()) {
        same->sum.add(*launch);
        ++same->launches;
        same->last = *launch;
        same->number = launches_;
    } else if (entries_.size() < most_entries) {
        entries_.push_back({*launch, 1, *launch, launches_});
    } else {
        ++left_out_;
    }
    last_ = std::move(launch);
    return time;
}

void Profiler::add_work(Work work) {
    works_.push_back(std::move(work));
    if (works_.size() <= most_works) return;
    works_.pop_front();
    ++works_left_out_;
}

void Profiler::clear() {
    works_.clear();
    log_.clear();
    log_left_out_ = 0;
    works_left_out_ = 0;
    entries_.clear();
    last_.reset();
    history_.clear();
    left_out_ = 0;
}

const LaunchProfile* Profiler::last_of(std::string_view kernel) const {
    const auto is_it = [&](std::string_view name) {
        return name == kernel || (name.starts_with(kernel) && name.substr(kernel.size()).starts_with('<'));
    };
    const Entry* found = nullptr;
    for (const Entry& entry : entries_)
        if (is_it(entry.sum.kernel) && (!found || entry.number > found->number)) found = &entry;
    return found ? &found->last : nullptr;
}

}  // namespace cudash::virtual_gpu
