// ATTACK: ends as if somebody had pressed Ctrl-C
// STOPS: only a Ctrl-C that the front end received itself interrupts
// POINTS: 0
// FAILS: the answer
#include <csignal>

int main() {
    raise(SIGINT);
    while (true) {
    }
}
