// ATTACK: makes time run backwards
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
// SAYS: ran longer than 5 s
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>
#include <sys/syscall.h>

extern "C" int clock_gettime(clockid_t, timespec* t) {
    *t = {};
    return 0;
}
int main() {
    timespec now{};
    if (syscall(SYS_clock_settime, CLOCK_REALTIME, &now) == 0) puts("LEAK: the clock was set");
    for (volatile int i = 0;; ++i) {
    }
}
