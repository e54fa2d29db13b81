// Memory goes back to another than gave it.
#include <stdio.h>
#include <stdlib.h>

// CASE page_locked_memory_to_free
void page_locked_memory_to_free() {
    float* h;
    cudaMallocHost(&h, 400);
    free(h);  // FIND wrong-free
    cudaFreeHost(h);
}

// CASE device_memory_to_free
void device_memory_to_free() {
    float* d;
    cudaMalloc(&d, 400);
    free(d);  // FIND wrong-free
    cudaFree(d);
}

// CASE managed_memory_to_delete
void managed_memory_to_delete() {
    int* m;
    cudaMallocManaged(&m, 400);
    delete[] m;  // FIND wrong-free
    cudaFree(m);
}

int main() {
    page_locked_memory_to_free();
    device_memory_to_free();
    managed_memory_to_delete();
}
