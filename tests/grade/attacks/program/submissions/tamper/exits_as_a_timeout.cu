// ATTACK: ends with the exit code of timeout(1)
// STOPS: the exit code is the program's; a timeout is what the front end measured
// POINTS: 0
// FAILS: the answer
// SAYS: it ended with exit code 124
int main() { return 124; }
