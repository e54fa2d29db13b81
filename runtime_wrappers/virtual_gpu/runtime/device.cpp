// Devices: choosing one, its flags and cache preferences, waiting for it and resetting it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/channel_format.h"
#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.h"

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr int version = 13000;

cudaError_t no_device(Gpu& gpu, int device) {
    return refuse_with_hint(cudaErrorInvalidDevice,
                            fmt::format("there is no device {}: this process has {}", device, gpu.devices.size()),
                            "devices count from 0; --device virtual:h200x2 gives two");
}

bool valid_flags(unsigned flags) {
    // One scheduling policy at most; recorded on an H200: 3 and 0x200 are refused.
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    return !(flags & ~static_cast<unsigned>(cudaDeviceMask)) && (schedule & (schedule - 1)) == 0;
}

}  // namespace

cudaError_t cudaGetDeviceCount(Gpu& gpu, int* count) {
    if (!count) return cudaErrorInvalidValue;
    *count = static_cast<int>(gpu.devices.size());
    return cudaSuccess;
}

cudaError_t cudaGetDevice(Gpu& gpu, int* device) {
    if (!device) return cudaErrorInvalidValue;
    *device = gpu.current();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(Gpu& gpu, int device) {
    if (!gpu.has_device(device)) return no_device(gpu, device);
    if (gpu.context.dead()) return cudaErrorDevicesUnavailable;
    api::thread_state().device = device;
    gpu.context.begin();
    gpu.device().flags |= cudaDeviceMapHost;  // after a reset the context begins here
    return cudaSuccess;
}

cudaError_t cudaInitDevice(Gpu& gpu, int device, unsigned deviceFlags, unsigned flags) {
    if (!gpu.has_device(device)) return no_device(gpu, device);
    if (gpu.context.dead()) return cudaErrorDevicesUnavailable;
    if (flags & ~static_cast<unsigned>(cudaInitDeviceFlagsAreValid))
        return refuse(cudaErrorInvalidValue, "flags must be 0 or cudaInitDeviceFlagsAreValid");
    if (flags & cudaInitDeviceFlagsAreValid) {
        if (!valid_flags(deviceFlags))
            return refuse(cudaErrorInvalidValue, "{:#x} is not a valid combination of device flags", deviceFlags);
        gpu.devices[static_cast<std::size_t>(device)].flags = deviceFlags | cudaDeviceMapHost;
    }
    return cudaSuccess;
}

cudaError_t cudaSetValidDevices(Gpu& gpu, int* devices, int count) {
    if (count < 0 || (count > 0 && !devices)) return cudaErrorInvalidValue;
    // Before the list is read: a wrong count may lead beyond it.
    if (static_cast<std::size_t>(count) > gpu.devices.size())
        return refuse(cudaErrorInvalidValue, "{} devices are named, and there are {}", count, gpu.devices.size());
    if (std::set<int>(devices, devices + count).size() != static_cast<std::size_t>(count))
        return refuse(cudaErrorInvalidValue, "a device is named twice");
    for (int i = 0; i < count; ++i)
        if (!gpu.has_device(devices[i])) return no_device(gpu, devices[i]);
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(Gpu&, int* device, const cudaDeviceProp* prop) {
    if (!device || !prop) return cudaErrorInvalidValue;
    *device = 0;  // all virtual devices are alike
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(Gpu& gpu, unsigned flags) {
    if (gpu.context.dead()) return cudaErrorDevicesUnavailable;
    if (!valid_flags(flags))
        return refuse(cudaErrorInvalidValue, "{:#x} is not a valid combination of device flags", flags);
    gpu.device().flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(Gpu& gpu, unsigned* flags) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = gpu.device().flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(Gpu& gpu, cudaDeviceProp* prop, int device) {
    if (!prop) return cudaErrorInvalidValue;
    if (!gpu.has_device(device)) return no_device(gpu, device);
    *prop = properties(gpu.profile, device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(Gpu& gpu, int* value, cudaDeviceAttr attr, int device) {
    if (!value) return cudaErrorInvalidValue;
    if (!gpu.has_device(device)) return no_device(gpu, device);
    const auto found = attribute(gpu.profile, device, attr);
    if (!found) return refuse(cudaErrorInvalidValue, "there is no device attribute {}", static_cast<int>(attr));
    *value = *found;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(Gpu& gpu, char* pciBusId, int len, int device) {
    if (!pciBusId || len <= 0) return cudaErrorInvalidValue;
    if (!gpu.has_device(device)) return no_device(gpu, device);
    const std::string text = fmt::format("0000:{:02X}:00.0", first_bus + device);
    if (text.size() + 1 > static_cast<std::size_t>(len)) return cudaErrorInvalidValue;
    std::memcpy(pciBusId, text.c_str(), text.size() + 1);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(Gpu& gpu, int* device, const char* pciBusId) {
    if (!device || !pciBusId) return cudaErrorInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0;
    if (std::sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &slot) != 3 &&
        std::sscanf(pciBusId, "%x:%x", &bus, &slot) != 2)
        return cudaErrorInvalidValue;
    const int index = static_cast<int>(bus) - first_bus;
    if (domain != 0 || slot != 0 || !gpu.has_device(index))
        return refuse(cudaErrorInvalidDevice, "no device has that bus address");
    *device = index;
    return cudaSuccess;
}

// None over PCI Express, as on an H200.
cudaError_t cudaDeviceGetHostAtomicCapabilities(Gpu& gpu, unsigned* capabilities, const cudaAtomicOperation* operations,
                                                unsigned count, int device) {
    if (!capabilities || !operations || count == 0) return cudaErrorInvalidValue;
    if (!gpu.has_device(device)) return no_device(gpu, device);
    std::fill_n(capabilities, count, 0u);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(Gpu& gpu) {
    if (const cudaError_t bad = refuse_captured_device(gpu, gpu.current()); bad != cudaSuccess) return bad;
    return gpu.scheduler.wait_for_device(gpu.current());
}

cudaError_t cudaDeviceReset(Gpu& gpu) {
    gpu.reset();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(Gpu& gpu, cudaFuncCache* config) {
    if (!config) return cudaErrorInvalidValue;
    *config = gpu.device().cache_config;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(Gpu& gpu, cudaFuncCache config) {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
        return refuse(cudaErrorInvalidValue, "there is no cache configuration {}", static_cast<int>(config));
    gpu.device().cache_config = config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(Gpu& gpu, cudaSharedMemConfig* config) {
    if (!config) return cudaErrorInvalidValue;
    *config = gpu.device().bank_size == BankSize::eight_bytes ? cudaSharedMemBankSizeEightByte
                                                              : cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

// "This function will do nothing on devices with fixed shared memory bank size": every profile but 3.x has that, and
// what a 3.x device chose is a matter of counters only.
cudaError_t cudaDeviceSetSharedMemConfig(Gpu& gpu, cudaSharedMemConfig config) {
    if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
        return refuse(cudaErrorInvalidValue, "there is no bank size {}", static_cast<int>(config));
    if (gpu.profile.cc_major == 3)
        gpu.device().bank_size =
            config == cudaSharedMemBankSizeEightByte ? BankSize::eight_bytes : BankSize::four_bytes;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(Gpu&, int* least, int* greatest) {
    if (least) *least = least_stream_priority;
    if (greatest) *greatest = greatest_stream_priority;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(Gpu& gpu, std::size_t* elements, const cudaChannelFormatDesc* format,
                                                 int device) {
    if (!elements || !format) return cudaErrorInvalidValue;
    if (!gpu.has_device(device)) return no_device(gpu, device);
    const auto texel = texel_format(*format);
    if (!texel) return refuse(cudaErrorInvalidChannelDescriptor, "no texture has such elements");
    // More than cudaDevAttrMaxTexture1DLinearWidth says: as many elements as fit 4 GiB, and 2^30 (measured on an H200).
    *elements = std::size_t{1} << 30;
    if (texel->bytes() > 4) *elements = (std::size_t{1} << 32) / texel->bytes();
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(Gpu&, int* driverVersion) {
    if (!driverVersion) return cudaErrorInvalidValue;
    *driverVersion = version;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(Gpu&, int* runtimeVersion) {
    if (!runtimeVersion) return cudaErrorInvalidValue;
    *runtimeVersion = version;
    return cudaSuccess;
}

// Nothing profiles a virtual device from outside.
cudaError_t cudaProfilerStart(Gpu&) {
    return cudaSuccess;
}
cudaError_t cudaProfilerStop(Gpu&) {
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
