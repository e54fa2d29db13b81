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

/// Stands for operations that are done, in the order of operations only.
class GoneOperations final : public Operation {
public:
    GoneOperations() { done = true; }
    Usage run() override { return {}; }
};

}  // namespace

Timeline::Context& Timeline::context(int device) {
    auto found = contexts_.find(device);
    if (found != contexts_.end()) return found->second;
    if (!contexts_.empty()) expect_company();
    Context fresh{.legacy = {.id = 7, .device = device, .legacy = true},
                  .engines = Engines(profile_.copy_engines, resident_grids(profile_))};
    return contexts_.emplace(device, std::move(fresh)).first->second;
}

Stream& Timeline::per_thread(int device, std::uint64_t thread) {
    Context& own = context(device);
    auto& streams_of = own.per_thread;
    const auto found = streams_of.find(thread);
    if (found != streams_of.end()) return found->second;
    // Threads end without a word: the streams of many are looked through for those with nothing left to do.
    constexpr std::size_t many = 64;
    if (streams_of.size() >= many)
        std::erase_if(streams_of, [&](const auto& entry) {
            const OperationPtr& last = entry.second.last;
            if (entry.second.capture || (last && !last->done)) return false;
            if (last) remember_gone(own, *last);
            own.ahead.erase(entry.second.id);
            return true;
        });
    Stream made{.id = next_id_++, .device = device, .per_thread = true};
    count_stream(made);
    return streams_of.emplace(thread, std::move(made)).first->second;
}

void Timeline::count_stream(Stream& stream) {
    ++streams_;
    if (!stream.per_thread) stream.number = ++numbered_;
    // All others wait for the legacy default stream, and it for them.
    has_others_ |= streams_ > 1 || !stream.blocking();
}

IssuedIn Timeline::issued_in(const Stream& stream) {
    using Kind = IssuedIn::Kind;
    return {.kind = stream.legacy       ? Kind::legacy
                    : stream.per_thread ? Kind::per_thread
                    : stream.blocking() ? Kind::blocking
                                        : Kind::non_blocking,
            .number = stream.number};
}

void Timeline::remember_gone(Context& own, const Operation& last) {
    if (!own.gone) own.gone = std::make_shared<GoneOperations>();
    own.gone->moment.past.join(last.moment.past);
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
    for (const auto& [id, other] : own.ahead) before.push_back(other->last);
    std::erase_if(own.destroyed, [&](const OperationPtr& operation) {
        if (operation->done) remember_gone(own, *operation);
        return operation->done;
    });
    before.insert(before.end(), own.destroyed.begin(), own.destroyed.end());
    if (own.gone) before.push_back(own.gone);
    return before;
}

void Timeline::issue(Stream& stream, OperationPtr operation) {
    issue_after(stream.device, operation, frontier(stream), stream.priority);
    set_last(stream, std::move(operation));
}

void Timeline::set_last(Stream& stream, OperationPtr operation) {
    if (stream.blocking()) {
        auto& ahead = context(stream.device).ahead;
        if (stream.legacy)
            std::erase_if(ahead,
                          [&](const auto& entry) { return entry.second->last->moment.before(operation->moment); });
        else
            ahead.emplace(stream.id, &stream);
    }
    stream.last = std::move(operation);
}

void Timeline::issue_after(int device, const OperationPtr& operation, const std::vector<OperationPtr>& before,
                           int priority) {
    operation->device = device;
    operation->priority = priority;
    priorities_ |= priority != 0;
    operation->issued = operation->earliest = host_;
    for (const OperationPtr& each : before) add_before(*operation, each);
    Past past;
    for (const OperationPtr& each : before) past.join(each->moment.past);
    operation->moment = order.next(std::move(past), before.empty() ? nullptr : &before.front()->moment);
    operation->has_concurrent_work = has_others_;
    queue_.push_back(operation);
}

void Timeline::let_go(Stream& stream) {
    if (!stream.blocking() || !stream.last) return;
    Context& own = context(stream.device);
    own.ahead.erase(stream.id);
    if (stream.last->done)
        remember_gone(own, *stream.last);
    else
        own.destroyed.push_back(stream.last);
}

bool Timeline::all_waiting_follow(const Moment& moment) const {
    return std::all_of(queue_.begin(), queue_.end(), [&](const OperationPtr& operation) {
        return operation->done || moment.before(operation->moment);
    });
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
    // What comes behind one that waits stays.
    const auto waits = [](const OperationPtr& operation) {
        return operation->wanted && !operation->done && !operation->started &&
               std::ranges::all_of(operation->after, [](const auto& before) { return before->done; });
    };
    while (search_from_ < queue_.size() && !waits(queue_[search_from_])) ++search_from_;
    if (search_from_ < queue_.size()) {
        OperationPtr next = queue_[search_from_];
        for (std::size_t i = search_from_; priorities_ && i < queue_.size(); ++i) {
            const OperationPtr& other = queue_[i];
            if (other->priority < next->priority && waits(other)) next = other;
        }
        return next;
    }
    std::erase_if(queue_, [](const OperationPtr& operation) { return operation->done; });
    search_from_ = 0;
    if (queue_.empty()) priorities_ = false;
    return nullptr;
}

void Timeline::begin(Operation& operation) {
    operation.started = true;
    for (const OperationPtr& before : operation.after) operation.earliest = std::max(operation.earliest, before->end);
    operation.after.clear();
    operation.end = operation.earliest;
}

void Timeline::complete(Operation& operation) {
    begin(operation);
    operation.done = true;  // before it runs: a host function that faults leaves it here for good
    settle(operation, operation.run());
}

void Timeline::end(Operation& operation, Usage usage, bool waited) {
    operation.done = true;
    search_from_ = 0;
    // What it did while it waited is not a measure of time.
    constexpr double reaction = 1000;
    if (waited) usage.duration = std::max(host_, newest_end_) - operation.earliest + reaction;
    usage.duration = std::max(usage.duration, reaction);
    settle(operation, usage);
}

std::size_t Timeline::wanted() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(queue_, [](const OperationPtr& operation) { return operation->wanted; }));
}

bool Timeline::is_busy(int device) const {
    return std::ranges::any_of(
        queue_, [&](const OperationPtr& operation) { return operation->device == device && !operation->done; });
}

void Timeline::settle(Operation& operation, const Usage& usage) {
    Context& own = context(operation.device);
    operation.end = own.engines.place(usage, operation.earliest, operation.priority);
    own.last_end = std::max(own.last_end, operation.end);
    newest_end_ = operation.end;
    if (completed) completed(operation, usage);
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

void Timeline::end_device(int device) {
    std::erase_if(queue_, [&](const OperationPtr& operation) {
        if (operation->device == device) drop(*operation);
        return operation->device == device;
    });
    search_from_ = 0;
    streams.remove_if([&](const Stream& stream) { return stream.device == device; });
    events.remove_if([&](const Event& event) {
        if (event.device == device && !(event.flags & cudaEventDisableTiming)) --timed_events;
        return event.device == device;
    });
    contexts_.erase(device);
    if (contexts_.empty()) clear();
}

void Timeline::clear() {
    drop_all();
    streams.clear();
    events.clear();
    timed_events = 0;
    contexts_.clear();
    order.clear();
    has_others_ = false;
    streams_ = numbered_ = 0;
}

}  // namespace cudash::virtual_gpu
