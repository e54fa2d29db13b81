// REPLY: Which kind of shared memory takes its size from the launch?
__global__ void reverse_both(int* ints, double* doubles, int n)
{
    __shared__ double shared_doubles[64];
    __shared__ int shared_ints[64];
    int t = threadIdx.x;
    shared_doubles[t] = doubles[t];
    shared_ints[t] = ints[t];
    __syncthreads();
    doubles[t] = shared_doubles[n - 1 - t];
    ints[t] = shared_ints[n - 1 - t];
}
void launch(int* ints, double* doubles, int n)
{
    reverse_both<<<1, n>>>(ints, doubles, n);
}
