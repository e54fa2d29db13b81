#include "runtime_wrappers/cuda/device_linker.h"

#include <cuda.h>
#include <elf.h>

#include <array>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "runtime_wrappers/cuda/cudart.h"
#include "runtime_wrappers/nvrtc/toolkit.h"

namespace cudash::cuda {
namespace {

/// Empty: there is none, and `tried` lists where it was looked for.
std::string device_runtime_library(std::string& tried) {
    for (const auto& path : nvrtc::toolkit_library_paths("libcudadevrt.a")) {
        std::error_code failed;
        if (std::filesystem::exists(path, failed)) return path.string();
        tried += (tried.empty() ? "" : ", ") + path.string();
    }
    return {};
}

Diagnostic not_linked(const std::string& why) {
    return error("device-link", "kernels that launch kernels could not be linked with libcudadevrt: " + why,
                 "install the whole CUDA Toolkit, or use --device virtual");
}

}  // namespace

bool is_to_be_linked(const nvrtc::Artifact& code) {
    if (!code.is_cubin) return code.code.find("__cudaCDP2") != std::string::npos;
    Elf64_Ehdr header;
    if (code.code.size() < sizeof header) return false;
    std::memcpy(&header, code.code.data(), sizeof header);
    return header.e_type == ET_REL;
}

Result<std::string> linked_with_device_runtime(const nvrtc::Artifact& code) {
    std::string tried;
    const std::string runtime = device_runtime_library(tried);
    if (runtime.empty()) return not_linked("libcudadevrt.a was not found (tried " + tried + ")");
    const auto create = driver_function<decltype(&::cuLinkCreate)>("cuLinkCreate_v2");
    const auto add_data = driver_function<decltype(&::cuLinkAddData)>("cuLinkAddData_v2");
    const auto add_file = driver_function<decltype(&::cuLinkAddFile)>("cuLinkAddFile_v2");
    const auto complete = driver_function<decltype(&::cuLinkComplete)>("cuLinkComplete");
    const auto destroy = driver_function<decltype(&::cuLinkDestroy)>("cuLinkDestroy");
    if (!create || !add_data || !add_file || !complete || !destroy) return not_linked("the driver can't link");

    std::array<char, 4096> log{};
    std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
    CUlinkState link = nullptr;
    CUresult status = create(options.size(), options.data(), values.data(), &link);
    if (status != CUDA_SUCCESS) return not_linked(fmt::format("error {} of the driver", static_cast<int>(status)));
    // The text's final zero is part of it, for PTX.
    const auto kind = code.is_cubin ? CU_JIT_INPUT_CUBIN : CU_JIT_INPUT_PTX;
    status = add_data(link, kind, const_cast<char*>(code.code.c_str()), code.code.size() + (code.is_cubin ? 0 : 1),
                      "session.cu", 0, nullptr, nullptr);
    if (status == CUDA_SUCCESS) status = add_file(link, CU_JIT_INPUT_LIBRARY, runtime.c_str(), 0, nullptr, nullptr);
    void* cubin = nullptr;
    std::size_t size = 0;
    if (status == CUDA_SUCCESS) status = complete(link, &cubin, &size);
    std::string linked;
    if (status == CUDA_SUCCESS) linked.assign(static_cast<const char*>(cubin), size);
    destroy(link);
    if (status == CUDA_SUCCESS) return linked;
    return not_linked(log[0] ? std::string(log.data())
                             : fmt::format("error {} of the driver", static_cast<int>(status)));
}

}  // namespace cudash::cuda
