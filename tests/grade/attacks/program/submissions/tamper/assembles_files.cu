// ATTACK: lets the assembler put a file into the program
// STOPS: Landlock; file tree
// POINTS: 0
// FAILS: compiles
#include <cstdio>

asm(".data\nstolen: .incbin \"/etc/passwd\"\n.byte 0\n.text");
extern "C" const char stolen[];
int main() { printf("LEAK: %.10s\n", stolen); }
