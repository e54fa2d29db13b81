#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

#include <algorithm>

namespace cudash::virtual_gpu {

Timeline::Defaults& Timeline::defaults(int device) {
    auto [entry, fresh] = defaults_.try_emplace(device);
    if (fresh) {
        entry->second.legacy = {.id = 7, .device = device, .legacy = true};
        entry->second.per_thread = {.id = 16, .device = device};
    }
    return entry->second;
}

template <class Visit>
void Timeline::each_stream(Visit visit) {
    for (auto& [device, defaults] : defaults_) {
        visit(defaults.legacy);
        visit(defaults.per_thread);
    }
    for (auto& [handle, stream] : streams) visit(stream);
}

double Timeline::enqueue(Stream& stream, double duration) {
    double start = std::max(stream.ready, host_);
    const bool blocking = !(stream.flags & cudaStreamNonBlocking);
    if (blocking) {
        each_stream([&](Stream& other) {
            const bool ordered = other.device == stream.device && !(other.flags & cudaStreamNonBlocking) &&
                                 (stream.legacy || other.legacy);
            if (ordered) start = std::max(start, other.ready);
        });
    }
    return stream.ready = start + duration;
}

void Timeline::wait(const Stream& stream) {
    host_ = std::max(host_, stream.ready);
}

void Timeline::wait_all() {
    each_stream([&](Stream& stream) { wait(stream); });
}

void Timeline::clear() {
    streams.clear();
    events.clear();
    defaults_.clear();
}

}  // namespace cudash::virtual_gpu
