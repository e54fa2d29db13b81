// ATTACK: never gets to main
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: compiles
// SAYS: ran longer than 5 s
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Early {
    Early() {
        for (volatile int i = 0;; ++i) {
        }
    }
} early;
int main() {}
