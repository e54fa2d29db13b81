// Streams and events on the modelled clock. Work runs at once, in the order in which it is issued, which every stream
// order allows; the timeline says when it would have started and ended on the device. Nanoseconds.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace cudash::virtual_gpu {

struct Stream {
    std::uint64_t id = 0;
    int device = 0;
    unsigned flags = cudaStreamDefault;
    int priority = 0;
    cudaSynchronizationPolicy synchronization = cudaSyncPolicyAuto;
    cudaAccessPolicyWindow window{};
    double ready = 0;  ///< when all its work so far has ended
    bool legacy = false;
};

struct Event {
    unsigned flags = cudaEventDefault;
    int device = 0;
    bool recorded = false;
    double time = 0;
};

/// Live objects behind handles. Handles are never dereferenced and never used again, so that a stale one is told apart,
/// and are the same in every run.
template <class Handle, class Object>
class HandleTable {
public:
    explicit HandleTable(std::uintptr_t first) : next_(first) {}
    Handle add(Object object) {
        const std::uintptr_t value = next_;
        next_ += 0x40;
        objects_.emplace(value, std::move(object));
        return reinterpret_cast<Handle>(value);
    }
    Object* find(Handle handle) {
        auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
        return found == objects_.end() ? nullptr : &found->second;
    }
    bool remove(Handle handle) { return objects_.erase(reinterpret_cast<std::uintptr_t>(handle)) != 0; }
    void clear() { objects_.clear(); }
    static Handle handle(std::uintptr_t value) { return reinterpret_cast<Handle>(value); }
    auto begin() { return objects_.begin(); }
    auto end() { return objects_.end(); }
    auto begin() const { return objects_.begin(); }
    auto end() const { return objects_.end(); }

private:
    std::uintptr_t next_;
    std::map<std::uintptr_t, Object> objects_;
};

class Timeline {
public:
    /// Streams that exist without being created: the legacy and the per-thread default stream of each device.
    Stream& legacy(int device) { return defaults(device).legacy; }
    Stream& per_thread(int device) { return defaults(device).per_thread; }

    HandleTable<cudaStream_t, Stream> streams{0x5000'0000'1000};
    HandleTable<cudaEvent_t, Event> events{0x5000'4000'1000};

    /// Appends work of `duration` to the stream; returns when it ends. The legacy default stream waits for, and is
    /// waited for by, all blocking streams of its device (Programming Guide, "Default Stream").
    double enqueue(Stream& stream, double duration);
    /// The host spends `duration`.
    void host_works(double duration) { host_ += duration; }
    /// The host waits until the stream's, or the device's, work is done.
    void wait(const Stream& stream);
    void wait_all();
    void wait_until(double time) { host_ = time > host_ ? time : host_; }
    double host_time() const { return host_; }
    std::uint64_t next_stream_id() { return next_id_++; }
    void clear();

private:
    struct Defaults {
        Stream legacy, per_thread;
    };
    Defaults& defaults(int device);
    template <class Visit>
    void each_stream(Visit visit);

    double host_ = 0;
    std::uint64_t next_id_ = 13;  // what an H200 numbers the first created stream
    std::map<int, Defaults> defaults_;
};

}  // namespace cudash::virtual_gpu
