// REPLY: The runtime refuses more than the device allows
#include <algorithm>

size_t reserve(size_t bytes)
{
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes);
    size_t now = 0;
    cudaDeviceGetLimit(&now, cudaLimitPersistingL2CacheSize);
    return now;
}
