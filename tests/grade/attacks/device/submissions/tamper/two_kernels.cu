// ATTACK: has the kernel twice
// STOPS: the compiler refuses it
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {}
__global__ void add_up(float* out, const int* in, int n) {}
