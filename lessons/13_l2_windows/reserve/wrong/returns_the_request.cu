// REPLY: You return what you asked for
#include <algorithm>

size_t reserve(size_t bytes)
{
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, std::min(bytes, size_t(prop.persistingL2CacheMaxSize)));
    return std::min(bytes, size_t(prop.persistingL2CacheMaxSize));
}
