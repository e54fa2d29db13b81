// REPLY: with gaps
__global__ void positives(const float* in, float* out, int* count, int n) {
    int lane = threadIdx.x;
    float value = lane < n ? in[lane] : 0;
    unsigned keep = __ballot_sync(0xffffffff, value > 0);
    if (value > 0) out[lane] = value;
    if (lane == 0) *count = __popc(keep);
}
