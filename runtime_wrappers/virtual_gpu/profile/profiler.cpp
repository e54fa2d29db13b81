#include "runtime_wrappers/virtual_gpu/profile/profiler.h"

#include <algorithm>

namespace cudash::virtual_gpu {

void Profiler::launch_ended() {
    auto launch = collector_.take();
    if (!launch) return;
    const auto same = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.sum.is_like(*launch); });
    if (same != entries_.end()) {
        same->sum.add(*launch);
        ++same->launches;
    } else if (entries_.size() < most_entries) {
        entries_.push_back({*launch, 1});
    } else {
        ++left_out_;
    }
    last_ = std::move(launch);
}

void Profiler::clear() {
    entries_.clear();
    last_.reset();
    left_out_ = 0;
}

}  // namespace cudash::virtual_gpu
