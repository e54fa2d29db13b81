// REPLY: is not a ticket
__global__ void take_a_ticket(int* out, int* next)
{
    int ticket = blockIdx.x;
    out[ticket * blockDim.x + threadIdx.x] = ticket;
}
