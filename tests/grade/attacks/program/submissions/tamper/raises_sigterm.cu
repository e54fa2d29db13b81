// ATTACK: sends itself SIGTERM
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <csignal>
#include <unistd.h>

int main() {
    kill(getpid(), SIGTERM);
    raise(SIGTERM);
}
