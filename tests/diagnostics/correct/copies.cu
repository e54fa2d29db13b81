// Copies of parts, and between memories that can be on either side.
#include <stdio.h>
#include <string.h>

#include <vector>

__constant__ float weights[64];
__constant__ char letters[64];

// CASE one_chunk_of_four
void one_chunk_of_four() {
    const int n = 1024, chunk = n / 4 * sizeof(float);
    std::vector<float> h(n);
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    for (int i = 0; i < 4; ++i)
        cudaMemcpy((char*)d + i * chunk, (char*)h.data() + i * chunk, chunk, cudaMemcpyHostToDevice);
    cudaFree(d);
}

// CASE one_element_of_an_array
void one_element_of_an_array() {
    int h[4] = {};
    int* d;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
}

// CASE size_is_named_bytes
void size_is_named_bytes() {
    const size_t n = 256 * sizeof(float);
    std::vector<float> h(256);
    float* d;
    cudaMalloc(&d, n);
    cudaMemcpy(d, h.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(d, 0, n);
    cudaFree(d);
}

// CASE elements_of_one_byte
void elements_of_one_byte() {
    const int n = 64;
    char h[n] = {};
    char* d;
    cudaMalloc(&d, n * sizeof(char));
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(letters, h, n);
    cudaFree(d);
}

// CASE first_weights_only
void first_weights_only() {
    float h[16] = {};
    cudaMemcpyToSymbol(weights, h, sizeof h);
    cudaMemcpyToSymbol(weights, h, 16 * sizeof(float), 16 * sizeof(float));
}

// CASE n_is_another_n
void copy_bytes(void* to, const void* from, size_t n) {
    cudaMemcpy(to, from, n, cudaMemcpyDefault);
}
void n_is_another_n() {
    const int n = 100;
    std::vector<int> h(n);
    int* d;
    cudaMalloc(&d, n * sizeof(int));
    copy_bytes(d, h.data(), n * sizeof(int));
    cudaFree(d);
}

// CASE page_locked_memory_is_on_either_side
void page_locked_memory_is_on_either_side() {
    int *h, *d, *m;
    cudaMallocHost(&h, 400);
    cudaMalloc(&d, 400);
    cudaMallocManaged(&m, 400);
    memset(h, 0, 400);
    memset(m, 0, 400);
    cudaMemcpy(d, h, 400, cudaMemcpyDeviceToDevice);
    cudaMemcpy(d, m, 400, cudaMemcpyHostToDevice);
    cudaMemcpy(m, d, 400, cudaMemcpyDeviceToHost);
    cudaMemcpy(h, m, 400, cudaMemcpyHostToHost);
    cudaMemcpy(d, m, 400, cudaMemcpyDefault);
    cudaFreeHost(h);
    cudaFree(d);
    cudaFree(m);
}

// CASE pitched_memory
void pitched_memory() {
    const int width = 100, height = 8;
    std::vector<float> h(width * height);
    float *a, *b;
    size_t pa, pb;
    cudaMallocPitch(&a, &pa, width * sizeof(float), height);
    cudaMallocPitch(&b, &pb, width * sizeof(float), height);
    cudaMemcpy2D(a, pa, h.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
    // Every second row.
    cudaMemcpy2D(h.data(), width * sizeof(float), a, 2 * pa, width * sizeof(float), height / 2,
                 cudaMemcpyDeviceToHost);
    // One row; all rows with their padding.
    cudaMemcpy(b, h.data(), width * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(b, 0, pb * height);
    cudaMemset2D(a, pa, 0, width * sizeof(float), height);
    cudaMemcpy(b, a, pa * height, cudaMemcpyDeviceToDevice);
    cudaFree(a);
    cudaFree(b);
}

int main() {
    one_chunk_of_four();
    one_element_of_an_array();
    size_is_named_bytes();
    elements_of_one_byte();
    first_weights_only();
    n_is_another_n();
    page_locked_memory_is_on_either_side();
    pitched_memory();
    printf("done\n");
}
