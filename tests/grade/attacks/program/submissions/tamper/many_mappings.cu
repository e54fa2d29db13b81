// ATTACK: cuts its memory into as many pieces as it can
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <cstdio>
#include <sys/mman.h>

int main() {
    char* memory = (char*)mmap(nullptr, 1l << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    for (long at = 0; at < 1l << 30; at += 8192)
        if (mprotect(memory + at, 4096, PROT_NONE) != 0) return 1;
}
