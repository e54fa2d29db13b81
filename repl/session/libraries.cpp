#include "repl/session/libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"

namespace cudash::session {
namespace {

constexpr std::string_view write_kernel = "run it on a real GPU (`--device gpu`), or write this step as a kernel";
constexpr std::string_view run_on_gpu = "run it on a real GPU (`--device gpu`)";
constexpr std::string_view no_windows =
    "programs with a window can't run here: call the kernels from a main without it";

// Of two prefixes that fit, the first counts.
constexpr std::array rows = {
    LibraryRow{"cuBLASLt", "cublasLt", " cublasLt.h ", "libcublasLt.so.13", run_on_gpu, true, true},
    LibraryRow{"cuBLAS", "cublas", " cublas_v2.h cublas.h cublasXt.h ", "libcublas.so.13", run_on_gpu, true, true},
    LibraryRow{"cuRAND", "curand", " curand.h ", "libcurand.so.10",
               "use the device functions of <curand_kernel.h>, or run it on a real GPU (`--device gpu`)", true, true},
    LibraryRow{"cuFFT", "cufft", " cufft.h cufftXt.h ", "libcufft.so.12", run_on_gpu, true, true},
    LibraryRow{"cuSPARSE", "cusparse", " cusparse.h cusparse_v2.h ", "libcusparse.so.12", run_on_gpu, true, true},
    LibraryRow{"cuSOLVERMg", "cusolverMg", " cusolverMg.h ", "libcusolverMg.so.12", write_kernel},
    LibraryRow{"cuSOLVER", "cusolver", " cusolverDn.h cusolverSp.h ", "libcusolver.so.12", run_on_gpu, true, true},
    LibraryRow{"cuDNN", "cudnn", " cudnn.h ", "libcudnn.so.9", write_kernel},
    LibraryRow{"NCCL", "nccl", " nccl.h ", "libnccl.so.2", run_on_gpu},
    LibraryRow{"NPP", "npp", " npp.h nppi.h ", "", write_kernel},
    LibraryRow{"nvJPEG", "nvjpeg", " nvjpeg.h ", "", write_kernel},
    LibraryRow{"NVRTC", "nvrtc", " nvrtc.h ", "libnvrtc.so.13",
               "write the kernel as code: it is compiled at its launch", false},
    LibraryRow{"MPI", "MPI_", " mpi.h ", "", "run one process: leave out the calls of MPI"},
    LibraryRow{"NVTX", "nvtx", " nvToolsExt.h ", "", "CUDA 13 has NVTX 3 alone: #include <nvtx3/nvToolsExt.h>"},
    LibraryRow{"GLUT", "glut", " GL/freeglut.h GL/glut.h GLUT/glut.h ", "", no_windows},
    LibraryRow{"GLEW", "glew", " GL/glew.h ", "", no_windows},
    LibraryRow{"OpenGL", "gl", " GL/gl.h ", "", no_windows},
    LibraryRow{"EGL", "egl", " EGL/egl.h EGL/eglext.h ", "", no_windows},
    LibraryRow{"GLFW", "glfw", " GLFW/glfw3.h ", "", no_windows},
    LibraryRow{"Vulkan", "vk", " vulkan/vulkan.h vulkan/vulkan.hpp ", "", no_windows},
    LibraryRow{"Windows", "", " windows.h Windows.h d3d11.h d3d12.h ", "",
               "leave out what is for Windows alone: `#ifdef _WIN32` ... `#endif`"},
    LibraryRow{"OpenCV", "", " opencv2/opencv.hpp opencv2/core.hpp opencv2/highgui.hpp ", "",
               "read and write images as plain files (PGM, PPM)"},
    LibraryRow{"OpenMP", "__kmpc_", " omp.h ", "", "install the package libomp5-19"},
};

/// "cublasCreate_v2" of "cublasCreate_v2", "cuda" of "_Z4cudav".
std::string_view plain_name(std::string_view symbol) {
    if (!symbol.starts_with("_Z")) return symbol;
    std::size_t at = 2, length = 0;
    while (at < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[at])))
        length = length * 10 + static_cast<std::size_t>(symbol[at++] - '0');
    return symbol.substr(std::min(at, symbol.size()), length);
}

bool is_driver_function(std::string_view name) {
    return name.size() > 2 && name.starts_with("cu") && std::isupper(static_cast<unsigned char>(name[2]));
}

constexpr LibraryRow driver = {
    "the CUDA driver API", "cu", " cuda.h ", "libcuda.so.1",
    "use the runtime API (cudaMalloc, k<<<...>>>), or run it on a real GPU (`--device gpu`)"};

}  // namespace

