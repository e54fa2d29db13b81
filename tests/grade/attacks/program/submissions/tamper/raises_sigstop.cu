// ATTACK: sends itself SIGSTOP
// POINTS: 0
// FAILS: the answer
#include <csignal>
#include <unistd.h>

int main() {
    kill(getpid(), SIGSTOP);
    raise(SIGSTOP);
}
