#include "runtime_wrappers/virtual_gpu/runtime/device_runtime.h"

#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/virtual_gpu/model/occupancy.h"
#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.h"

namespace cudash::virtual_gpu::runtime {

DeviceRuntime::Answer DeviceRuntimeAnswers::device_count() const {
    return {cudaSuccess, static_cast<std::int64_t>(gpu_.devices.size())};
}

DeviceRuntime::Answer DeviceRuntimeAnswers::attribute(int which, int device) const {
    if (device < 0 || static_cast<std::size_t>(device) >= gpu_.devices.size()) return {cudaErrorInvalidDevice, 0};
    const auto found = runtime::attribute(gpu_.profile, device, static_cast<cudaDeviceAttr>(which));
    return found ? Answer{cudaSuccess, *found} : Answer{cudaErrorInvalidValue, 0};
}

DeviceRuntime::Answer DeviceRuntimeAnswers::limit(int which) const {
    const auto& limits = gpu_.devices[static_cast<std::size_t>(device_)].limits;
    if (which < 0 || static_cast<std::size_t>(which) >= limits.size()) return {cudaErrorUnsupportedLimit, 0};
    return {cudaSuccess, static_cast<std::int64_t>(limits[static_cast<std::size_t>(which)])};
}

DeviceRuntime::Answer DeviceRuntimeAnswers::blocks_per_multiprocessor(std::string_view kernel, int threads,
                                                                      std::uint64_t shared) const {
    const KernelInfo* const info = module_.kernel(kernel);
    if (!info) return {cudaErrorInvalidDeviceFunction, 0};
    if (threads <= 0) return {cudaErrorInvalidValue, 0};
    const BlockResources block{
        .threads = static_cast<unsigned>(threads), .static_shared = info->static_shared, .dynamic_shared = shared};
    return {cudaSuccess, static_cast<std::int64_t>(occupancy(gpu_.profile, block).blocks)};
}

std::string_view DeviceRuntimeAnswers::error_name(int error) const {
    return api::error_name(static_cast<cudaError_t>(error));
}

std::string_view DeviceRuntimeAnswers::error_text(int error) const {
    return api::error_string(static_cast<cudaError_t>(error));
}

std::uint64_t DeviceRuntimeAnswers::pending_launches() const {
    return gpu_.devices[static_cast<std::size_t>(device_)].limits[cudaLimitDevRuntimePendingLaunchCount];
}

}  // namespace cudash::virtual_gpu::runtime
