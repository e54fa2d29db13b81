// ATTACK: leaves a thread behind that prints the answer of another run
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <thread>
#include <unistd.h>

int main() {
    std::thread([] {
        for (;;) write(1, "LEAK?\n", 0);
    }).detach();
}
