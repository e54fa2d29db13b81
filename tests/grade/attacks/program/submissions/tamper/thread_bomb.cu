// ATTACK: starts threads (200 at most) that never end
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
// SAYS: ran longer than 5 s
#include <cuda_runtime.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

static void* spin(void*) {
    for (volatile int i = 0;; ++i) {
    }
}
int main() {
    for (int i = 0; i < 200; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, nullptr, spin, nullptr) != 0) break;
    }
    spin(nullptr);
}
