// ATTACK: sends itself SIGKILL
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <csignal>
#include <unistd.h>

int main() {
    kill(getpid(), SIGKILL);
    raise(SIGKILL);
}
