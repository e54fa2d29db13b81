// Failed calls of the CUDA runtime, at whose result nothing looks.
#include <stdio.h>

#include <vector>

__global__ void fill(int* p, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i;
}

// CASE more_threads_than_a_block_has
void more_threads_than_a_block_has() {
    int* d = nullptr;
    cudaMalloc(&d, 4096 * sizeof(int));
    fill<<<1, 4096>>>(d, 4096);  // FIND unchecked-error
    cudaFree(d);
}

// CASE no_blocks
void no_blocks() {
    int* d = nullptr;
    const int n = 100;
    cudaMalloc(&d, n * sizeof(int));
    fill<<<n / 256, 256>>>(d, n);  // FIND unchecked-error
    cudaFree(d);
}

// CASE more_shared_memory_than_there_is
void more_shared_memory_than_there_is() {
    int* d = nullptr;
    cudaMalloc(&d, 32 * sizeof(int));
    fill<<<1, 32, 1 << 20>>>(d, 32);  // FIND unchecked-error
    cudaFree(d);
}

// CASE the_other_direction
void the_other_direction() {
    int* d = nullptr;
    std::vector<int> h(64, 1);
    cudaMalloc(&d, 64 * sizeof(int));
    cudaMemset(d, 0, 64 * sizeof(int));
    cudaMemcpy(h.data(), d, 64 * sizeof(int),  // FIND unchecked-error
               cudaMemcpyHostToDevice);
    cudaFree(d);
}

// CASE destination_and_source_swapped
void destination_and_source_swapped() {
    int* d = nullptr;
    int h[16] = {};
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyHostToDevice);  // FIND unchecked-error
    cudaFree(d);
}

// CASE more_than_the_memory_holds
void more_than_the_memory_holds() {
    int* d = nullptr;
    std::vector<int> h(200);
    cudaMalloc(&d, 100 * sizeof(int));
    cudaMemcpy(d, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice);  // FIND unchecked-error
    cudaFree(d);
}

// CASE freed_twice
void freed_twice() {
    int* d = nullptr;
    cudaMalloc(&d, 400);
    cudaFree(d);
    cudaFree(d);  // FIND unchecked-error
}

// CASE stream_that_was_destroyed
void stream_that_was_destroyed() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    for (int i = 0; i < 3; ++i) cudaStreamSynchronize(stream);  // FIND unchecked-error
}

// CASE host_memory_freed_as_if_it_were_the_device_s
void host_memory_freed_as_if_it_were_the_device_s() {
    std::vector<int> h(16);
    cudaFree(h.data());  // FIND unchecked-error
}

int main() {
    more_threads_than_a_block_has();
    no_blocks();
    more_shared_memory_than_there_is();
    the_other_direction();
    destination_and_source_swapped();
    more_than_the_memory_holds();
    freed_twice();
    stream_that_was_destroyed();
    host_memory_freed_as_if_it_were_the_device_s();
    printf("done\n");
}
