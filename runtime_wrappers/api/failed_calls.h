// Failed calls of a program that nobody is told of while it runs. Those whose result was thrown away, and the last
// error never asked for, are told at its end. So are those of which it printed no more than the name of the error: why
// the call failed is known here.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::api {

/// Thread-safe.
class FailedCalls {
public:
    /// No cudaGetLastError() gives it later.
    static constexpr std::uint64_t no_thread = ~std::uint64_t{0};
    static constexpr int other_status = -1;  ///< of a library

    struct Call {
        std::uint64_t thread;  ///< of the host
        int status;            ///< cudaError_t or CUresult
        Diagnostic failure;
        bool discarded = false;  ///< its result went nowhere
        bool launch = false;     ///< a kernel's: it has no result, and who looks asks for it
    };
    /// The same failure at the same place counts.
    void add(Call call);
    /// The thread asked for its last error, at `where`.
    void looked_at(std::uint64_t thread, const SourceSpot& where);
    /// The program asked for the text of an error: it told somebody.
    void named(int status);
    /// One finding for each place, in the order of the first failure there: warnings of what nobody looked at, and
    /// notes of what was named. Where a program ended `well` without a name, nothing else is of interest; where it
    /// didn't, the last failure that it looked at is.
    std::vector<Diagnostic> take(bool well);

private:
    enum class State { unseen, seen, named };
    struct Entry {
        Call call;
        State state;
        std::uint64_t times = 1;
    };
    void keep(Entry entry);

    std::mutex mutex_;
    std::vector<Entry> entries_;
};

}  // namespace cudash::api
