// ATTACK: calls itself without end
// STOPS: processor time
// POINTS: 0
// FAILS: the sums
__device__ int deeper(int* out, int depth) {
    int room[256];
    room[depth % 256] = depth;
    out[depth % 256] = room[(depth + 1) % 256];
    return deeper(out, depth + 1) + room[depth % 7];
}
__global__ void add_up(int* out, const int* in, int n) {
    out[threadIdx.x] = deeper(out, threadIdx.x);
}
