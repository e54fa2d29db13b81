// ATTACK: makes timers without end
// STOPS: limits: RLIMIT_SIGPENDING
// POINTS: 0
// FAILS: the answer
#include <csignal>
#include <cstdio>
#include <ctime>

int main() {
    int made = 0;
    for (timer_t timer; made < 100000 && timer_create(CLOCK_MONOTONIC, nullptr, &timer) == 0;) ++made;
    if (made > 1000) printf("LEAK: %d timers\n", made);
}
