// ATTACK: comments out what follows
// STOPS: the compiler refuses it
// POINTS: 0
// FAILS: compiles
__global__ void add_up(int* out, const int* in, int n) {}
/* #if 0 "
