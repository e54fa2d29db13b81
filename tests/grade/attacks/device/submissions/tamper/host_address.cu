// ATTACK: writes to addresses of the host
// STOPS: the virtual GPU refuses the access
// POINTS: 0
// FAILS: the sums
// SAYS: oob-write
__global__ void add_up(int* out, const int* in, int n) {
    for (unsigned long long at = 0x555555554000ull; at < 0x555555654000ull; at += 4096) *(int*)at = 1;
    out[threadIdx.x] = 1;
}
