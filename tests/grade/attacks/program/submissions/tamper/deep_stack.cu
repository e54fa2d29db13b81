// ATTACK: uses all of its stack, page by page
// STOPS: the process ends, and with it the run
// POINTS: 0
// FAILS: the answer
#include <alloca.h>
#include <cstring>

int main() {
    for (;;) memset(alloca(1 << 16), 1, 1 << 16);
}
