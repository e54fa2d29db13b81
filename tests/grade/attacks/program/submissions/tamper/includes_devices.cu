// ATTACK: includes a device that never ends
// POINTS: 0
// FAILS: compiles
#include "/dev/zero"
int main() {}
