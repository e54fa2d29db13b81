// POINTS: 8
// FAILS: other lengths are reversed, too
// REPLY: The array in shared memory has room for 64 elements, but n can be up to
// SAYS: elements of data are wrong; the first is data[0]
__global__ void reverse(int* data, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i < 64) s[i] = data[i];
    __syncthreads();
    if (i < 64) data[i] = s[63 - i];
}
