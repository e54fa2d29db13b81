// What the session promises the API layer about device code: which kernel a host-side stub stands for, which variable a
// host-side shadow stands for, and the compiled unit that holds them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/result.h"

namespace cudash::api {

/// A __global__ function, or one instantiation of a kernel template.
struct KernelSymbol {
    std::string name;     ///< mangled, as in the compiled unit
    std::string display;  ///< "k<4>"
    /// Why the compiled unit lacks it: NVRTC refused its text.
    std::optional<Diagnostic> failure{};
    /// A module of its own has it, and the unit has not: a header's kernel, which nothing in the session changes.
    bool is_apart = false;
};

struct VariableSymbol {
    enum class Kind : std::uint8_t { device, constant, managed };
    std::string name;  ///< mangled
    std::string display;
    std::size_t size = 0;
    Kind kind = Kind::device;
    /// Managed only: the pointer through which host code reaches the variable; the runtime sets it when it places the
    /// variable. nullptr where host code has none yet.
    void** host_pointer = nullptr;
};

/// What the unit is compiled for.
struct Target {
    unsigned arch = 90;
    bool real = false;  ///< CUBIN for a real GPU, or PTX for the virtual one
};

class DeviceCode {
public:
    virtual ~DeviceCode() = default;
    /// The kernel behind a launch stub's address; nullptr if it is none.
    virtual const KernelSymbol* kernel(const void* stub) const = 0;
    /// The variable behind its host shadow's address; nullptr if it is none.
    virtual const VariableSymbol* variable(const void* shadow) const = 0;
    /// Every variable the session has now.
    virtual std::vector<const VariableSymbol*> variables() const = 0;
    /// The unit of all kernels (but those apart) and variables that the session has now, compiled if it changed since
    /// the last call.
    /// A kernel that does not compile is left out and has its `failure` set.
    /// Artifact::id tells one unit from another. Kernels that were redefined or instantiated since are in it.
    virtual Result<std::shared_ptr<const nvrtc::Artifact>> unit(const Target& target) = 0;
    /// The module of a kernel that is apart, once the unit was asked for.
    virtual Result<std::shared_ptr<const nvrtc::Artifact>> module_of(const KernelSymbol&, const Target& target) {
        return unit(target);
    }
    /// The same unit made for a debugger, with -G: variables are where the source says.
    virtual Result<std::shared_ptr<const nvrtc::Artifact>> debug_unit(const Target&) {
        return error("no-debug-code", "this program's device code can't be compiled for a debugger");
    }
    /// True if nobody was told of this failure before; notes that somebody is now.
    virtual bool tell(const Diagnostic& failure) = 0;
};

}  // namespace cudash::api
