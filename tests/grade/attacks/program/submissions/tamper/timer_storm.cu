// ATTACK: lets a timer interrupt everything
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
// SAYS: ran longer than 5 s
#include <csignal>
#include <cstdio>
#include <sys/time.h>

int main() {
    signal(SIGALRM, [](int) {});
    const itimerval often{{0, 1}, {0, 1}};
    setitimer(ITIMER_REAL, &often, nullptr);
    while (true) {
    }
}
