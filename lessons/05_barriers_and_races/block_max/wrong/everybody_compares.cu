// REPLY: Only the lower half may write
constexpr int least = -2147483647 - 1;  // no int is smaller

__global__ void block_max(const int* in, int* out, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : least;  // a thread without an element takes part with a value that never wins
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        s[t] = max(s[t], s[(t + half) % 256]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
