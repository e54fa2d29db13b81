// ATTACK: makes the compiler write a gigabyte
// POINTS: 0
// FAILS: compiles
int numbers[1 << 28] = {1};
int main() { return numbers[5]; }
