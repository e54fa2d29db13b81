// ATTACK: fills pipes with memory that is nobody's
// STOPS: seccomp: no pipes; fcntl only for descriptors
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

int main() {
    static char zeros[1 << 16];
    long kept = 0;
    for (int ends[2]; pipe2(ends, O_NONBLOCK) == 0;) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        for (long size; (size = write(ends[1], zeros, sizeof zeros)) > 0;) kept += size;
    }
    if (kept > 16 << 20) printf("LEAK: %ld bytes in pipes\n", kept);
}
