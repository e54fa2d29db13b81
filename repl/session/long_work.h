// Tells of work that takes long, after a while.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

namespace cudash::session {

/// While it lives, work is under way. If it lives long enough to make one wonder, `tell(what)` is called from another
/// thread, and `tell("")` when it ends.
class LongWork {
public:
    LongWork(std::string_view what, std::function<void(std::string_view)> tell);
    ~LongWork();
    LongWork(const LongWork&) = delete;
    LongWork& operator=(const LongWork&) = delete;

private:
    std::function<void(std::string_view)> tell_;
    std::mutex mutex_;
    std::condition_variable done_;
    bool is_done_ = false, told_ = false;
    std::thread watcher_;
};

}  // namespace cudash::session
