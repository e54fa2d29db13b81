// sums[x] becomes the sum of column x of the matrix m, which has `height` rows of `width` elements, row after row.
__global__ void column_sums(const float* m, float* sums, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
}
