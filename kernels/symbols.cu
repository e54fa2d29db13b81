// Variables on the device. The host's variable of that name is a shadow without the value: copies name the symbol
// itself, without & and without quotes, and count bytes.
//   __constant__  64 KB, written by the host; fast when all lanes of a warp read one address, as here a coefficient
//   __device__    in global memory; lives as long as the program
#include <stdio.h>
#include <stdlib.h>

#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

constexpr int degree = 3, block = 128;

__constant__ float coefficients[degree + 1];
__device__ unsigned negative = 5;  // a first value that the program overwrites below
__device__ float* results;         // a pointer: the memory that it will point to is another allocation

// Stores the polynomial's value for each x, and counts those below 0.
__global__ void evaluate(const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = coefficients[degree];
    for (int k = degree - 1; k >= 0; --k) value = value * x[i] + coefficients[k];
    results[i] = value;
    if (value < 0) atomicAdd(&negative, 1u);
}

int main() {
    const int n = 1000, grid = (n + block - 1) / block;
    std::vector<float> x(n), values(n);
    for (int i = 0; i < n; ++i) x[i] = float(i % 21 - 10);
    float *dx, *dvalues;
    CHECK(cudaMalloc(&dx, n * sizeof(float)));
    CHECK(cudaMalloc(&dvalues, n * sizeof(float)));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    // x^3 - 4 x + 2. The second copy changes one element: the offset counts bytes, like the size.
    const float first[degree + 1] = {2, -4, 7, 1}, zero = 0;
    CHECK(cudaMemcpyToSymbol(coefficients, first, sizeof first));
    CHECK(cudaMemcpyToSymbol(coefficients, &zero, sizeof zero, 2 * sizeof(float)));
    // What is copied into a pointer variable is the pointer, so its address is given.
    CHECK(cudaMemcpyToSymbol(results, &dvalues, sizeof dvalues));
    // For every other function of the runtime there is the symbol's address.
    void* counter;
    size_t counter_bytes;
    CHECK(cudaGetSymbolAddress(&counter, negative));
    CHECK(cudaGetSymbolSize(&counter_bytes, negative));
    CHECK(cudaMemset(counter, 0, counter_bytes));

    evaluate<<<grid, block>>>(dx, n);
    CHECK(cudaGetLastError());
    evaluate<<<grid, block>>>(dx, n);  // the count goes on where the launch before left it
    CHECK(cudaGetLastError());

    unsigned counted;
    CHECK(cudaMemcpyFromSymbol(&counted, negative, sizeof counted));
    CHECK(cudaMemcpy(values.data(), dvalues, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dvalues));
    unsigned wrong = 0, expected = 0;
    for (int i = 0; i < n; ++i) {
        const float value = x[i] * x[i] * x[i] - 4 * x[i] + 2;
        wrong += values[i] != value;
        expected += 2 * (value < 0);
    }
    printf("evaluate: %u wrong, %u values below 0 in two launches, %s\n", wrong, counted,
           counted == expected ? "right" : "wrong");
    return wrong != 0 || counted != expected;
}
