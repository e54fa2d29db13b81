// Document 5, "Shared memory": the matrix product that reads everything from global memory. Added by the reader: a main
// with a check against the host. 64 x 48 times 48 x 80, all multiples of BLOCK_SIZE.
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int width;
    int height;
    float* elements;
} Matrix;

#define BLOCK_SIZE 16

__global__ void MatMulKernel(const Matrix, const Matrix, Matrix);

void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    Matrix d_A;
    d_A.width = A.width; d_A.height = A.height;
    size_t size = A.width * A.height * sizeof(float);
    cudaMalloc(&d_A.elements, size);
    cudaMemcpy(d_A.elements, A.elements, size,
               cudaMemcpyHostToDevice);
    Matrix d_B;
    d_B.width = B.width; d_B.height = B.height;
    size = B.width * B.height * sizeof(float);
    cudaMalloc(&d_B.elements, size);
    cudaMemcpy(d_B.elements, B.elements, size,
               cudaMemcpyHostToDevice);

    Matrix d_C;
    d_C.width = C.width; d_C.height = C.height;
    size = C.width * C.height * sizeof(float);
    cudaMalloc(&d_C.elements, size);

    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid(B.width / dimBlock.x, A.height / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C);

    cudaMemcpy(C.elements, d_C.elements, size,
               cudaMemcpyDeviceToHost);

    cudaFree(d_A.elements);
    cudaFree(d_B.elements);
    cudaFree(d_C.elements);
}

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C)
{
    float Cvalue = 0;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = 0; e < A.width; ++e)
        Cvalue += A.elements[row * A.width + e]
                * B.elements[e * B.width + col];
    C.elements[row * C.width + col] = Cvalue;
}

Matrix make(int width, int height, int modulus) {
    Matrix m;
    m.width = width;
    m.height = height;
    m.elements = (float *)malloc(width * height * sizeof(float));
    for (int i = 0; i < width * height; ++i) m.elements[i] = float(i % modulus);
    return m;
}

int main() {
    Matrix A = make(48, 64, 5), B = make(80, 48, 7), C = make(80, 64, 1);
    MatMul(A, B, C);
    int wrong = 0;
    for (int row = 0; row < C.height; ++row)
        for (int col = 0; col < C.width; ++col) {
            float sum = 0;
            for (int e = 0; e < A.width; ++e) sum += A.elements[row * A.width + e] * B.elements[e * B.width + col];
            wrong += C.elements[row * C.width + col] != sum;
        }
    printf("C[0] %.0f, C[last] %.0f, wrong %d\n", C.elements[0], C.elements[C.width * C.height - 1], wrong);
    free(A.elements);
    free(B.elements);
    free(C.elements);
    return wrong != 0;
}
