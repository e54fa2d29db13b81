// ATTACK: includes a device that never ends
// STOPS: Landlock; file tree
// POINTS: 0
// FAILS: compiles
#include "/dev/zero"
int main() {}
