// Queued work goes on by itself, as on a real device, where the program waits without asking the runtime: for what a
// host function will do, or for a flag that a kernel sets. Work is only taken up once every thread of the program has
// been blocked for a while, or has computed for long without a call, so that results do not depend on the host's speed.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace cudash::virtual_gpu::runtime {

class Gpu;

class Progress {
public:
    explicit Progress(Gpu& gpu);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

private:
    void watch();

    Gpu& gpu_;
    std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace cudash::virtual_gpu::runtime
