// ATTACK: sleeps a millisecond at a time
// POINTS: 0
// FAILS: the answer
// SAYS: ran longer than 5 s
#include <unistd.h>

int main() {
    for (;;) usleep(1000);
}
