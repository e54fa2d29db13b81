#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.h"

#include <algorithm>
#include <cstring>

namespace cudash::virtual_gpu::runtime {
namespace {

/// Single to double precision throughput (Programming Guide, "Arithmetic Instructions").
int double_ratio(const Profile& p) {
    if (p.cc_major == 1) return 8;
    if (p.cc_major == 2) return 2;
    if (p.cc_major == 3) return 3;
    if (p.cc_major == 5 || (p.cc_major >= 8 && p.cc_minor >= 6)) return p.cc_major == 5 ? 32 : 64;
    return 2;
}

/// One identifier a profile and device, the same in every run.
cudaUUID_t identifier(const Profile& p, int device) {
    cudaUUID_t uuid{};
    std::memcpy(uuid.bytes, "cudash", 6);
    std::memcpy(uuid.bytes + 6, p.name.data(), std::min<std::size_t>(p.name.size(), 9));
    uuid.bytes[15] = static_cast<char>(device);
    return uuid;
}

}  // namespace

std::optional<int> attribute(const Profile& p, int device, cudaDeviceAttr attribute) {
    switch (static_cast<int>(attribute)) {  // the driver knows some that the header does not name
#define DEVICE_ATTRIBUTE(name, value) \
    case name:                        \
        return static_cast<int>(value);
#define DEVICE_PROPERTY(name, field, value) DEVICE_ATTRIBUTE(name, value)
#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.def"
#undef DEVICE_PROPERTY
#undef DEVICE_ATTRIBUTE
        default:
            return std::nullopt;
    }
}

cudaDeviceProp properties(const Profile& p, int device) {
    cudaDeviceProp prop{};
    p.full_name.copy(prop.name, sizeof prop.name - 1);
    prop.uuid = identifier(p, device);
    prop.totalGlobalMem = p.global_memory;
#define DEVICE_ATTRIBUTE(name, value)
#define DEVICE_PROPERTY(name, field, value) prop.field = static_cast<decltype(prop.field + 0)>(value);
#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.def"
#undef DEVICE_PROPERTY
#undef DEVICE_ATTRIBUTE
    return prop;
}

}  // namespace cudash::virtual_gpu::runtime
