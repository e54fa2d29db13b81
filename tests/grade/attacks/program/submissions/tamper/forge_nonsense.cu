// ATTACK: breaks the protocol: bytes that are no frames, and a frame without an end
// STOPS: what the worker says decides nothing: results are compared on the grader's side
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

int main() {
    const char bytes[] = "\xff\xff\xff\x7f{{{{\"type\":[[[[[[";
    for (int fd = 3; fd < 256; ++fd)
        for (int i = 0; i < 100; ++i)
            if (write(fd, bytes, sizeof bytes) < 0) break;
    sleep(1);
}
