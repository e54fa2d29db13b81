// What runs the submission's kernels. The grader puts data into these arrays, and reads them.
#include <cuda_runtime.h>

unsigned char rgb[3 * 6144], gray_picture[6144], edges[6144], marked[6144];
unsigned bins[256];
int level_found[3], first_level, second_level;

template <class T>
T* on_device(const T* data, int count) {
    T* d = nullptr;
    cudaMalloc(&d, count * sizeof(T));
    if (data) cudaMemcpy(d, data, count * sizeof(T), cudaMemcpyHostToDevice);
    else cudaMemset(d, 0, count * sizeof(T));
    return d;
}
template <class T>
void take(T* to, T* d, int count) {
    cudaMemcpy(to, d, count * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d);
}

void run_gray(int n) {
    unsigned char *in = on_device(rgb, 3 * n), *out = on_device<unsigned char>(nullptr, n);
    gray<<<(n + 255) / 256, 256>>>(out, in, n);
    take(gray_picture, out, n);
    cudaFree(in);
}
void run_sobel(int width, int height) {
    int n = width * height;
    unsigned char *in = on_device(gray_picture, n), *out = on_device<unsigned char>(nullptr, n);
    sobel<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(out, in, width, height);
    take(edges, out, n);
    cudaFree(in);
}
void run_histogram(int n, int blocks) {
    unsigned char* in = on_device(edges, n);
    unsigned* counts = on_device<unsigned>(nullptr, 256);
    histogram<<<blocks, 256>>>(in, n, counts);
    take(bins, counts, 256);
    cudaFree(in);
}
void run_level(unsigned keep) {
    unsigned* counts = on_device(bins, 256);
    int* found = on_device<int>(nullptr, 1);
    level<<<1, 256>>>(counts, keep, found);
    take(level_found, found, 1);
    cudaFree(counts);
}
void run_mark(int n, int at) {
    unsigned char *in = on_device(edges, n), *out = on_device<unsigned char>(nullptr, n);
    int* from = on_device(&at, 1);
    mark<<<(n + 255) / 256, 256>>>(out, in, n, from);
    take(marked, out, n);
    cudaFree(in);
    cudaFree(from);
}
