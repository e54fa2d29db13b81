// ATTACK: starts threads with small stacks, which all wait
// STOPS: the front end counts threads; RLIMIT_NPROC for ordinary users
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <pthread.h>
#include <unistd.h>

int main() {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    int made = 0;
    for (pthread_t thread; made < 3000; ++made) {
        if (pthread_create(&thread, &small, [](void*) -> void* { return pause(), nullptr; }, nullptr) != 0) break;
        usleep(1000);
    }
    if (made > 1000) printf("LEAK: %d threads\n", made);
}
