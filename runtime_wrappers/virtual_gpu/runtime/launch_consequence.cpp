#include "runtime_wrappers/virtual_gpu/runtime/launch_consequence.h"

#include <array>

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr std::array<Consequence, 12> consequences = {
    Consequence{cudaSuccess, false},                  // ok
    Consequence{cudaErrorIllegalAddress, true},       // illegal_address
    Consequence{cudaErrorMisalignedAddress, true},    // misaligned_address
    Consequence{cudaErrorInvalidAddressSpace, true},  // invalid_address_space
    Consequence{cudaErrorInvalidPc, true},            // invalid_pc
    Consequence{cudaErrorIllegalInstruction, true},   // illegal_instruction
    Consequence{cudaErrorHardwareStackError, true},   // hardware_stack_error
    Consequence{cudaErrorLaunchFailure, true},        // launch_failure
    Consequence{cudaErrorAssert, true},               // assert_failed
    Consequence{cudaErrorLaunchTimeout, true},        // timeout
    Consequence{cudaErrorLaunchTimeout, true},        // deadlock
    Consequence{cudaErrorUnknown, false},             // cancelled
};
constexpr Consequence unsupported{cudaErrorNotSupported, false};

}  // namespace

Consequence consequence_of(LaunchStatus status) {
    const auto index = static_cast<std::size_t>(status);
    return index < consequences.size() ? consequences[index] : unsupported;
}

}  // namespace cudash::virtual_gpu::runtime
