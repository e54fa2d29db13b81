#include "runtime_wrappers/virtual_gpu/memory/host_memory.h"

#include <fstream>
#include <limits>
#include <string>

namespace cudash::virtual_gpu {

std::uint64_t available_host_memory() {
    std::ifstream info("/proc/meminfo");
    std::string key, unit;
    std::uint64_t kilobytes = 0;
    while (info >> key >> kilobytes) {
        if (key == "MemAvailable:") return kilobytes * 1024;
        std::getline(info, unit);
    }
    return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace cudash::virtual_gpu
