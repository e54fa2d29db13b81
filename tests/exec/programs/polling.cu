// The host waits for a flag in mapped memory, asleep and awake; a file is read into memory that pending work writes.
#include <chrono>
#include <cstdio>
#include <thread>
__global__ void set(volatile int* flag) {
    *flag = 1;
}
int main() {
    volatile int* flag;
    int* on_device;
    cudaHostAlloc((void**)&flag, sizeof(int), cudaHostAllocMapped);
    cudaHostGetDevicePointer((void**)&on_device, (void*)flag, 0);
    *flag = 0;
    set<<<1, 1>>>(on_device);
    while (*flag == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    printf("seen\n");
    cudaDeviceSynchronize();
    *flag = 0;
    set<<<1, 1>>>(on_device);
    const auto begin = std::chrono::steady_clock::now();
    while (*flag == 0 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(10)) {
    }
    printf("%d\n", *flag);
    char* managed;
    cudaMallocManaged(&managed, 100);
    cudaMemsetAsync(managed, 'x', 100);
    FILE* file = fopen("/proc/self/comm", "r");
    printf("%zu\n", fread(managed, 1, 7, file));
    fclose(file);
    cudaDeviceSynchronize();
    cudaFree(managed);
    cudaFreeHost((void*)flag);
}
