// REPLY: loads all numbers
__global__ void sort(const int* in, int* out) {
    int lane = threadIdx.x, x = in[lane], place = 0;
    for (int i = 0; i < 32; ++i) place += in[i] < x || (in[i] == x && i < lane);
    out[place] = x;
}
