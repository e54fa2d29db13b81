// ATTACK: defines functions that the harness calls
// STOPS: host code in device text is left out
// POINTS: 0
// FAILS: compiles
extern "C" void* memcpy(void* to, const void*, unsigned long) { return to; }
void run() {}
int in[256], out[256];
__global__ void add_up(int* out, const int* in, int n) {}
