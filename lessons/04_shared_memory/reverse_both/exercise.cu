// Turns round both arrays, of n elements each. One block of n threads, one dynamic array for both.
__global__ void reverse_both(int* ints, double* doubles, int n)
{
    int t = threadIdx.x;
    // Copy both elements of this thread into shared memory, wait, and take the mirrored ones.
}

void launch(int* ints, double* doubles, int n)
{
    reverse_both<<<1, n>>>(ints, doubles, n);
}
