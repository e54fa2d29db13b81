// ATTACK: ends with the exit code of timeout(1)
// POINTS: 0
// FAILS: the answer
// SAYS: it ended with exit code 124
int main() { return 124; }
