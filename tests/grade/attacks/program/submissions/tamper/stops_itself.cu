// ATTACK: stops its own process
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
#include <unistd.h>

int main() {
    raise(SIGSTOP);
    kill(getpid(), SIGSTOP);
    for (volatile int i = 0;; ++i) {
    }
}
