// ATTACK: sends itself SIGINT from another thread, again and again
// STOPS: only a Ctrl-C that the front end received itself interrupts
// POINTS: 0
// FAILS: the answer
#include <csignal>
#include <thread>
#include <unistd.h>

int main() {
    std::thread([] {
        while (true) kill(getpid(), SIGINT);
    }).detach();
    while (true) {
    }
}
