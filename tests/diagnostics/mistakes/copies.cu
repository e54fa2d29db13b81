// Copies and fills that CUDA makes although they cannot be meant.
#include <stdio.h>

#include <vector>

__constant__ float weights[64];

// CASE elements_for_bytes_in_a_copy
void elements_for_bytes_in_a_copy() {
    const int n = 256;
    std::vector<float> h(n);
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n, cudaMemcpyHostToDevice);  // FIND bytes-not-elements
    cudaFree(d);
}

// CASE elements_for_bytes_on_the_way_back
void elements_for_bytes_on_the_way_back(int n) {
    std::vector<double> h(n);
    double* d;
    const size_t bytes = n * sizeof(double);
    cudaMalloc(&d, bytes);
    cudaMemset(d, 0, bytes);
    cudaMemcpy(h.data(), d, n, cudaMemcpyDeviceToHost);  // FIND bytes-not-elements
    cudaFree(d);
}

// CASE elements_for_bytes_in_a_fill
void elements_for_bytes_in_a_fill(int width, int height) {
    int* d;
    cudaMalloc(&d, sizeof(int) * width * height);
    cudaMemset(d, 0, width * height);  // FIND bytes-not-elements
    cudaFree(d);
}

// CASE elements_for_bytes_of_an_array
void elements_for_bytes_of_an_array() {
    float h[64] = {};
    float* d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice);  // FIND bytes-not-elements
    cudaFree(d);
}

// CASE elements_for_bytes_of_a_constant
void elements_for_bytes_of_a_constant(const float* h) {
    cudaMemcpyToSymbol(weights, h, 64);  // FIND bytes-not-elements
}

// CASE kind_of_a_copy_on_the_device
void kind_of_a_copy_on_the_device() {
    int *a, *b;
    cudaMalloc(&a, 400);
    cudaMalloc(&b, 400);
    cudaMemset(a, 0, 400);
    cudaMemcpy(b, a, 400, cudaMemcpyHostToDevice);  // FIND wrong-direction
    cudaMemcpy(b, a, 400, cudaMemcpyDeviceToHost);  // FIND wrong-direction
    cudaFree(a);
    cudaFree(b);
}

// CASE kind_names_the_host_twice
void kind_names_the_host_twice() {
    std::vector<int> h(100);
    int* d;
    cudaMalloc(&d, 400);
    cudaMemcpy(d, h.data(), 400, cudaMemcpyHostToHost);  // FIND wrong-direction
    cudaFree(d);
}

// CASE width_for_the_pitch
void width_for_the_pitch() {
    const int width = 100, height = 8;
    std::vector<float> h(width * height);
    float* d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, width * sizeof(float), height);
    cudaMemcpy2D(d, width * sizeof(float), h.data(), width * sizeof(float),  // FIND wrong-pitch
                 width * sizeof(float), height, cudaMemcpyHostToDevice);
    cudaFree(d);
}

// CASE copy_in_one_piece_to_rows
void copy_in_one_piece_to_rows() {
    const int width = 100, height = 8;
    std::vector<float> h(width * height);
    float* d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, width * sizeof(float), height);
    cudaMemcpy(d, h.data(), width * height * sizeof(float), cudaMemcpyHostToDevice);  // FIND wrong-pitch
    cudaFree(d);
}

// CASE fill_in_one_piece
void fill_in_one_piece() {
    const int width = 100, height = 8;
    float* d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, width * sizeof(float), height);
    cudaMemset(d, 0, width * height * sizeof(float));  // FIND wrong-pitch
    cudaFree(d);
}

// CASE width_of_a_copy_in_elements
void width_of_a_copy_in_elements() {
    const int width = 100, height = 8;
    std::vector<float> h(width * height);
    float* d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, width * sizeof(float), height);
    cudaMemcpy2D(d, pitch, h.data(), width * sizeof(float), width, height,  // FIND bytes-not-elements
                 cudaMemcpyHostToDevice);
    cudaFree(d);
}

// CASE width_of_a_fill_in_elements
void width_of_a_fill_in_elements() {
    const int width = 100, height = 8;
    int* d;
    cudaMalloc(&d, width * height * sizeof(int));
    cudaMemset2D(d, width * sizeof(int), 0, width, height);  // FIND bytes-not-elements
    cudaFree(d);
}

int main() {
    width_of_a_copy_in_elements();
    width_of_a_fill_in_elements();
    elements_for_bytes_in_a_copy();
    elements_for_bytes_on_the_way_back(128);
    elements_for_bytes_in_a_fill(32, 8);
    elements_for_bytes_of_an_array();
    float h[64] = {};
    elements_for_bytes_of_a_constant(h);
    kind_of_a_copy_on_the_device();
    kind_names_the_host_twice();
    width_for_the_pitch();
    copy_in_one_piece_to_rows();
    fill_in_one_piece();
    printf("done\n");
}
