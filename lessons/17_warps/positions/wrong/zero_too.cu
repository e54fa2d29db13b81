// REPLY: Keep only elements greater than 0, not 0 itself
__global__ void positives(const float* in, float* out, int* count, int n) {
    int lane = threadIdx.x;
    float value = lane < n ? in[lane] : -1;
    unsigned keep = __ballot_sync(0xffffffff, value >= 0);
    if (value >= 0) out[__popc(keep & ((1u << lane) - 1))] = value;
    if (lane == 0) *count = __popc(keep) + (n == 32 ? 0 : 1);
}
