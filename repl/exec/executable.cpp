#include "repl/exec/executable.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "repl/own_program.h"
#include "runtime_wrappers/cudart/elf_file.h"

namespace cudash::exec {
namespace {

using cudart::ElfFile;

constexpr std::string_view cudart_name = "libcudart.so.";
constexpr const char* newest_cudart = "13";

/// Libraries that hold no CUDA: what only these are linked with makes no CUDA call.
constexpr std::array plain_libraries = {"libc.so.",   "libm.so.",       "libstdc++.so.", "libgcc_s.so.",
                                        "librt.so.",  "libpthread.so.", "libdl.so.",     "ld-linux-",
                                        "linux-vdso", "libselinux.so.", "libgomp.so."};

/// "13" of libcudart.so.13; empty: it needs none.
std::string cudart_version(const ElfFile& file) {
    for (const std::string& name : file.needed())
        if (name.starts_with(cudart_name)) {
            const std::string version = name.substr(cudart_name.size());
            return version.substr(0, version.find('.'));
        }
    return {};
}

bool has_static_cudart(const ElfFile& file) {
    bool found = false;
    file.each_function([&](const ElfFile::Function& each) { found |= each.name == "__cudaRegisterFatBinary"; });
    return found;
}

/// CUDA may come with a library that it is linked with or loads later.
bool may_load_cuda(const ElfFile& file) {
    const auto names = file.needed();
    return file.imports("dlopen") || !std::ranges::all_of(names, [](const std::string& name) {
               return std::ranges::any_of(plain_libraries, [&](const char* plain) { return name.starts_with(plain); });
           });
}

/// Of toolkits 13 and 12.
constexpr std::array own_names = {"libcublas.so.13",   "libcublas.so.12",  "libcublasLt.so.13", "libcublasLt.so.12",
                                  "libcufft.so.12",    "libcufft.so.11",   "libcurand.so.10",   "libcusolver.so.12",
                                  "libcusolver.so.11", "libcusparse.so.12"};

/// The libraries of ours that stand in for those that the program is linked with, as LD_PRELOAD.
std::string own_libraries(const ElfFile& file, const std::filesystem::path& folder) {
    std::string list;
    for (const std::string& name : file.needed())
        if (std::ranges::find(own_names, name) != own_names.end()) list += ":" + (folder / name).string();
    return list;
}

bool is_script(const std::string& path) {
    char begin[2] = {};
    std::ifstream(path, std::ios::binary).read(begin, sizeof begin);
    return begin[0] == '#' && begin[1] == '!';
}

std::string own_library(const std::string& version) {
    return (own_program().parent_path() / "lib" / "cudart" / (std::string(cudart_name) + version)).string();
}

Diagnostic not_a_program(const std::string& path) {
    const std::string_view name = path;
    for (const std::string_view end : {".cu", ".cpp", ".cc", ".c"})
        if (name.ends_with(end))
            return error("not-a-program", fmt::format("{} is source code, not a program", path),
                         fmt::format("cudash run {0} runs it; nvcc {0} builds a program", path));
    if (is_script(path))
        return error("not-a-program", fmt::format("{} is a script", path),
                     "give the program that it starts: cudash exec PROGRAM");
    return error("not-a-program", fmt::format("{} is not a program for Linux (ELF, 64 bits)", path),
                 "cudash exec runs what nvcc -o PROGRAM has made");
}

}  // namespace

Result<Executable> inspect_executable(const std::string& name) {
    // As with nvcc's users, a.out is ./a.out; PATH is not searched.
    const std::string path = name.find('/') == std::string::npos ? "./" + name : name;
    struct stat about {};
    if (stat(path.c_str(), &about) != 0)
        return error("no-such-file", fmt::format("{} can't be read: {}", name, std::strerror(errno)));
    if (S_ISDIR(about.st_mode))
        return error("not-a-program", fmt::format("{} is a folder", name), "give the program in it");
    if (!S_ISREG(about.st_mode)) return error("not-a-program", fmt::format("{} is not a file", name));
    if (access(path.c_str(), R_OK) != 0)
        return error("no-such-file", fmt::format("{} can't be read: {}", name, std::strerror(errno)));
    const auto file = ElfFile::open(path);
    if (!file) return not_a_program(name);
    if (!file->is_for_this_machine())
        return error("not-a-program", fmt::format("{} is a program for another kind of processor", name),
                     "build it on this machine");
    if (!file->is_loadable())
        return error("not-a-program", fmt::format("{} is an object file", name),
                     "link it first: nvcc FILE.o -o PROGRAM");
    if (!file->is_dynamic())
        return error("not-a-program", fmt::format("{} is a shared library, or linked without any", name),
                     "give the program that loads it; link a program without -static");
    if (access(path.c_str(), X_OK) != 0)
        return error("not-a-program", fmt::format("{} can't be executed: {}", name, std::strerror(errno)),
                     fmt::format("chmod +x {}", name));
    if (about.st_mode & (S_ISUID | S_ISGID))
        return error("not-a-program", fmt::format("{} runs with another user's rights (setuid)", name),
                     fmt::format("nothing can be loaded into such a program; chmod -s {}, or copy it", name));

    Executable found{path, {}};
    for (const std::string_view function : file->imported()) found.imported.emplace_back(function);
    const std::string version = cudart_version(*file);
    if (version.empty() && file->has_section(".nvFatBinSegment") && !has_static_cudart(*file))
        return error("stripped",
                     fmt::format("{} has the CUDA runtime linked into it, and no symbol table to find it by", name),
                     "link it with nvcc -cudart shared, or don't strip it");
    if (version.empty() && !file->has_section(".nvFatBinSegment") && !may_load_cuda(*file))
        return error("no-cuda", fmt::format("{} uses no CUDA", name), "cudash exec runs what nvcc has built");
    found.preload = own_library(version.empty() ? newest_cudart : version);
    if (access(found.preload.c_str(), R_OK) == 0) {
        // The driver API, for those that are linked with it and for those that load it.
        const std::filesystem::path folder = std::filesystem::path(found.preload).parent_path();
        found.preload += ":" + (folder / "libcuda.so.1").string() + own_libraries(*file, folder);
        return found;
    }
    if (!version.empty() && version != newest_cudart && access(own_library(newest_cudart).c_str(), R_OK) == 0)
        return error("unknown-cudart",
                     fmt::format("{} is linked with libcudart.so.{}, for which cudash has nothing", name, version),
                     "build it with the CUDA toolkit 13");
    return error("exec-missing", fmt::format("{} is missing", found.preload), "build cudash again: ./cudash --version");
}

}  // namespace cudash::exec
