// ATTACK: sends itself SIGKILL
// POINTS: 0
// FAILS: the answer
#include <csignal>
#include <unistd.h>

int main() {
    kill(getpid(), SIGKILL);
    raise(SIGKILL);
}
