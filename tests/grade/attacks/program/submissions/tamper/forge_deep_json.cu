// ATTACK: sends JSON that nests a million deep
// STOPS: limits on messages: 4 MB each, 16 MB a cell, 100,000 values, 64 levels
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

int main() {
    const unsigned size = 1000000;
    char* frame = (char*)malloc(size + 4);
    memset(frame, '[', size + 4);
    memcpy(frame, &size, 4);
    for (int fd = 3; fd < 256; ++fd)
        for (unsigned at = 0; at < size + 4;) {
            const long n = write(fd, frame + at, size + 4 - at);
            if (n <= 0) break;
            at += n;
        }
    sleep(1);
}
