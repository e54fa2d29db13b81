#include "repl/session/clang/compiler_setup.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/Utils.h"
#include "clang/Interpreter/Interpreter.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include "repl/own_program.h"
#include "repl/session/clang/diagnostic_collector.h"
#include "repl/session/clang/header_inputs.h"
#include "repl/session/clang/prelude.h"

namespace cudash::session {
namespace {

namespace fs = std::filesystem;

/// What a compilation reads, headers of the system, too.
class AllInputs final : public clang::DependencyCollector {
public:
    bool needSystemDependencies() override { return true; }
    bool sawDependency(llvm::StringRef name, bool, bool, bool, bool is_missing) override {
        return !is_missing && name.starts_with("/");
    }
};

/// Where the build puts share/.
fs::path program_dir() {
    return own_program().parent_path();
}

/// A folder for files made once and read at each start: beside the program if that can be written, else the user's
/// cache.
fs::path cache_dir() {
    // A confined worker is told where its user's is.
    if (const char* given = std::getenv("CUDASH_HEADER_CACHE"); given && *given) return given;
    const fs::path beside = program_dir() / "share";
    if (access(beside.c_str(), W_OK) == 0) return beside;
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return fs::path(cache) / "cudash";
    if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "cudash";
    return fs::temp_directory_path() / "cudash";
}

/// Of processes that begin at once, as those of a class do, one at a time makes files in the folder. Without a lock, in
/// a folder that can't be written, making them fails, and that is told.
class FolderLock {
public:
    explicit FolderLock(const fs::path& folder)
        : file_(open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        if (file_ >= 0) flock(file_, LOCK_EX);
    }
    ~FolderLock() {
        if (file_ >= 0) close(file_);
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int file_;
};

std::vector<std::string> arguments_for(const HostEngine::Setup& setup) {
    std::vector<std::string> arguments = {
        "-std=" + setup.standard,
        "-xcuda",
        "--cuda-host-only",
        "--cuda-path=" + fs::path(setup.cuda_include).parent_path().string(),
        "-resource-dir",
        clang_resource_dir(),
        "-isystem",
        (program_dir() / "share" / "shim").string(),
        "-isystem",
        (program_dir() / "share" / "include").string(),
        "-isystem",
        setup.cuda_include + "/cccl",
        "-Wno-unknown-cuda-version",
        "-Wno-unused-value",
        "-Wno-cuda-compat",
        "-Wno-pragma-once-outside-header",
        // nvcc says nothing of these: arrays of variable length, and rand() / RAND_MAX.
        "-Wno-vla-cxx-extension",
        "-Wno-implicit-const-int-float-conversion",
        // For it, this word of C is a warning at most.
        "-Wno-register",
        // As nvcc: a loop that counts an unsigned variable down to 0 never ends.
        "-Wtautological-unsigned-zero-compare",
        // What a null pointer does is told when it is used; assert() at the prompt is in no function.
        "-Wno-null-dereference",
        "-Wno-predefined-identifier-outside-function",
        // C++20 has modules: with them, clang compares what it precompiled with what it reads, and takes the host's and
        // the device's version of a function for two that differ.
        "-Xclang",
        "-fno-cxx-modules",
        // nvcc and the host's compiler leave constraints, and types that values deduce, out of the names of functions.
        "-fclang-abi-compat=17",
        "-ferror-limit=20",
        // The host's compiler rounds products: its x86-64 has no fused multiply-add.
        "-ffp-contract=off",
        // With errno, each sqrt() in a loop would be a call.
        "-fno-math-errno",
        // Lines of code, and the chain of calls, for messages about what host code does.
        "-gline-tables-only",
        "-fno-omit-frame-pointer",
        // The prelude's templates are instantiated once, when it is precompiled, and not at each start.
        "-fpch-instantiate-templates",
    };
    // Elsewhere clang says of each pragma that it has no effect.
    arguments.push_back(setup.openmp && openmp_library() ? "-fopenmp" : "-Wsource-uses-openmp");
    return arguments;
}

}  // namespace

void* openmp_library() {
    static void* const library = dlopen("libomp.so.5", RTLD_NOW | RTLD_LOCAL);
    return library;
}

const char* prelude_text() {
    return R"(#include <cuda_runtime.h>
#include <assert.h>
#include <math.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
// clang 19 knows these attributes only in HIP, or not at all; host code needs no more of them than this.
#undef __managed__
#define __managed__ __attribute__((device, annotate("cudash_managed")))
// It knows this word, and takes a declaration with it in front for a statement.
#define __noinline__ __attribute__((noinline))
#undef __grid_constant__
#define __grid_constant__
#undef __cluster_dims__
#define __cluster_dims__(...)
#undef __maxnreg__
#define __maxnreg__(...)
#undef __block_size__
#define __block_size__(...)
// What nvcc declares for clusters; host code needs the signatures alone.
#define _CG_CLUSTER_INTRINSICS_AVAILABLE
__device__ void* __cluster_map_shared_rank(const void*, unsigned);
__device__ unsigned __cluster_query_shared_rank(const void*);
__device__ unsigned __clusterDimIsSpecified();
__device__ dim3 __clusterDim();
__device__ dim3 __clusterRelativeBlockIdx();
__device__ dim3 __clusterGridDimInClusters();
__device__ dim3 __clusterIdx();
__device__ unsigned __clusterRelativeBlockRank();
__device__ unsigned __clusterSizeInBlocks();
__device__ void __cluster_barrier_arrive();
__device__ void __cluster_barrier_arrive_relaxed();
__device__ void __cluster_barrier_wait();
__device__ unsigned __isCtaShared(const void*);
__device__ unsigned __isClusterShared(const void*);
// The 16-byte atomics of compute capability 9.0.
#define CUDASH_ATOMIC_128(scope)                                                                          \
    template <class T>                                                                                    \
    __device__ std::enable_if_t<sizeof(T) == 16 && alignof(T) >= 16, T> atomicExch##scope(T*, T);          \
    template <class T>                                                                                    \
    __device__ std::enable_if_t<sizeof(T) == 16 && alignof(T) >= 16, T> atomicCAS##scope(T*, T, T);
CUDASH_ATOMIC_128()
CUDASH_ATOMIC_128(_block)
CUDASH_ATOMIC_128(_system)
#undef CUDASH_ATOMIC_128
// The version of nvcc that programs ask for is the toolkit's.
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
// nvcc's own atomic functions; host code needs the signatures alone.
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#define CUDASH_ATOMIC(result, name) \
    template <class T, class... More> __device__ result __nv_atomic_##name(T*, More...);
CUDASH_ATOMIC(T, load_n)
CUDASH_ATOMIC(void, load)
CUDASH_ATOMIC(void, store_n)
CUDASH_ATOMIC(void, store)
CUDASH_ATOMIC(T, exchange_n)
CUDASH_ATOMIC(void, exchange)
CUDASH_ATOMIC(bool, compare_exchange_n)
CUDASH_ATOMIC(bool, compare_exchange)
CUDASH_ATOMIC(T, fetch_add)
CUDASH_ATOMIC(T, fetch_sub)
CUDASH_ATOMIC(T, fetch_and)
CUDASH_ATOMIC(T, fetch_or)
CUDASH_ATOMIC(T, fetch_xor)
CUDASH_ATOMIC(T, fetch_min)
CUDASH_ATOMIC(T, fetch_max)
CUDASH_ATOMIC(void, add)
CUDASH_ATOMIC(void, sub)
CUDASH_ATOMIC(void, and)
CUDASH_ATOMIC(void, or)
CUDASH_ATOMIC(void, xor)
CUDASH_ATOMIC(void, min)
CUDASH_ATOMIC(void, max)
#undef CUDASH_ATOMIC
__device__ void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
// What the CUDA headers declare and clang 19's wrapper leaves out.
#define CUDASH_CACHED(suffix)                            \
    template <class T> __device__ T __ld##suffix(const T*);
#define CUDASH_STORED(suffix) \
    template <class T> __device__ void __st##suffix(T*, T);
CUDASH_CACHED(cg) CUDASH_CACHED(ca) CUDASH_CACHED(cs) CUDASH_CACHED(lu) CUDASH_CACHED(cv)
CUDASH_STORED(wb) CUDASH_STORED(cg) CUDASH_STORED(cs) CUDASH_STORED(wt)
#undef CUDASH_CACHED
#undef CUDASH_STORED
__device__ float __tanhf(float);
// clang's wrapper has read what these headers declare by the files beside them: a program that includes them finds them
// read.
#define __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_INTRINSICS_H__
#define __SM_32_ATOMIC_FUNCTIONS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_61_INTRINSICS_H__
// The CUDA headers' host versions of min and max, which clang's wrapper leaves out.
#define CUDASH_MIN_MAX(R, A, B)                                  \
    static inline R min(A a, B b) { return (R)b < (R)a ? (R)b : (R)a; } \
    static inline R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
CUDASH_MIN_MAX(int, int, int)
CUDASH_MIN_MAX(unsigned, unsigned, unsigned)
CUDASH_MIN_MAX(unsigned, int, unsigned)
CUDASH_MIN_MAX(unsigned, unsigned, int)
CUDASH_MIN_MAX(long, long, long)
CUDASH_MIN_MAX(unsigned long, unsigned long, unsigned long)
CUDASH_MIN_MAX(unsigned long, long, unsigned long)
CUDASH_MIN_MAX(unsigned long, unsigned long, long)
CUDASH_MIN_MAX(long long, long long, long long)
CUDASH_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CUDASH_MIN_MAX(unsigned long long, long long, unsigned long long)
CUDASH_MIN_MAX(unsigned long long, unsigned long long, long long)
CUDASH_MIN_MAX(float, float, float)
CUDASH_MIN_MAX(double, double, double)
CUDASH_MIN_MAX(double, float, double)
CUDASH_MIN_MAX(double, double, float)
#undef CUDASH_MIN_MAX
// clang 19's wrapper declares the texture functions but not those of surfaces; host code needs their signatures alone.
template <class... Arguments> __device__ void cudash_surface_access(Arguments&&...);
#define __nv_tex_surf_handler(...) cudash_surface_access(__VA_ARGS__)
#include <surface_indirect_functions.h>
#undef __nv_tex_surf_handler
// Programs ask for nvcc by this name. The headers of CCCL that ask, too, are to see clang: they are read before.
#include <cuda/std/__cccl/compiler.h>
#include <nv/target>
#define __NVCC__ 1
#define __CUDASH__ 1
)";
}

std::string prelude_includes() {
    // The first part of it; what follows is about clang.
    const std::string_view text = prelude_text();
    return std::string(text.substr(0, text.find("//")));
}

std::string clang_resource_dir() {
    if (const char* given = std::getenv("CUDASH_CLANG_RESOURCE_DIR"); given && *given) return given;
    for (const char* folder : {"/usr/lib/llvm-19/lib/clang/19", "/usr/lib/clang/19"}) {
        std::error_code ignored;
        if (fs::exists(fs::path(folder) / "include" / "__clang_cuda_runtime_wrapper.h", ignored)) return folder;
    }
    return {};
}

Result<std::unique_ptr<clang::CompilerInstance>> make_compiler(const HostEngine::Setup& setup) {
    if (clang_resource_dir().empty())
        return error(
            "clang-headers-missing", "clang 19's own headers were not found in /usr/lib/llvm-19/lib/clang/19",
            "install the package libclang-common-19-dev, or set CUDASH_CLANG_RESOURCE_DIR to the folder that has "
            "include/__clang_cuda_runtime_wrapper.h");
    std::error_code ignored;
    if (!fs::exists(program_dir() / "share" / "shim", ignored))
        return error("installation-incomplete", "the folder share/shim beside the program is missing",
                     "keep the program together with the share folder that the build puts beside it");
    if (setup.cuda_include.empty())
        return error("toolkit-missing", "the CUDA Toolkit's headers were not found",
                     "install the CUDA Toolkit 13, or set CUDA_PATH to where it is");

    std::vector<std::string> arguments = arguments_for(setup);
    for (const std::string& folder : setup.include_dirs) arguments.push_back("-I" + folder);
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(argument.c_str());

    clang::IncrementalCompilerBuilder builder;
    builder.SetCompilerArgs(pointers);
    auto compiler = builder.CreateCpp();
    if (!compiler)
        return error("host-compiler", "clang could not be set up: " + llvm::toString(compiler.takeError()),
                     "run `cudash doctor`");
    return std::move(*compiler);
}

Result<std::string> precompiled_header(const HostEngine::Setup& setup, bool remake) {
    std::string key = clang::getClangFullVersion() + prelude_text();
    for (const std::string& argument : arguments_for(setup)) key += '\n' + argument;
    const fs::path folder = cache_dir();
    const std::string name = fmt::format("host-{:016x}.pch", llvm::xxh3_64bits(key));
    const fs::path path = folder / name, beside = program_dir() / "share" / name;
    std::error_code failure;
    if (!remake && is_current(beside)) return beside.string();
    if (!remake && is_current(path)) return path.string();

    fs::create_directories(folder, failure);
    const FolderLock lock(folder);
    // Who waited for the lock finds it made.
    if (!remake && is_current(path)) return path.string();
    const fs::path source = folder / "prelude.h";
    {
        std::ifstream present(source);
        const std::string text((std::istreambuf_iterator<char>(present)), {});
        if (text != prelude_text()) std::ofstream(source) << prelude_text();
    }
    HostEngine::Setup bare = setup;
    bare.include_dirs.clear();
    auto made = make_compiler(bare);
    if (!made) return made.error();

    auto invocation = std::make_shared<clang::CompilerInvocation>((*made)->getInvocation());
    const fs::path temporary = path.string() + "." + std::to_string(getpid());
    auto& frontend = invocation->getFrontendOpts();
    frontend.Inputs.clear();
    frontend.Inputs.emplace_back(source.string(), clang::InputKind(clang::Language::CUDA));
    frontend.ProgramAction = clang::frontend::GeneratePCH;
    frontend.OutputFile = temporary.string();
    invocation->getPreprocessorOpts().clearRemappedFiles();

    clang::CompilerInstance compiler;
    compiler.setInvocation(invocation);
    DiagnosticCollector collector;
    compiler.createDiagnostics(&collector, false);
    compiler.getDiagnosticOpts().ShowCarets = false;  // no count of warnings on stderr
    const auto inputs = std::make_shared<AllInputs>();
    compiler.addDependencyCollector(inputs);
    clang::GeneratePCHAction action;
    if (!compiler.ExecuteAction(action) || collector.getNumErrors() > 0) {
        auto problems = collector.take();
        Diagnostic problem =
            error("precompiled-header", "the precompiled header could not be made in " + folder.string(),
                  "check that the folder can be written and has room; `cudash doctor` shows the rest");
        for (const auto& each : problems)
            if (each.severity == Diagnostic::Severity::error) problem.notes.push_back({each.message, each.where});
        return problem;
    }
    fs::rename(temporary, path, failure);
    if (failure)
        return error("precompiled-header", "the precompiled header could not be stored: " + failure.message(),
                     "check that " + folder.string() + " can be written and has room");
    note_inputs(path, inputs->getDependencies());
    return path.string();
}

}  // namespace cudash::session
