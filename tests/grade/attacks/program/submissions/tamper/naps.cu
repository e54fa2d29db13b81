// ATTACK: sleeps a millisecond at a time
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
// SAYS: took longer than 20 s in all
#include <unistd.h>

int main() {
    for (;;) usleep(1000);
}
