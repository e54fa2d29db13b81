// ATTACK: makes the compiler write a gigabyte
// STOPS: the front end counts resident memory and page tables; RLIMIT_AS and RLIMIT_DATA
// POINTS: 0
// FAILS: compiles
int numbers[1 << 28] = {1};
int main() { return numbers[5]; }
