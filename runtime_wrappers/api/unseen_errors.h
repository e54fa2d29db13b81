// Failed calls of a program that nothing looked at: the result was thrown away, and the last error never asked for.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::api {

/// Thread-safe.
class UnseenErrors {
public:
    /// Nobody can ask for it later.
    static constexpr std::uint64_t no_thread = ~std::uint64_t{0};

    /// A call of host thread `thread` failed, and its result went nowhere. The same failure at the same place counts.
    void add(std::uint64_t thread, Diagnostic failure);
    /// The thread asked for its last error.
    void looked_at(std::uint64_t thread);
    /// One finding for each place, in the order of the first failure there.
    std::vector<Diagnostic> take();

private:
    struct Entry {
        std::uint64_t thread;
        Diagnostic failure;
        std::uint64_t times;
    };
    std::mutex mutex_;
    std::vector<Entry> entries_;
};

}  // namespace cudash::api
