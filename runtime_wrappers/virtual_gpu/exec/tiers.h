// When kernels are compiled: a launch begins in the interpreter; a kernel that has executed enough is compiled on
// another thread, and the blocks that start after that run as machine code. Which of them do never shows.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"
#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/isa/loaded_module.h"

namespace cudash::virtual_gpu {

enum class TierPolicy : std::uint8_t {
    never,
    automatic,  ///< kernels that are worth it
    always      ///< every kernel, before its first block; for tests
};

/// What the environment says: CUDASH_KERNELS is interpreted, automatic or compiled.
TierPolicy tier_policy();

/// A kernel and a shape of blocks, whether or not there is code for them.
struct TieredKernel {
    std::shared_ptr<const LoadedModule> module;  ///< while it waits to be compiled
    const Program* program = nullptr;
    Dim3 block;
    std::atomic<const CompiledKernel*> code{nullptr};
    std::atomic<std::uint64_t> executed{0};  ///< instructions of warps, in the interpreter
    std::atomic<bool> asked{false};
    std::shared_ptr<const CompiledKernel> owner;  ///< of `code`
};

class Tiers {
public:
    Tiers(MakeCodeGenerator compiler, TierPolicy policy) : compiler_(compiler), policy_(policy) {}
    ~Tiers();
    Tiers(const Tiers&) = delete;
    Tiers& operator=(const Tiers&) = delete;

    /// nullptr: the kernel is interpreted.
    std::shared_ptr<TieredKernel> of(const std::shared_ptr<const LoadedModule>& module, const Program& program,
                                     const Dim3& block);
    /// A block of the kernel was interpreted, which took `instructions` of its warps.
    void note(const std::shared_ptr<TieredKernel>& kernel, std::uint64_t instructions);

private:
    using Key = std::tuple<std::uint64_t, unsigned, unsigned, unsigned>;

    void compile(TieredKernel& kernel);
    void work();

    MakeCodeGenerator compiler_;
    TierPolicy policy_;
    bool made_ = false;
    std::shared_ptr<CodeGenerator> generator_;
    std::map<Key, std::shared_ptr<TieredKernel>> kernels_;
    std::deque<Key> order_;  ///< of kernels_, the oldest first
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::shared_ptr<TieredKernel>> waiting_;
    std::thread thread_;
    bool stopping_ = false;
};

}  // namespace cudash::virtual_gpu
