// ATTACK: prints without end
// STOPS: limits on output
// POINTS: 0
// FAILS: the sums
__global__ void add_up(int* out, const int* in, int n) {
    for (int i = 0; i < 100000; ++i) printf("%d %d aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", threadIdx.x, i);
}
