// ATTACK: makes the worker's socket non-blocking, and floods it
// STOPS: limits on messages: 4 MB each, 16 MB a cell, 100,000 values, 64 levels
// POINTS: 0
// FAILS: the answer
#include <fcntl.h>
#include <unistd.h>

int main() {
    fcntl(100, F_SETFL, O_NONBLOCK);
    static char zeros[1 << 20];
    for (int i = 0; i < 1000; ++i)
        if (write(100, zeros, sizeof zeros) < 0) usleep(100);
}
