// ATTACK: ends as if somebody had pressed Ctrl-C
// POINTS: 0
// FAILS: the answer
#include <csignal>

int main() {
    raise(SIGINT);
    while (true) {
    }
}
