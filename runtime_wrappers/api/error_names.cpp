#include "runtime_wrappers/api/error_names.h"

#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime_wrappers/cuda/cudart.h"

namespace cudash::api {
namespace {

constexpr char unknown_error[] = "unrecognized error code";

// Every member of cudaError in driver_types.h.
// clang-format off
#define CUDA_ERRORS \
    CUDA_ERROR(cudaSuccess) CUDA_ERROR(cudaErrorInvalidValue) CUDA_ERROR(cudaErrorMemoryAllocation) \
    CUDA_ERROR(cudaErrorInitializationError) CUDA_ERROR(cudaErrorCudartUnloading) \
    CUDA_ERROR(cudaErrorProfilerDisabled) CUDA_ERROR(cudaErrorProfilerNotInitialized) \
    CUDA_ERROR(cudaErrorProfilerAlreadyStarted) CUDA_ERROR(cudaErrorProfilerAlreadyStopped) \
    CUDA_ERROR(cudaErrorInvalidConfiguration) CUDA_ERROR(cudaErrorInvalidPitchValue) \
    CUDA_ERROR(cudaErrorInvalidSymbol) CUDA_ERROR(cudaErrorInvalidHostPointer) \
    CUDA_ERROR(cudaErrorInvalidDevicePointer) CUDA_ERROR(cudaErrorInvalidTexture) \
    CUDA_ERROR(cudaErrorInvalidTextureBinding) CUDA_ERROR(cudaErrorInvalidChannelDescriptor) \
    CUDA_ERROR(cudaErrorInvalidMemcpyDirection) CUDA_ERROR(cudaErrorAddressOfConstant) \
    CUDA_ERROR(cudaErrorTextureFetchFailed) CUDA_ERROR(cudaErrorTextureNotBound) \
    CUDA_ERROR(cudaErrorSynchronizationError) CUDA_ERROR(cudaErrorInvalidFilterSetting) \
    CUDA_ERROR(cudaErrorInvalidNormSetting) CUDA_ERROR(cudaErrorMixedDeviceExecution) \
    CUDA_ERROR(cudaErrorNotYetImplemented) CUDA_ERROR(cudaErrorMemoryValueTooLarge) \
    CUDA_ERROR(cudaErrorStubLibrary) CUDA_ERROR(cudaErrorInsufficientDriver) \
    CUDA_ERROR(cudaErrorCallRequiresNewerDriver) CUDA_ERROR(cudaErrorInvalidSurface) \
    CUDA_ERROR(cudaErrorDuplicateVariableName) CUDA_ERROR(cudaErrorDuplicateTextureName) \
    CUDA_ERROR(cudaErrorDuplicateSurfaceName) CUDA_ERROR(cudaErrorDevicesUnavailable) \
    CUDA_ERROR(cudaErrorIncompatibleDriverContext) CUDA_ERROR(cudaErrorMissingConfiguration) \
    CUDA_ERROR(cudaErrorPriorLaunchFailure) CUDA_ERROR(cudaErrorLaunchMaxDepthExceeded) \
    CUDA_ERROR(cudaErrorLaunchFileScopedTex) CUDA_ERROR(cudaErrorLaunchFileScopedSurf) \
    CUDA_ERROR(cudaErrorSyncDepthExceeded) CUDA_ERROR(cudaErrorLaunchPendingCountExceeded) \
    CUDA_ERROR(cudaErrorInvalidDeviceFunction) CUDA_ERROR(cudaErrorNoDevice) CUDA_ERROR(cudaErrorInvalidDevice) \
    CUDA_ERROR(cudaErrorDeviceNotLicensed) CUDA_ERROR(cudaErrorSoftwareValidityNotEstablished) \
    CUDA_ERROR(cudaErrorStartupFailure) CUDA_ERROR(cudaErrorInvalidKernelImage) \
    CUDA_ERROR(cudaErrorDeviceUninitialized) CUDA_ERROR(cudaErrorMapBufferObjectFailed) \
    CUDA_ERROR(cudaErrorUnmapBufferObjectFailed) CUDA_ERROR(cudaErrorArrayIsMapped) \
    CUDA_ERROR(cudaErrorAlreadyMapped) CUDA_ERROR(cudaErrorNoKernelImageForDevice) \
    CUDA_ERROR(cudaErrorAlreadyAcquired) CUDA_ERROR(cudaErrorNotMapped) CUDA_ERROR(cudaErrorNotMappedAsArray) \
    CUDA_ERROR(cudaErrorNotMappedAsPointer) CUDA_ERROR(cudaErrorECCUncorrectable) \
    CUDA_ERROR(cudaErrorUnsupportedLimit) CUDA_ERROR(cudaErrorDeviceAlreadyInUse) \
    CUDA_ERROR(cudaErrorPeerAccessUnsupported) CUDA_ERROR(cudaErrorInvalidPtx) \
    CUDA_ERROR(cudaErrorInvalidGraphicsContext) CUDA_ERROR(cudaErrorNvlinkUncorrectable) \
    CUDA_ERROR(cudaErrorJitCompilerNotFound) CUDA_ERROR(cudaErrorUnsupportedPtxVersion) \
    CUDA_ERROR(cudaErrorJitCompilationDisabled) CUDA_ERROR(cudaErrorUnsupportedExecAffinity) \
    CUDA_ERROR(cudaErrorUnsupportedDevSideSync) CUDA_ERROR(cudaErrorContained) \
    CUDA_ERROR(cudaErrorInvalidSource) CUDA_ERROR(cudaErrorFileNotFound) \
    CUDA_ERROR(cudaErrorSharedObjectSymbolNotFound) CUDA_ERROR(cudaErrorSharedObjectInitFailed) \
    CUDA_ERROR(cudaErrorOperatingSystem) CUDA_ERROR(cudaErrorInvalidResourceHandle) \
    CUDA_ERROR(cudaErrorIllegalState) CUDA_ERROR(cudaErrorLossyQuery) CUDA_ERROR(cudaErrorSymbolNotFound) \
    CUDA_ERROR(cudaErrorNotReady) CUDA_ERROR(cudaErrorIllegalAddress) CUDA_ERROR(cudaErrorLaunchOutOfResources) \
    CUDA_ERROR(cudaErrorLaunchTimeout) CUDA_ERROR(cudaErrorLaunchIncompatibleTexturing) \
    CUDA_ERROR(cudaErrorPeerAccessAlreadyEnabled) CUDA_ERROR(cudaErrorPeerAccessNotEnabled) \
    CUDA_ERROR(cudaErrorSetOnActiveProcess) CUDA_ERROR(cudaErrorContextIsDestroyed) CUDA_ERROR(cudaErrorAssert) \
    CUDA_ERROR(cudaErrorTooManyPeers) CUDA_ERROR(cudaErrorHostMemoryAlreadyRegistered) \
    CUDA_ERROR(cudaErrorHostMemoryNotRegistered) CUDA_ERROR(cudaErrorHardwareStackError) \
    CUDA_ERROR(cudaErrorIllegalInstruction) CUDA_ERROR(cudaErrorMisalignedAddress) \
    CUDA_ERROR(cudaErrorInvalidAddressSpace) CUDA_ERROR(cudaErrorInvalidPc) CUDA_ERROR(cudaErrorLaunchFailure) \
    CUDA_ERROR(cudaErrorCooperativeLaunchTooLarge) CUDA_ERROR(cudaErrorTensorMemoryLeak) \
    CUDA_ERROR(cudaErrorNotPermitted) CUDA_ERROR(cudaErrorNotSupported) CUDA_ERROR(cudaErrorSystemNotReady) \
    CUDA_ERROR(cudaErrorSystemDriverMismatch) CUDA_ERROR(cudaErrorCompatNotSupportedOnDevice) \
    CUDA_ERROR(cudaErrorMpsConnectionFailed) CUDA_ERROR(cudaErrorMpsRpcFailure) \
    CUDA_ERROR(cudaErrorMpsServerNotReady) CUDA_ERROR(cudaErrorMpsMaxClientsReached) \
    CUDA_ERROR(cudaErrorMpsMaxConnectionsReached) CUDA_ERROR(cudaErrorMpsClientTerminated) \
    CUDA_ERROR(cudaErrorCdpNotSupported) CUDA_ERROR(cudaErrorCdpVersionMismatch) \
    CUDA_ERROR(cudaErrorStreamCaptureUnsupported) CUDA_ERROR(cudaErrorStreamCaptureInvalidated) \
    CUDA_ERROR(cudaErrorStreamCaptureMerge) CUDA_ERROR(cudaErrorStreamCaptureUnmatched) \
    CUDA_ERROR(cudaErrorStreamCaptureUnjoined) CUDA_ERROR(cudaErrorStreamCaptureIsolation) \
    CUDA_ERROR(cudaErrorStreamCaptureImplicit) CUDA_ERROR(cudaErrorCapturedEvent) \
    CUDA_ERROR(cudaErrorStreamCaptureWrongThread) CUDA_ERROR(cudaErrorTimeout) \
    CUDA_ERROR(cudaErrorGraphExecUpdateFailure) CUDA_ERROR(cudaErrorExternalDevice) \
    CUDA_ERROR(cudaErrorInvalidClusterSize) CUDA_ERROR(cudaErrorFunctionNotLoaded) \
    CUDA_ERROR(cudaErrorInvalidResourceType) CUDA_ERROR(cudaErrorInvalidResourceConfiguration) \
    CUDA_ERROR(cudaErrorUnknown) CUDA_ERROR(cudaErrorApiFailureBase)
// clang-format on

constexpr std::array every_error = {
#define CUDA_ERROR(name) name,
    CUDA_ERRORS
#undef CUDA_ERROR
};

const char* name_in_header(cudaError_t error) {
    switch (static_cast<int>(error)) {
#define CUDA_ERROR(name) \
    case name:           \
        return #name;
        CUDA_ERRORS
#undef CUDA_ERROR
        default:
            return nullptr;
    }
}

/// "cudaErrorInvalidValue" to "invalid<separator>value".
std::string words_of(std::string_view name, char separator) {
    for (std::string_view prefix : {"cudaError", "cuda"})
        if (name.starts_with(prefix)) {
            name.remove_prefix(prefix.size());
            break;
        }
    std::string words;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool upper = std::isupper(static_cast<unsigned char>(name[i]));
        const bool starts_word = upper && i > 0 &&
                                 (!std::isupper(static_cast<unsigned char>(name[i - 1])) ||
                                  (i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1]))));
        if (starts_word) words += separator;
        words += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
    return words;
}

}  // namespace

const char* error_name(cudaError_t error) {
    const char* name = name_in_header(error);
    return name ? name : unknown_error;
}

// libcudart describes its own codes, and needs no driver for that. Without a toolkit the words of the name have to do.
const char* error_string(cudaError_t error) {
    const char* name = name_in_header(error);
    if (!name) return unknown_error;
    if (auto describe = cuda::cudart_function<decltype(&::cudaGetErrorString)>("cudaGetErrorString"))
        return describe(error);
    static std::mutex mutex;
    static std::map<int, std::string> made;
    std::lock_guard lock(mutex);
    auto [entry, fresh] = made.try_emplace(error);
    if (fresh) entry->second = words_of(name, ' ');
    return entry->second.c_str();
}

std::string diagnostic_code(cudaError_t error) {
    return "cuda-" + words_of(error_name(error), '-');
}

std::span<const cudaError_t> errors() {
    return every_error;
}

std::optional<cudaError_t> error_named(std::string_view text) {
    for (const cudaError_t error : every_error)
        if (text == error_name(error) || text == diagnostic_code(error) || text == std::to_string(error)) return error;
    return std::nullopt;
}

}  // namespace cudash::api
