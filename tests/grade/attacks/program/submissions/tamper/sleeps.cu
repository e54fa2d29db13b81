// ATTACK: sleeps for a day
// POINTS: 0
// FAILS: the answer
// SAYS: took longer than 20 s in all
#include <unistd.h>

int main() { sleep(86400); }
