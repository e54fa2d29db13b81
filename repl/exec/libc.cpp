// Functions of the C and C++ libraries that the program calls through cudash, as interpreted code does: those with
// which it waits or reads a clock (queued work of the virtual GPU goes on meanwhile), and those that hand memory to the
// system.
//
// The linker gives cudash's own calls of these names to __wrap_NAME (--wrap), which are the libraries' own functions.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <vector>

#include "repl/exec/own_code.h"
#include "repl/exec/program.h"
#include "repl/session/host_waits.h"
#include "repl/session/memory_functions.h"

namespace cudash::exec {
namespace {

const void* of_session(std::string_view name) {
    static const std::vector<api::Symbol>& all = *new std::vector<api::Symbol>([] {
        std::vector<api::Symbol> symbols = session::waiting_functions();
        for (const api::Symbol& each : session::memory_functions()) symbols.push_back(each);
        return symbols;
    }());
    const auto found = std::ranges::find(all, name, &api::Symbol::name);
    return found == all.end() ? nullptr : found->address;
}

/// The session's function where the program itself calls, and there is a device; otherwise the library's.
bool goes_through_session(const void* caller) {
    if (!has_device() || !is_of_program(reinterpret_cast<std::uintptr_t>(caller))) return false;
    session::called_from = caller;
    return is_program();  // which asks the system
}

}  // namespace

#define CUDASH_THROUGH_SESSION(result, name, parameters, arguments)                                      \
    extern "C" result __wrap_##name parameters {                                                         \
        static const auto next = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name));        \
        return next arguments;                                                                           \
    }                                                                                                    \
    extern "C" __attribute__((visibility("default"))) result name parameters {                           \
        static const auto ours = reinterpret_cast<result(*) parameters>(of_session(#name));              \
        if (!ours || !goes_through_session(__builtin_return_address(0))) return __wrap_##name arguments; \
        return ours arguments;                                                                           \
    }

CUDASH_THROUGH_SESSION(int, nanosleep, (const timespec* wanted, timespec* left), (wanted, left))
CUDASH_THROUGH_SESSION(int, clock_nanosleep, (clockid_t clock, int flags, const timespec* wanted, timespec* left),
                       (clock, flags, wanted, left))
CUDASH_THROUGH_SESSION(int, usleep, (useconds_t microseconds), (microseconds))
CUDASH_THROUGH_SESSION(unsigned, sleep, (unsigned seconds), (seconds))
CUDASH_THROUGH_SESSION(int, sched_yield, (), ())
CUDASH_THROUGH_SESSION(int, pthread_cond_timedwait,
                       (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* limit),
                       (condition, mutex, limit))
CUDASH_THROUGH_SESSION(int, pthread_cond_clockwait,
                       (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* limit),
                       (condition, mutex, clock, limit))
CUDASH_THROUGH_SESSION(int, clock_gettime, (clockid_t clock, timespec* time), (clock, time))
CUDASH_THROUGH_SESSION(int, gettimeofday, (timeval * time, void* zone), (time, zone))
CUDASH_THROUGH_SESSION(time_t, time, (time_t * time), (time))
CUDASH_THROUGH_SESSION(clock_t, clock, (), ())
CUDASH_THROUGH_SESSION(std::int64_t, _ZNSt6chrono3_V212steady_clock3nowEv, (), ())
CUDASH_THROUGH_SESSION(std::int64_t, _ZNSt6chrono3_V212system_clock3nowEv, (), ())
CUDASH_THROUGH_SESSION(ssize_t, read, (int file, void* buffer, std::size_t bytes), (file, buffer, bytes))
CUDASH_THROUGH_SESSION(ssize_t, write, (int file, const void* buffer, std::size_t bytes), (file, buffer, bytes))
CUDASH_THROUGH_SESSION(std::size_t, fread, (void* buffer, std::size_t size, std::size_t count, std::FILE* file),
                       (buffer, size, count, file))
CUDASH_THROUGH_SESSION(std::size_t, fwrite, (const void* buffer, std::size_t size, std::size_t count, std::FILE* file),
                       (buffer, size, count, file))

}  // namespace cudash::exec
