// Document 5: three quarters of the L2 cache, or the most allowed, are set aside for persisting accesses. Added by the
// reader: a main that compares the limit with what was asked for.
#include <stdio.h>

int main() {
    int device_id = 0;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, device_id);
    size_t size = min(int(prop.l2CacheSize * 0.75), prop.persistingL2CacheMaxSize);
    cudaError_t error = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, size);
    if (prop.persistingL2CacheMaxSize == 0) {
        printf("no set-aside on this device\n");
        return 0;
    }
    size_t now = 0;
    cudaDeviceGetLimit(&now, cudaLimitPersistingL2CacheSize);
    printf("%s, the limit is what was asked for: %s\n", cudaGetErrorName(error), now == size ? "yes" : "no");
    return !(error == cudaSuccess && now == size);
}
