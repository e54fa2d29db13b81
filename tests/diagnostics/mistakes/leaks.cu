// Memory that is allocated and never freed.
#include <stdio.h>

struct Image {
    float* pixels;
};

float* scratch(int n) {
    float* p = nullptr;
    cudaMalloc(&p, n * sizeof(float));  // FIND leak
    return p;
}

// CASE early_return
int early_return(bool failed) {
    int* d;
    cudaMalloc(&d, 256);  // FIND leak
    if (failed) return 1;
    cudaFree(d);
    return 0;
}

// CASE pointer_overwritten
void pointer_overwritten() {
    int* d;
    for (int i = 0; i < 4; ++i) cudaMalloc((void**)&d, 64);  // FIND leak
    cudaFree(d);
}

// CASE freed_with_the_wrong_function
void member() {
    Image image;
    cudaMallocManaged(&image.pixels, 64);  // FIND leak
    image.pixels[0] = 1;
}

// CASE page_locked
void page_locked() {
    float* h;
    cudaMallocHost(&h, 1000);  // FIND leak
    h[0] = 1;
}

// CASE rows
void rows() {
    float* d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, 30 * sizeof(float), 4);  // FIND leak
}

int main() {
    float* a = scratch(10);
    float* b = scratch(20);
    cudaFree(a);
    cudaMemset(b, 0, 80);
    if (early_return(true)) printf("left early\n");
    pointer_overwritten();
    member();
    page_locked();
    rows();
}
