// Each block draws a ticket from *next; each of its threads writes the ticket to its element.
__global__ void take_a_ticket(int* out, int* next)
{
    int ticket = blockIdx.x;  // not in the order in which the blocks start
    out[ticket * blockDim.x + threadIdx.x] = ticket;
}
