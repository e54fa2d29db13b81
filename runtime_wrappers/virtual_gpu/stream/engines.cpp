#include "runtime_wrappers/virtual_gpu/stream/engines.h"

#include <algorithm>
#include <span>

namespace cudash::virtual_gpu {

std::size_t Engines::index_of(Engine engine) const {
    const bool copy = engine == Engine::to_device || engine == Engine::to_host;
    if (!copy || copy_engines_ == 0) return 0;
    return engine == Engine::to_host && copy_engines_ > 1 ? 2 : 1;
}

double Engines::place(const Usage& usage, double earliest, int priority) {
    if (usage.engine == Engine::none) return earliest + usage.duration;
    Schedule& schedule = engines_[index_of(usage.engine)];
    const unsigned most = usage.engine == Engine::kernels ? most_kernels_ : 1;
    const double share = most == 1 ? 1 : usage.share;
    const auto take = [&](double begin, double end) {
        const auto later = std::upper_bound(schedule.busy.begin(), schedule.busy.end(), end,
                                            [](double at, const Interval& other) { return at < other.end; });
        schedule.busy.insert(later, {begin, end, share, priority});
        schedule.last = std::max(schedule.last, end);
    };
    if (earliest >= schedule.last) {
        take(earliest, earliest + usage.duration);
        return earliest + usage.duration;
    }
    // How much more is busy from each moment on.
    struct Change {
        double time, share;
        int count;
        bool goes_first;  ///< of a kernel of higher priority
    };
    std::vector<Change> changes;
    const auto first = std::upper_bound(schedule.busy.begin(), schedule.busy.end(), earliest,
                                        [](double at, const Interval& other) { return at < other.end; });
    for (const Interval& interval : std::span(first, schedule.busy.end())) {
        const bool goes_first = usage.engine == Engine::kernels && interval.priority < priority;
        changes.push_back({std::max(interval.begin, earliest), interval.share, 1, goes_first});
        changes.push_back({interval.end, -interval.share, -1, goes_first});
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
        return a.time < b.time || (a.time == b.time && a.share < b.share);
    });
    struct Load {
        double share = 0;
        int count = 0;
        bool leaves(double more, unsigned most) const {
            constexpr double rounding = 1e-9;
            return share + more <= 1 + rounding && count < static_cast<int>(most);
        }
    };
    Load all, others;  // others: but those that go first
    std::vector<std::pair<double, double>> pieces;
    double left = usage.duration, now = earliest;
    for (std::size_t i = 0;;) {
        for (; i < changes.size() && changes[i].time <= now; ++i) {
            all.share += changes[i].share, all.count += changes[i].count;
            if (!changes[i].goes_first) others.share += changes[i].share, others.count += changes[i].count;
        }
        const double next = i < changes.size() ? changes[i].time : now + left;
        if (all.leaves(share, most)) {
            const bool ends = i == changes.size() || now + left <= next;
            const double until = ends ? now + left : next;
            if (!pieces.empty() && pieces.back().second == now)
                pieces.back().second = until;
            else
                pieces.emplace_back(now, until);
            if (ends) break;
            left -= until - now;
        } else if (!others.leaves(share, most)) {
            pieces.clear();
            left = usage.duration;
        }
        now = next;
    }
    for (const auto& [begin, end] : pieces) take(begin, end);
    return pieces.back().second;
}

void Engines::forget_before(double time) {
    for (Schedule& schedule : engines_)
        std::erase_if(schedule.busy, [&](const Interval& interval) { return interval.end <= time; });
}

}  // namespace cudash::virtual_gpu
