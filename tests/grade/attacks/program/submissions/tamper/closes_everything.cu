// ATTACK: closes all files, the grader's socket among them
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

int main() {
    for (int fd = 0; fd < 1024; ++fd) close(fd);
}
