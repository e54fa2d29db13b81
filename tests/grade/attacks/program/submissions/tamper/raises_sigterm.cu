// ATTACK: sends itself SIGTERM
// POINTS: 0
// FAILS: the answer
#include <csignal>
#include <unistd.h>

int main() {
    kill(getpid(), SIGTERM);
    raise(SIGTERM);
}
