// The second opinion: nvcc's own device compiler, for device code that NVRTC refuses and nvcc takes. It is run as a
// program, takes about a second, and its answers are cached by content as NVRTC's are.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/result.h"

namespace cudash::nvrtc {

/// Compiles `request.source` for the device; its #include lines are looked up on disk. `request.headers` are texts that
/// the result depends on: they are part of what it is cached by, and nothing else. Name expressions are ignored. The
/// error is parsed as NVRTC's; its code is "nvcc-compile", or "nvcc-missing" if the toolkit has no nvcc.
Result<std::shared_ptr<const Artifact>> compile_with_nvcc(const Request& request);

/// True if the artifact has a kernel of this mangled name.
bool has_kernel(const Artifact& artifact, std::string_view mangled);

/// The numbers of lambdas in names. nvcc counts those of a function, as the C++ ABI has it; the host's compiler counts
/// on through a session, so that no two get one name. Both count upwards, so the first of a function's is the first of
/// both.
class LambdaNumbers {
public:
    LambdaNumbers() = default;
    /// Of all kernels, by their mangled names.
    explicit LambdaNumbers(const std::vector<std::string>& mangled);
    /// A readable name with places in place of numbers: `main::{lambda(int)#1}` for the first of the kernels'.
    std::string placed(const std::string& name) const;

private:
    void add(const std::string& name);

    std::map<std::string, std::set<unsigned>> numbers_;  ///< by function and parameters
};

/// The name that nvcc gave to what clang calls `mangled`: internal names differ, the readable ones are the same but for
/// the numbers of lambdas. Empty if the artifact has nothing of that name.
std::string name_by_nvcc(const Artifact& artifact, const std::string& mangled, const LambdaNumbers& numbers);

}  // namespace cudash::nvrtc