const LibraryRow* library_of_function(std::string_view symbol) {
    const std::string_view name = plain_name(symbol);
    for (const LibraryRow& row : rows) {
        if (row.prefix.empty() || !name.starts_with(row.prefix) || name.size() == row.prefix.size()) continue;
        const char next = name[row.prefix.size()];
        if (row.prefix.ends_with('_') || std::isupper(static_cast<unsigned char>(next))) return &row;
    }
    return is_driver_function(name) ? &driver : nullptr;
}

std::string help_with_header(const Diagnostic& diagnostic) {
    constexpr std::string_view end = "' file not found";
    const std::string_view message = diagnostic.message;
    if (!message.starts_with('\'') || !message.ends_with(end)) return {};
    const std::string name = fmt::format(" {} ", message.substr(1, message.size() - 1 - end.size()));
    for (const LibraryRow& row : rows)
        if (row.headers.find(name) != std::string_view::npos)
            return fmt::format("the header is part of {}; {}", row.name, row.without);
    return {};
}

std::vector<Diagnostic> libraries_without_gpu(std::string_view program, const std::vector<std::string>& imported,
                                              bool (*is_there)(std::string_view function)) {
    std::vector<Diagnostic> found;
    std::vector<const LibraryRow*> told;
    for (const std::string& function : imported) {
        const LibraryRow* row = library_of_function(function);
        if (!row || row == &driver || row->shared.empty() || !row->needs_gpu) continue;
        if (row->has_own && is_there(function)) continue;
        if (std::ranges::find(told, row) != told.end()) continue;
        told.push_back(row);
        constexpr std::string_view of_others =
            "which works on a real GPU alone: here it returns an error, or computes nothing";
        constexpr std::string_view of_ours = "which the virtual GPU's does not have: calling it ends the program";
        Diagnostic missing = error(
            "missing-library",
            fmt::format("{} calls {} of {}, {}", program, function, row->name, row->has_own ? of_ours : of_others),
            fmt::format("start {} itself on a real GPU, or write this step as a kernel", program));
        missing.severity = Diagnostic::Severity::warning;
        found.push_back(std::move(missing));
    }
    return found;
}

Diagnostic undefined_function(const std::string& symbol, const std::string& readable, bool in_files) {
    if (const LibraryRow* row = library_of_function(symbol))
        return error("missing-library", fmt::format("'{}' is a function of {}, which is not here", readable, row->name),
                     std::string(row->without));
    // Host code calls a kernel's stub.
    constexpr std::string_view stub = "__device_stub__";
    std::string name = readable;
    const std::size_t at = name.find(stub);
    if (at != std::string::npos) name.erase(at, stub.size());
    return error(
        "undefined-symbol",
        fmt::format("{}'{}' is declared but defined nowhere", at != std::string::npos ? "kernel " : "", name),
        in_files
            ? "define it, or name the file that does: cudash run FILE.cu OTHER.cu; if a library has it, link with nvcc "
              "and run that: cudash exec PROGRAM"
            : "define it in this cell or an earlier one");
}

namespace {

/// "nvlink error   : Undefined reference to 'SYMBOL' in 'FILE.o'", of device code.
std::optional<Diagnostic> undefined_at_device_link(std::string_view log) {
    constexpr std::string_view undefined = "nvlink error   : Undefined reference to '";
    const std::size_t at = log.find(undefined);
    if (at == std::string_view::npos) return std::nullopt;
    const std::size_t begin = at + undefined.size();
    const std::string symbol(log.substr(begin, log.find('\'', begin) - begin));
    return undefined_function(symbol, virtual_gpu::demangled(symbol), true);
}

}  // namespace

std::optional<Diagnostic> undefined_at_link(std::string_view log) {
    constexpr std::string_view undefined = ": undefined reference to `";
    const std::size_t at = log.find(undefined);
    if (at == std::string_view::npos) return undefined_at_device_link(log);
    const std::size_t begin = at + undefined.size();
    const std::string symbol(log.substr(begin, log.find('\'', begin) - begin));
    Diagnostic missing = undefined_function(symbol.substr(0, symbol.find('(')), symbol, true);
    // "FOLDER/FILE:LINE: undefined ...", or "FILE.o:(.text+0x10): ..." without debug information.
    const std::size_t line_begin = log.rfind('\n', at) + 1;  // npos + 1 is 0
    const std::string_view place = log.substr(line_begin, at - line_begin);
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) return missing;
    unsigned line = 0;
    const std::string_view number = place.substr(colon + 1);
    if (std::from_chars(number.data(), number.data() + number.size(), line).ec != std::errc()) return missing;
    const std::size_t first = place.find_first_not_of(" \t");
    missing.where = {std::string(place.substr(first, colon - first)), line, 0};
    return missing;
}

}  // namespace cudash::session
