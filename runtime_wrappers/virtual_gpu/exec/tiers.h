// When kernels are compiled: a launch begins in the interpreter; a kernel that has executed enough is compiled on
// another thread. The next blocks run in turn as machine code and in the interpreter, and the others as was faster.
// Which of them do never shows.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"
#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/isa/loaded_module.h"

namespace cudash::virtual_gpu {

enum class TierPolicy : std::uint8_t {
    never,
    automatic,  ///< kernels that are worth it
    always,     ///< every kernel, before its first block; for tests
    in_turn     ///< every kernel, but every second block is interpreted; for tests
};

/// What the environment says: CUDASH_KERNELS is interpreted, automatic, compiled or in_turn.
TierPolicy tier_policy();

/// Which tier is faster: blocks run in turn in both, until the medians of what they took tell.
class TierTrial {
public:
    enum class Verdict : std::uint8_t { open, compiled, interpreted };
    Verdict verdict() const { return verdict_.load(std::memory_order_relaxed); }
    void decide(Verdict verdict) { verdict_.store(verdict, std::memory_order_relaxed); }
    /// Whether the next block is to run compiled.
    bool next_is_compiled() { return (started_.fetch_add(1, std::memory_order_relaxed) & 1) == 0; }
    /// A block took that long for an instruction of a warp.
    void note(bool compiled, double nanoseconds);

private:
    std::atomic<Verdict> verdict_{Verdict::open};
    std::atomic<std::uint32_t> started_{0};
    std::mutex mutex_;
    std::vector<double> taken_[2];
};

/// A kernel and a shape of blocks, whether or not there is code for them.
struct TieredKernel {
    std::shared_ptr<const LoadedModule> module;  ///< while it waits to be compiled
    const Program* program = nullptr;
    Dim3 block;
    std::atomic<const CompiledKernel*> code{nullptr};
    std::atomic<std::uint64_t> executed{0};  ///< instructions of warps, in the interpreter
    std::atomic<bool> asked{false};
    std::shared_ptr<const CompiledKernel> owner;  ///< of `code`
    TierTrial trial;
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
    /// What a block that starts now is run as: Block::compiled and Block::trial_began.
    static void choose(TieredKernel& kernel, Block& block);
    /// A block of the kernel is done, which took `instructions` of its warps.
    void note(const std::shared_ptr<TieredKernel>& kernel, const Block& block, std::uint64_t instructions);

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
