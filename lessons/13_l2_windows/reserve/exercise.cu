#include <algorithm>

// Sets at least `bytes` of L2 aside, or all that the device allows, and returns how many bytes are set aside then.
size_t reserve(size_t bytes)
{
    return 0;
}
