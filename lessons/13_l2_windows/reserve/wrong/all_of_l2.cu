// REPLY: Not all of L2 can be set aside
#include <algorithm>

size_t reserve(size_t bytes)
{
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, std::min(bytes, size_t(prop.l2CacheSize)));
    size_t now = 0;
    cudaDeviceGetLimit(&now, cudaLimitPersistingL2CacheSize);
    return now;
}
