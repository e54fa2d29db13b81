// cudaSetDevice() alone initializes the driver, too, and makes the device's context current.
#include <cuda.h>

#include <cstdio>

int main() {
    CUdevice device = -1;
    const CUresult before = cuCtxGetDevice(&device);
    cudaSetDevice(0);
    const CUresult after = cuCtxGetDevice(&device);
    std::printf("%d, then %d: device %d\n", before, after, device);
}
