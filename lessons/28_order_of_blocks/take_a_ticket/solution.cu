__global__ void take_a_ticket(int* out, int* next)
{
    __shared__ int ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(next, 1);
    __syncthreads();
    out[ticket * blockDim.x + threadIdx.x] = ticket;
}
