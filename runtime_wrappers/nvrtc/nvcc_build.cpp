#include "runtime_wrappers/nvrtc/nvcc_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "runtime_wrappers/nvrtc/architecture.h"
#include "runtime_wrappers/nvrtc/cache_folder.h"
#include "runtime_wrappers/nvrtc/log.h"
#include "runtime_wrappers/nvrtc/program_key.h"

namespace cudash::nvrtc {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> command_for(const ProgramRequest& request, const fs::path& nvcc) {
    std::string text;
    for (const std::string& source : request.sources) text += content_of(source);
    // With -arch=sm_90a, nvcc makes PTX for 9.0, too, which lacks what is for 9.0a.
    const std::string arch = architecture_for(request.arch, text);
    std::vector<std::string> command = {nvcc.string(),
                                        "-w",
                                        "-g",
                                        "-lineinfo",
                                        "--extended-lambda",
                                        "--expt-relaxed-constexpr",
                                        "-rdc=true",
                                        "-Xcompiler",
                                        "-fopenmp",
                                        fmt::format("-gencode=arch=compute_{0},code=[sm_{0},compute_{0}]", arch),
                                        "--std=" + request.standard};
    for (const std::string& folder : request.include_dirs) command.push_back("-I" + folder);
    for (const std::string& define : request.defines) command.push_back("-D" + define);
    command.insert(command.end(), request.sources.begin(), request.sources.end());
    command.insert(command.end(), {"-lcudadevrt", "-Xlinker", "--as-needed"});
    const fs::path libraries = nvcc.parent_path().parent_path() / "lib64";
    std::error_code ignored;
    for (const char* library :
         {"cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse", "nvrtc", "stubs/cuda"}) {
        const fs::path name(library);
        if (fs::exists(libraries / name.parent_path() / ("lib" + name.filename().string() + ".so"), ignored))
            command.push_back("-l" + name.filename().string());
    }
    return command;
}

Diagnostic refusal(const std::string& log) {
    Diagnostic refused = parse_log(log);
    refused.code = "nvcc-compile";
    constexpr std::string_view of_nvrtc = "device code: ";  // here it may be either
    if (refused.message.starts_with(of_nvrtc)) refused.message.erase(0, of_nvrtc.size());
    return refused;
}

/// What is kept of a build: the program, or the messages of nvcc.
struct Kept {
    fs::path program, log;
};
std::optional<Kept> place_in_cache(const ProgramRequest& request, const std::vector<std::string>& command) {
    const fs::path folder = cache_folder("programs");
    const auto key = folder.empty() ? std::nullopt : program_key(request.sources, request.include_dirs, command);
    if (!key) return std::nullopt;
    return Kept{folder / *key, folder / (*key + ".log")};
}

bool copy_to(const fs::path& from, const fs::path& to) {
    return store_entry(to, [&](const fs::path& path) {
        std::error_code failed;
        return fs::copy_file(from, path, fs::copy_options::overwrite_existing, failed);
    });
}

}  // namespace

Result<BuiltProgram> build_with_nvcc(const ProgramRequest& request) {
    const std::filesystem::path nvcc = find_nvcc();
    if (nvcc.empty()) return error("nvcc-missing", "the CUDA toolkit here has no nvcc", "install cuda-nvcc-13-0");
    for (const std::string& source : request.sources)
        if (access(source.c_str(), R_OK) != 0)
            return error("unreadable-file", fmt::format("cannot read {}: {}", source, std::strerror(errno)));
    std::vector<std::string> command = command_for(request, nvcc);
    const HeldSignals held;  // outlives what is half made
    BuiltProgram made;
    const std::optional<Kept> kept = place_in_cache(request, command);
    std::error_code ignored;
    if (kept && fs::exists(kept->program, ignored)) {
        touch_entry(kept->program);
        made.program = kept->program;
        return made;
    }
    if (kept && fs::exists(kept->log, ignored)) {
        touch_entry(kept->log);
        return refusal(content_of(kept->log));
    }
    made.scratch.emplace();
    const fs::path folder = made.scratch->folder();
    if (folder.empty())
        return error("file", "no temporary folder can be made for nvcc", "check that TMPDIR can be written");
    made.program = folder / "program";
    const fs::path log = folder / "log";
    command.insert(command.end(), {"-o", made.program.string()});
    const int status = run_process(command, log);
    if (held.any()) return error("interrupted", "nvcc was interrupted");
    if (status == 0) {
        if (kept && copy_to(made.program, kept->program)) return BuiltProgram{std::nullopt, kept->program};
        return made;
    }
    Diagnostic refused = refusal(content_of(log));
    // A mistake in the text is one the next time too; a disk that is full is not.
    if (kept && refused.where.line > 0) copy_to(log, kept->log);
    return refused;
}

}  // namespace cudash::nvrtc
