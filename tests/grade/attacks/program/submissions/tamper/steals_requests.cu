// ATTACK: reads what the grader says to the worker
// STOPS: the front end never waits for a worker to read
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <thread>
#include <unistd.h>

int main() {
    std::thread([] {
        char bytes[4096];
        while (read(100, bytes, sizeof bytes) > 0) {
        }
    }).detach();
    char bytes[4096];
    const long size = read(100, bytes, sizeof bytes);
    if (size > 0) printf("LEAK: %.*s\n", (int)size, bytes);
}
