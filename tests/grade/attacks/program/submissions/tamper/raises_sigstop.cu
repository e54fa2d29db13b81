// ATTACK: sends itself SIGSTOP
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
#include <csignal>
#include <unistd.h>

int main() {
    kill(getpid(), SIGSTOP);
    raise(SIGSTOP);
}
