// REPLY: The mirrored index of
__global__ void reverse_both(int* ints, double* doubles, int n)
{
    extern __shared__ double shared_doubles[];
    int* shared_ints = (int*)&shared_doubles[n];
    int t = threadIdx.x;
    shared_doubles[t] = doubles[t];
    shared_ints[t] = ints[t];
    __syncthreads();
    doubles[t] = shared_doubles[n - t];
    ints[t] = shared_ints[n - t];
}
void launch(int* ints, double* doubles, int n)
{
    reverse_both<<<1, n, n * (sizeof(int) + sizeof(double))>>>(ints, doubles, n);
}
