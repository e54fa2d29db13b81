// A shared library with device code, and with a CUDA runtime of its own.
__global__ void triple(int* p) {
    *p *= 3;
}
extern "C" int run_triple(int value) {
    int* d;
    cudaMalloc(&d, sizeof *d);
    cudaMemcpy(d, &value, sizeof value, cudaMemcpyHostToDevice);
    triple<<<1, 1>>>(d);
    cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return value;
}
