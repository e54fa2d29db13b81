// The second opinion: nvcc's own device compiler, for device code that NVRTC refuses and nvcc takes. It is run as a
// program, takes about a second, and its answers are cached by content as NVRTC's are.
#pragma once

#include <map>
#include <memory>
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

/// Begins that on a thread of its own, unless its answer is known: who asks for the same next waits for what comes of
/// it.
void begin_with_nvcc(const Request& request);

/// True if the artifact has a kernel of this mangled name.
bool has_kernel(const Artifact& artifact, std::string_view mangled);

/// The number that the C++ ABI gives to a lambda among those of its function, which nvcc's names have, by the number in
/// the host compiler's names, which counts on through a session so that no two get one name.
using LambdaNumbers = std::map<unsigned, unsigned>;

/// True if a lambda is part of what has this mangled name.
bool names_lambda(const std::string& mangled);

/// The name that nvcc gave to what clang calls `mangled`: internal names differ, the readable ones are the same but for
/// the numbers of lambdas. Empty if the artifact has nothing of that name.
std::string name_by_nvcc(const Artifact& artifact, const std::string& mangled, const LambdaNumbers& numbers);

}  // namespace cudash::nvrtc
