// Document 3: the diagonal transpose that reads rows and writes columns. Added by the reader: a main.
#include <stdio.h>

__global__ void transposeDiagonalRow(float *out, float *in, const int nx, const int ny){
    unsigned int blk_y = blockIdx.x;
    unsigned int blk_x = (blockIdx.x+blockIdx.y) % gridDim.x;

    unsigned int ix = blockDim.x * blk_x + threadIdx.x;
    unsigned int iy = blockDim.y * blk_y + threadIdx.y;

    if(ix < nx && iy < ny){
        out[ix*ny + iy] = in[iy*nx + ix];
    }
}

int main() {
    const int n = 256;
    static float host[n * n];
    for (int i = 0; i < n * n; ++i) host[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    transposeDiagonalRow<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(out, in, n, n);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);

    int wrong = 0;
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) wrong += host[x * n + y] != float(y * n + x);
    printf("row 1 starts with %.0f, wrong %d\n", host[n], wrong);
    return wrong != 0;
}
