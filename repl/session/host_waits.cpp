#include "repl/session/host_waits.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "repl/session/function_address.h"
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

/// The same of functions that say with errno what failed.
template <class Wait>
int wait_for_post(clockid_t clock, Wait wait) {
    const int status = wait_while_work_goes_on(clock, [&](const timespec* other) {
        const int failed = wait(other);
        return failed == 0 ? 0 : errno;
    });
    errno = status;
    return status == 0 ? 0 : -1;
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

int call_sem_timedwait(sem_t* semaphore, const timespec* limit) {
    return wait_for_post(CLOCK_REALTIME,
                         [&](const timespec* other) { return sem_timedwait(semaphore, other ? other : limit); });
}
int call_sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* limit) {
    return wait_for_post(clock,
                         [&](const timespec* other) { return sem_clockwait(semaphore, clock, other ? other : limit); });
}

/// Who waits for nothing but a time, which is 0 or more nanoseconds, sleeps.
void waits_for_files(bool any_files, double wanted) {
    if (wanted != 0) api::host_waits(any_files || wanted < 0 ? 0 : wanted);
}
int call_poll(pollfd* files, nfds_t count, int milliseconds) {
    waits_for_files(count != 0, milliseconds * 1e6);
    return ::poll(files, count, milliseconds);
}
int call_ppoll(pollfd* files, nfds_t count, const timespec* wanted, const sigset_t* mask) {
    waits_for_files(count != 0, wanted ? nanoseconds(*wanted) : -1);
    return ::ppoll(files, count, wanted, mask);
}
int call_select(int count, fd_set* read, fd_set* write, fd_set* failed, timeval* wanted) {
    waits_for_files(count != 0, wanted ? static_cast<double>(wanted->tv_sec) * nanoseconds_per_second +
                                             static_cast<double>(wanted->tv_usec) * nanoseconds_per_microsecond
                                       : -1);
    return ::select(count, read, write, failed, wanted);
}
int call_pselect(int count, fd_set* read, fd_set* write, fd_set* failed, const timespec* wanted, const sigset_t* mask) {
    waits_for_files(count != 0, wanted ? nanoseconds(*wanted) : -1);
    return ::pselect(count, read, write, failed, wanted, mask);
}

/// The program's read comes first: all that passes until a loop of the program's sees its end is counted.
template <class Read>
auto read_clock(const void* caller, Read read) {
    const auto time = read();
    api::host_reads_clock(called_from ? called_from : caller);
    return time;
}
int call_clock_gettime(clockid_t clock, timespec* time) {
    return read_clock(__builtin_return_address(0), [=] { return ::clock_gettime(clock, time); });
}
int call_gettimeofday(timeval* time, void* zone) {
    return read_clock(__builtin_return_address(0), [=] { return ::gettimeofday(time, zone); });
}
time_t call_time(time_t* time) {
    return read_clock(__builtin_return_address(0), [=] { return ::time(time); });
}
clock_t call_clock() {
    return read_clock(__builtin_return_address(0), [] { return ::clock(); });
}
std::chrono::steady_clock::time_point call_steady_clock_now() {
    return read_clock(__builtin_return_address(0), [] { return std::chrono::steady_clock::now(); });
}
std::chrono::system_clock::time_point call_system_clock_now() {
    return read_clock(__builtin_return_address(0), [] { return std::chrono::system_clock::now(); });
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
        {"sem_timedwait", address_of(&call_sem_timedwait)},
        {"sem_clockwait", address_of(&call_sem_clockwait)},
        {"poll", address_of(&call_poll)},
        {"ppoll", address_of(&call_ppoll)},
        {"select", address_of(&call_select)},
        {"pselect", address_of(&call_pselect)},
        {"clock_gettime", address_of(&call_clock_gettime)},
        {"gettimeofday", address_of(&call_gettimeofday)},
        {"time", address_of(&call_time)},
        {"clock", address_of(&call_clock)},
        {"_ZNSt6chrono3_V212steady_clock3nowEv", address_of(&call_steady_clock_now)},
        {"_ZNSt6chrono3_V212system_clock3nowEv", address_of(&call_system_clock_now)},
    };
}

}  // namespace cudash::session
