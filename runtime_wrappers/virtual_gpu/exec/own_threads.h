// The virtual GPU's own threads: what they do is none of the program's doing.
#pragma once

#include <atomic>

namespace cudash::virtual_gpu {

/// The calling thread's number as /proc has it, which in a process namespace need not be its number there.
int thread_number();

/// While it lives the calling thread is one of them (of the first thousand or so).
class OwnThread {
public:
    OwnThread();
    ~OwnThread();
    OwnThread(const OwnThread&) = delete;
    OwnThread& operator=(const OwnThread&) = delete;

private:
    std::atomic<int>* place_ = nullptr;
};

/// By thread_number().
bool is_own_thread(int number);

}  // namespace cudash::virtual_gpu
