#include "repl/session/host_waits.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "runtime_wrappers/api/host_waits.h"

namespace cudash::session {
namespace {

constexpr double nanoseconds_per_second = 1e9, nanoseconds_per_microsecond = 1e3;

double nanoseconds(const timespec& time) {
    return static_cast<double>(time.tv_sec) * nanoseconds_per_second + static_cast<double>(time.tv_nsec);
}

double now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return nanoseconds(time);
}

int call_nanosleep(const timespec* wanted, timespec* left) {
    if (wanted) api::host_waits(nanoseconds(*wanted));
    return ::nanosleep(wanted, left);
}
int call_clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
    // How far away a point in time is differs from run to run: it does not count.
    if (wanted) api::host_waits(flags & TIMER_ABSTIME ? 0 : nanoseconds(*wanted));
    return ::clock_nanosleep(clock, flags, wanted, left);
}
int call_usleep(useconds_t microseconds) {
    api::host_waits(microseconds * nanoseconds_per_microsecond);
    return ::usleep(microseconds);
}
unsigned call_sleep(unsigned seconds) {
    api::host_waits(seconds * nanoseconds_per_second);
    return ::sleep(seconds);
}
int call_sched_yield() {
    api::host_waits(0);
    return ::sched_yield();
}

/// A wait that a host function may end is not over as long as that function runs, on however slow a machine: `wait`
/// waits until a time. A host function that itself waits for this thread has a while to show it.
template <class Wait>
int wait_while_work_goes_on(clockid_t clock, Wait wait) {
    constexpr double longest = 2 * nanoseconds_per_second;
    constexpr long slice = 1'000'000;
    api::host_waits(0);
    int status = wait(nullptr);
    for (const double begin = now(CLOCK_MONOTONIC);
         status == ETIMEDOUT && api::work_goes_on() && now(CLOCK_MONOTONIC) - begin < longest;) {
        timespec until{};
        clock_gettime(clock, &until);
        until.tv_nsec += slice;
        if (until.tv_nsec >= 1'000'000'000) until.tv_sec += 1, until.tv_nsec -= 1'000'000'000;
        status = wait(&until);
    }
    return status;
}

int call_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* limit) {
    return wait_while_work_goes_on(CLOCK_REALTIME, [&](const timespec* other) {
        return pthread_cond_timedwait(condition, mutex, other ? other : limit);
    });
}
int call_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* limit) {
    return wait_while_work_goes_on(clock, [&](const timespec* other) {
        return pthread_cond_clockwait(condition, mutex, clock, other ? other : limit);
    });
}

template <class Function>
const void* address_of(Function function) {
    return reinterpret_cast<const void*>(function);
}

}  // namespace

std::vector<api::Symbol> waiting_functions() {
    return {
        {"nanosleep", address_of(&call_nanosleep)},
        {"clock_nanosleep", address_of(&call_clock_nanosleep)},
        {"usleep", address_of(&call_usleep)},
        {"sleep", address_of(&call_sleep)},
        {"sched_yield", address_of(&call_sched_yield)},
        {"pthread_cond_timedwait", address_of(&call_timedwait)},
        {"pthread_cond_clockwait", address_of(&call_clockwait)},
    };
}

}  // namespace cudash::session
