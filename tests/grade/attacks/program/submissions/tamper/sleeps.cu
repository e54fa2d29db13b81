// ATTACK: sleeps for a day
// POINTS: 0
// FAILS: the answer
// SAYS: ran longer than 5 s
#include <unistd.h>

int main() { sleep(86400); }
