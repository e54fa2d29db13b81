#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

#include <algorithm>

namespace cudash::virtual_gpu {
namespace {

/// "Maximum number of resident grids per device" (Programming Guide, technical specifications per compute capability).
unsigned resident_grids(const Profile& profile) {
    if (profile.cc_major < 2) return 1;
    if (profile.cc_major < 3) return 16;
    return profile.cc_major < 7 ? 32 : 128;
}

}  // namespace

Timeline::Context& Timeline::context(int device) {
    auto found = contexts_.find(device);
    if (found != contexts_.end()) return found->second;
    Context fresh{.legacy = {.id = 7, .device = device, .legacy = true},
                  .engines = Engines(profile_.copy_engines, resident_grids(profile_))};
    return contexts_.emplace(device, std::move(fresh)).first->second;
}

Stream& Timeline::per_thread(int device, std::uint64_t thread) {
    auto& streams_of = context(device).per_thread;
    const auto found = streams_of.find(thread);
    if (found != streams_of.end()) return found->second;
    // Threads end without a word: the streams of many are looked through for those with nothing left to do.
    constexpr std::size_t many = 64;
    if (streams_of.size() >= many)
        std::erase_if(streams_of, [](const auto& entry) {
            return !entry.second.capture && (!entry.second.last || entry.second.last->done);
        });
    return streams_of.emplace(thread, Stream{.id = next_id_++, .device = device}).first->second;
}

void Timeline::add_before(Operation& operation, const OperationPtr& before) {
    if (!before) return;
    if (before->done)
        operation.earliest = std::max(operation.earliest, before->end);
    else
        operation.after.push_back(before);
}

std::vector<OperationPtr> Timeline::frontier(Stream& stream) {
    std::vector<OperationPtr> before;
    if (stream.last) before.push_back(stream.last);
    if (!stream.blocking()) return before;
    Context& own = context(stream.device);
    if (!stream.legacy) {
        if (own.legacy.last) before.push_back(own.legacy.last);
        return before;
    }
    each_stream([&](Stream& other) {
        if (&other != &stream && other.device == stream.device && other.blocking() && other.last)
            before.push_back(other.last);
    });
    std::erase_if(own.destroyed, [](const OperationPtr& operation) { return operation->done; });
    before.insert(before.end(), own.destroyed.begin(), own.destroyed.end());
    return before;
}

void Timeline::issue(Stream& stream, OperationPtr operation) {
    issue_after(stream.device, operation, frontier(stream), stream.priority);
    stream.last = std::move(operation);
}

void Timeline::issue_after(int device, const OperationPtr& operation, const std::vector<OperationPtr>& before,
                           int priority) {
    operation->device = device;
    operation->priority = priority;
    priorities_ |= priority != 0;
    operation->issued = operation->earliest = host_;
    for (const OperationPtr& each : before) add_before(*operation, each);
    queue_.push_back(operation);
}

void Timeline::let_go(Stream& stream) {
    if (stream.blocking() && stream.last && !stream.last->done) context(stream.device).destroyed.push_back(stream.last);
}

void Timeline::want(const OperationPtr& operation) {
    std::vector<Operation*> open{operation.get()};
    while (!open.empty()) {
        Operation* each = open.back();
        open.pop_back();
        if (each->done || each->wanted) continue;
        each->wanted = true;
        for (const OperationPtr& before : each->after) open.push_back(before.get());
    }
    search_from_ = 0;
    if (!priorities_) return;
    // What would go first on a device goes first here: else it would find the device taken.
    for (const OperationPtr& other : queue_)
        if (!other->wanted && !other->done && other->device == operation->device &&
            other->priority < operation->priority)
            want(other);
}

void Timeline::want_all(int device) {
    for (const OperationPtr& operation : queue_)
        if (operation->device == device) want(operation);
}

OperationPtr Timeline::next_wanted() {
    while (!queue_.empty() && queue_.front()->done) {
        queue_.pop_front();
        if (search_from_ > 0) --search_from_;
    }
    const auto waits = [](const OperationPtr& operation) { return operation->wanted && !operation->done; };
    while (search_from_ < queue_.size() && !waits(queue_[search_from_])) ++search_from_;
    if (search_from_ < queue_.size()) {
        OperationPtr next = queue_[search_from_];
        for (std::size_t i = search_from_; priorities_ && i < queue_.size(); ++i) {
            const OperationPtr& other = queue_[i];
            if (other->priority < next->priority && waits(other) &&
                std::all_of(other->after.begin(), other->after.end(), [](const auto& before) { return before->done; }))
                next = other;
        }
        return next;
    }
    std::erase_if(queue_, [](const OperationPtr& operation) { return operation->done; });
    search_from_ = 0;
    if (queue_.empty()) priorities_ = false;
    return nullptr;
}

void Timeline::complete(Operation& operation) {
    // Done before it runs: a host function that faults leaves it here for good.
    operation.done = true;
    for (const OperationPtr& before : operation.after) operation.earliest = std::max(operation.earliest, before->end);
    operation.after.clear();
    operation.end = operation.earliest;
    const Usage usage = operation.run();
    Context& own = context(operation.device);
    operation.end = own.engines.place(usage, operation.earliest, operation.priority);
    own.last_end = std::max(own.last_end, operation.end);
    constexpr std::size_t often = 256;
    if (++completed_ % often == 0) own.engines.forget_before(queue_.empty() ? host_ : queue_.front()->issued);
}

void Timeline::drop_all() {
    for (const OperationPtr& operation : queue_) drop(*operation);
    queue_.clear();
    search_from_ = 0;
}

void Timeline::drop(Operation& operation) {
    operation.done = true;
    operation.end = std::max(operation.end, operation.earliest);
    operation.after.clear();
}

void Timeline::drop_after_error() {
    std::erase_if(queue_, [&](const OperationPtr& operation) {
        operation->wanted = operation->survives_errors();
        if (!operation->wanted) drop(*operation);
        return !operation->wanted;
    });
    search_from_ = 0;
}

void Timeline::clear() {
    drop_all();
    streams.clear();
    events.clear();
    contexts_.clear();
}

}  // namespace cudash::virtual_gpu
