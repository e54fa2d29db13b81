// ATTACK: throws, and throws again from a handler
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Bad {
    ~Bad() noexcept(false) { throw 2; }
};
int main() {
    atexit([] { throw 3; });
    Bad bad;
    throw 1;
}
