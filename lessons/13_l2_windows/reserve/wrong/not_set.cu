// REPLY: Nothing sets the limit
#include <algorithm>

size_t reserve(size_t bytes)
{
    size_t now = 0;
    cudaDeviceGetLimit(&now, cudaLimitPersistingL2CacheSize);
    return now;
}
