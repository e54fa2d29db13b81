// ATTACK: comments out what follows
// POINTS: 0
// FAILS: compiles
__global__ void add_up(int* out, const int* in, int n) {}
/* #if 0 "
