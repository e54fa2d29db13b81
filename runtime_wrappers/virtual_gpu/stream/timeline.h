// Streams and events, the operations that wait in streams, and the modelled clock. An operation runs when something
// needs it, after everything that stream order and events put before it, and otherwise in the order of issue; the clock
// says when it would have started and ended on the device. Nanoseconds.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/stream/engines.h"
#include "runtime_wrappers/virtual_gpu/stream/handle_table.h"
#include "runtime_wrappers/virtual_gpu/stream/operation.h"

namespace cudash::virtual_gpu {

namespace runtime {
struct Capture;
}

struct Stream {
    std::uint64_t id = 0;
    int device = 0;
    unsigned flags = cudaStreamDefault;
    int priority = 0;
    cudaSynchronizationPolicy synchronization = cudaSyncPolicyAuto;
    cudaAccessPolicyWindow window{};
    cudaLaunchMemSyncDomainMap memory_sync_domains{0, 1};  ///< of blocks' fences: without effect here
    cudaLaunchMemSyncDomain memory_sync_domain = cudaLaunchMemSyncDomainDefault;
    bool legacy = false, per_thread = false;
    std::uint64_t number = 0;                         ///< of those that were created, from 1
    OperationPtr last{};                              ///< the newest operation; the stream is done when that is
    std::shared_ptr<runtime::Capture> capture{};      ///< what is recorded instead of run
    std::vector<cudaGraphNode_t> capture_frontier{};  ///< what the next recorded node comes after

    bool blocking() const { return !(flags & cudaStreamNonBlocking); }
};

struct Event {
    unsigned flags = cudaEventDefault;
    int device = 0;
    OperationPtr record{};                        ///< the newest record; null: never recorded
    std::shared_ptr<runtime::Capture> capture{};  ///< recorded in a stream that was being captured
    std::vector<cudaGraphNode_t> capture_frontier{};
};

class Timeline {
public:
    explicit Timeline(const Profile& profile) : profile_(profile) {}

    /// Streams that exist without being created: the legacy and the per-thread default stream of each device.
    Stream& legacy(int device) { return context(device).legacy; }
    /// `thread` numbers host threads: each has its own.
    Stream& per_thread(int device, std::uint64_t thread);

    HandleTable<cudaStream_t, Stream> streams{0x5000'0000'1000};
    HandleTable<cudaEvent_t, Event> events{0x5000'4000'1000};
    std::size_t timed_events = 0;  ///< of the events: those created without cudaEventDisableTiming

    template <class Visit>
    void each_stream(Visit visit) {
        for (auto& [device, context] : contexts_) {
            visit(context.legacy);
            for (auto& [thread, stream] : context.per_thread) visit(stream);
        }
        for (auto& [handle, stream] : streams) visit(stream);
    }

    /// A stream is about to be created.
    void count_stream(Stream& stream);
    /// From now on operations may be in no order with others that come later.
    void expect_company() { has_others_ = true; }
    static IssuedIn issued_in(const Stream& stream);
    /// What comes before what.
    HappensBefore order;
    /// Told of each operation that is done; may be empty.
    std::function<void(const Operation&, const Usage&)> completed;

    /// Puts the operation behind what is in the stream. The legacy default stream waits for, and is waited for by, all
    /// blocking streams of its device (Programming Guide, "Default Stream").
    void issue(Stream& stream, OperationPtr operation);
    /// The operation is the stream's newest: it was issued behind all of frontier().
    void set_last(Stream& stream, OperationPtr operation);
    /// What the next operation of the stream would come after.
    std::vector<OperationPtr> frontier(Stream& stream);
    /// Puts the operation behind the given ones only; no stream knows of it yet.
    void issue_after(int device, const OperationPtr& operation, const std::vector<OperationPtr>& before,
                     int priority = 0);
    /// The stream's work goes on; the stream may be destroyed.
    void let_go(Stream& stream);

    /// Marks the operation and what it depends on to be run.
    void want(const OperationPtr& operation);
    void want_all(int device);
    /// The next operation that is wanted and not done: of those that could run the one of the highest priority, of
    /// equal ones the oldest; nullptr if none is.
    OperationPtr next_wanted();
    /// Runs it and sets when it ended.
    void complete(Operation& operation);
    /// The same for one that may wait in its midst: it starts, and has ended. Who waited ends no earlier than what it
    /// waited for.
    void begin(Operation& operation);
    void end(Operation& operation, Usage usage, bool waited);
    /// Whether something that was asked of the device is not done.
    bool is_busy(int device) const;
    /// Nothing that waits will run.
    void drop_all();
    /// The context is lost: what survives that runs now, nothing else will.
    void drop_after_error();
    std::size_t waiting() const { return queue_.size(); }
    /// How many of them are wanted.
    std::size_t wanted() const;
    /// Whether all that waits comes after `moment`.
    bool all_waiting_follow(const Moment& moment) const;

    /// The host spends `duration`.
    void host_works(double duration) { host_ += duration; }
    void wait_until(double time) { host_ = time > host_ ? time : host_; }
    /// The host waits for all that the device has done.
    void wait_for_device(int device) { wait_until(context(device).last_end); }
    double host_time() const { return host_; }
    std::uint64_t next_stream_id() { return next_id_++; }
    /// The device's streams and events end, and what still waits for it is dropped; those of others go on.
    void end_device(int device);
    void clear();

private:
    struct Context {
        Stream legacy;
        std::map<std::uint64_t, Stream> per_thread{};
        /// Blocking streams, by id, whose newest operation the legacy default stream is not behind.
        std::map<std::uint64_t, Stream*> ahead{};
        std::vector<OperationPtr> destroyed{};  ///< last operations of blocking streams that were destroyed
        OperationPtr gone{};                    ///< stands for those of them that are done
        Engines engines;
        double last_end = 0;
    };
    Context& context(int device);
    /// The legacy default stream's next operation comes after it all the same.
    static void remember_gone(Context& own, const Operation& last);
    void add_before(Operation& operation, const OperationPtr& before);
    static void drop(Operation& operation);
    void settle(Operation& operation, const Usage& usage);

    const Profile& profile_;
    double host_ = 0;
    double newest_end_ = 0;       ///< of the operation that was completed last
    std::uint64_t next_id_ = 13;  // what an H200 numbers the first created stream
    std::map<int, Context> contexts_;
    std::deque<OperationPtr> queue_;  ///< in the order of issue
    std::size_t search_from_ = 0;     ///< nothing before this is wanted
    std::uint64_t completed_ = 0;
    std::uint64_t streams_ = 0;   ///< that were created, default streams of threads among them
    std::uint64_t numbered_ = 0;  ///< that were created by calls
    bool has_others_ = false;
    bool priorities_ = false;  ///< an operation of other than the default priority was queued
};

}  // namespace cudash::virtual_gpu
