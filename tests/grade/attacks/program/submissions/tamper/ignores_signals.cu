// ATTACK: never ends, and blocks the signals that ask it to
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
// SAYS: ran longer than 5 s
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>

int main() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    for (int number = 1; number < 64; ++number) signal(number, SIG_IGN);
    for (volatile int i = 0;; ++i) {
    }
}
