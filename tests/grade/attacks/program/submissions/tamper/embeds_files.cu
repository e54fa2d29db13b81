// ATTACK: lets the compiler put a file into the program
// STOPS: Landlock; file tree
// POINTS: 0
// FAILS: compiles
#include <cstdio>

static const unsigned char bytes[] = {
#embed "/etc/passwd"
};
int main() { printf("LEAK: %zu bytes\n", sizeof bytes); }
