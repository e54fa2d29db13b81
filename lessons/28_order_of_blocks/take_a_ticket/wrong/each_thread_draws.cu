// REPLY: Every thread draws a ticket
__global__ void take_a_ticket(int* out, int* next)
{
    int ticket = atomicAdd(next, 1);
    out[ticket * blockDim.x + threadIdx.x] = ticket;
}
