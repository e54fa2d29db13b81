// REPLY: how wide a *window* may be
#include <algorithm>

size_t reserve(size_t bytes)
{
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, std::min(bytes, size_t(prop.accessPolicyMaxWindowSize)));
    size_t now = 0;
    cudaDeviceGetLimit(&now, cudaLimitPersistingL2CacheSize);
    return now;
}
