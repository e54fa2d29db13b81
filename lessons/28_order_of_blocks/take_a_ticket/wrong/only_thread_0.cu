// REPLY: The other threads don't know the ticket
__global__ void take_a_ticket(int* out, int* next)
{
    int ticket = 0;
    if (threadIdx.x == 0) ticket = atomicAdd(next, 1);
    out[ticket * blockDim.x + threadIdx.x] = ticket;
}
