// NVRTC, loaded at run time, with results cached by content in memory and on disk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/result.h"

namespace cudash::nvrtc {

struct Request {
    std::string name;  ///< of the source, as #line directives leave it: "session.cu"
    std::string source;
    /// In-memory headers by the name that #include uses; they win over files.
    std::vector<std::pair<std::string, std::string>> headers;
    std::vector<std::string> options;  ///< beyond -arch, which `arch` gives
    std::vector<std::string> name_expressions;
    unsigned arch = 90;
    bool real = false;           ///< true: CUBIN for sm_`arch` (a real GPU); false: PTX for compute_`arch`
    bool keeps_headers = false;  ///< other texts will begin with the same #include lines (kept_headers.h)
};

struct Artifact {
    std::uint64_t id = 0;  ///< hash of the request and NVRTC's version
    std::string code;      ///< PTX text or CUBIN bytes
    bool is_cubin = false;
    bool by_nvcc = false;                              ///< NVRTC refused the text, nvcc took it
    std::map<std::string, std::string> lowered_names;  ///< name expression -> mangled name
    std::string log;                                   ///< warnings
};

/// Finds libnvrtc (CUDA_PATH, /usr/local/cuda, the loader's path). The error names what was tried and the remedy.
Result<std::pair<int, int>> version();

/// Compiles, or returns the cached result. On failure the diagnostic is NVRTC's first error and its notes are the other
/// messages, each with its file, line and column; the code is "nvrtc-compile", "nvrtc-missing", "nvrtc-internal" or
/// "interrupted" (cancel.h).
Result<std::shared_ptr<const Artifact>> compile(const Request& request);

/// The toolkit's include folder, empty if none was found.
std::string toolkit_include();
/// The folders in which NVRTC looks for headers of the toolkit: that one, and CCCL's.
std::vector<std::string> toolkit_folders();

}  // namespace cudash::nvrtc
