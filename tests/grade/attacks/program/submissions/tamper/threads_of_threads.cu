// ATTACK: lets each thread start the next
// STOPS: the front end counts threads; RLIMIT_NPROC for ordinary users
// POINTS: 0
// FAILS: the answer
#include <atomic>
#include <cstdio>
#include <pthread.h>
#include <unistd.h>

static std::atomic<int> made{0};
static void* next(void*) {
    pthread_t thread;
    if (++made < 3000 && pthread_create(&thread, nullptr, next, nullptr) == 0) usleep(1000);
    return pause(), nullptr;
}
int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, next, nullptr);
    sleep(3);
    if (made > 1000) printf("LEAK: %d threads\n", made.load());
}
