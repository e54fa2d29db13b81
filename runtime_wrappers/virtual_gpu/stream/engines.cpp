#include "runtime_wrappers/virtual_gpu/stream/engines.h"

#include <algorithm>

namespace cudash::virtual_gpu {

std::size_t Engines::index_of(Engine engine) const {
    const bool copy = engine == Engine::to_device || engine == Engine::to_host;
    if (!copy || copy_engines_ == 0) return 0;
    return engine == Engine::to_host && copy_engines_ > 1 ? 2 : 1;
}

double Engines::place(const Usage& usage, double earliest) {
    if (usage.engine == Engine::none) return earliest + usage.duration;
    Schedule& schedule = engines_[index_of(usage.engine)];
    const unsigned most = usage.engine == Engine::kernels ? most_kernels_ : 1;
    const double share = most == 1 ? 1 : usage.share;
    double begin = earliest;
    if (begin < schedule.last) {
        // How much more is busy from each moment on.
        struct Change {
            double time, share;
            int count;
        };
        std::vector<Change> changes;
        for (const Interval& interval : schedule.busy) {
            if (interval.end <= earliest) continue;
            changes.push_back({std::max(interval.begin, earliest), interval.share, 1});
            changes.push_back({interval.end, -interval.share, -1});
        }
        std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
            return a.time < b.time || (a.time == b.time && a.share < b.share);
        });
        constexpr double rounding = 1e-9;
        double taken = 0;
        int count = 0;
        for (std::size_t i = 0; i < changes.size();) {
            const double time = changes[i].time;
            if (time >= begin + usage.duration) break;
            for (; i < changes.size() && changes[i].time == time; ++i)
                taken += changes[i].share, count += changes[i].count;
            const bool fits = taken + share <= 1 + rounding && count < static_cast<int>(most);
            if (!fits && i < changes.size()) begin = changes[i].time;
        }
    }
    const double end = begin + usage.duration;
    schedule.busy.push_back({begin, end, share});
    schedule.last = std::max(schedule.last, end);
    return end;
}

void Engines::forget_before(double time) {
    for (Schedule& schedule : engines_)
        std::erase_if(schedule.busy, [&](const Interval& interval) { return interval.end <= time; });
}

}  // namespace cudash::virtual_gpu
