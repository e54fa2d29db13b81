// ATTACK: changes the input, so that other results are right
// STOPS: the virtual GPU refuses the access
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    ((int*)in)[threadIdx.x] = 0;
    out[threadIdx.x] = 0;
}
