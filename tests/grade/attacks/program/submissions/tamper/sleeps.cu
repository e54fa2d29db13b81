// ATTACK: sleeps for a day
// STOPS: processor time and time asleep, counted by the front end
// POINTS: 0
// FAILS: the answer
// SAYS: took longer than 20 s in all
#include <unistd.h>

int main() { sleep(86400); }
