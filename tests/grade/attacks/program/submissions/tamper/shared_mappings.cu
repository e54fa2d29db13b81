// ATTACK: fills memory that is shared with nobody
// STOPS: the front end counts resident memory and page tables; RLIMIT_AS and RLIMIT_DATA
// POINTS: 0
// FAILS: the answer
#include <cstring>
#include <sys/mman.h>

int main() {
    for (;;) {
        void* memory = mmap(nullptr, 1 << 26, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) continue;
        memset(memory, 1, 1 << 26);
    }
}
