#include "runtime_wrappers/nvrtc/nvcc_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime_wrappers/nvrtc/log.h"

namespace cudash::nvrtc {

Result<BuiltProgram> build_with_nvcc(const ProgramRequest& request) {
    const std::filesystem::path nvcc = find_nvcc();
    if (nvcc.empty()) return error("nvcc-missing", "the CUDA toolkit here has no nvcc", "install cuda-nvcc-13-0");
    for (const std::string& source : request.sources)
        if (access(source.c_str(), R_OK) != 0)
            return error("unreadable-file", fmt::format("cannot read {}: {}", source, std::strerror(errno)));
    BuiltProgram made;
    if (made.scratch.folder().empty())
        return error("file", "no temporary folder can be made for nvcc", "check that TMPDIR can be written");
    made.program = made.scratch.folder() / "program";
    const std::filesystem::path log = made.scratch.folder() / "log";
    std::vector<std::string> command = {nvcc.string(),
                                        "-w",
                                        "-g",
                                        "-lineinfo",
                                        "--extended-lambda",
                                        "--expt-relaxed-constexpr",
                                        "-rdc=true",
                                        "-lcudadevrt",
                                        "-Xcompiler",
                                        "-fopenmp",
                                        fmt::format("-arch=sm_{}", request.arch),
                                        "--std=" + request.standard};
    for (const std::string& folder : request.include_dirs) command.push_back("-I" + folder);
    for (const std::string& define : request.defines) command.push_back("-D" + define);
    command.insert(command.end(), {"-o", made.program.string()});
    command.insert(command.end(), request.sources.begin(), request.sources.end());
    if (run_process(command, log) == 0) return made;
    Diagnostic refused = parse_log(content_of(log));
    refused.code = "nvcc-compile";
    constexpr std::string_view of_nvrtc = "device code: ";  // here it may be either
    if (refused.message.starts_with(of_nvrtc)) refused.message.erase(0, of_nvrtc.size());
    return refused;
}

}  // namespace cudash::nvrtc
