// Access between devices. All virtual devices of a process share one address space; Gpu::reach_of says what of it
// kernels of a device may use.
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"

namespace cudash::virtual_gpu::runtime {
namespace {

cudaError_t no_device(int device) {
    return refuse(cudaErrorInvalidDevice, "there is no device {}", device);
}

}  // namespace

cudaError_t cudaDeviceCanAccessPeer(Gpu& gpu, int* canAccessPeer, int device, int peerDevice) {
    if (!canAccessPeer) return cudaErrorInvalidValue;
    if (!gpu.has_device(device)) return no_device(device);
    if (!gpu.has_device(peerDevice)) return no_device(peerDevice);
    *canAccessPeer = device != peerDevice && gpu.profile.unified_addressing;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(Gpu& gpu, int peerDevice, unsigned flags) {
    if (!gpu.has_device(peerDevice)) return no_device(peerDevice);
    if (flags != 0) return cudaErrorInvalidValue;
    if (peerDevice == gpu.current())
        return refuse(cudaErrorPeerAccessUnsupported,
                      "a device is not a peer of itself: its own memory is always reachable");
    if (!gpu.device().peers.insert(peerDevice).second) return cudaErrorPeerAccessAlreadyEnabled;
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(Gpu& gpu, int peerDevice) {
    if (!gpu.has_device(peerDevice)) return no_device(peerDevice);
    return gpu.device().peers.erase(peerDevice) ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
}

cudaError_t cudaDeviceGetP2PAttribute(Gpu& gpu, int* value, cudaDeviceP2PAttr attr, int srcDevice, int dstDevice) {
    if (!value) return cudaErrorInvalidValue;
    if (!gpu.has_device(srcDevice)) return no_device(srcDevice);
    if (!gpu.has_device(dstDevice)) return no_device(dstDevice);
    if (srcDevice == dstDevice) return refuse(cudaErrorInvalidDevice, "the two devices must differ");
    switch (attr) {
        case cudaDevP2PAttrPerformanceRank:
            *value = 0;
            return cudaSuccess;
        case cudaDevP2PAttrAccessSupported:
        case cudaDevP2PAttrNativeAtomicSupported:
            *value = gpu.profile.unified_addressing;
            return cudaSuccess;
        case cudaDevP2PAttrCudaArrayAccessSupported:
        case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
            *value = 0;
            return cudaSuccess;
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace cudash::virtual_gpu::runtime
