// When kernels are compiled. A launch begins in the interpreter; where much is left to do, another thread loads the
// machine code that an earlier run left on disk, or compiles the kernel. Where blocks don't meet in memory, the blocks
// that start once there is code run as machine code. Elsewhere the tier could show: there, counts of instructions say
// from which block on it is machine code, and no clock does.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>

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

/// What the environment says: CUDASH_KERNELS is interpreted, automatic (what else it says means that, too), compiled or
/// in_turn.
TierPolicy tier_policy();

/// What interpreted blocks took.
struct TierSums {
    std::uint64_t blocks = 0;
    std::uint64_t instructions = 0;  ///< of their warps
    std::uint64_t alone = 0;         ///< blocks that did not end in lockstep
    std::uint64_t columns = 0;       ///< Lockstep::columns of the others
    void operator+=(const TierSums& more) {
        blocks += more.blocks, instructions += more.instructions;
        alone += more.alone, columns += more.columns;
    }
};

/// What they told of a kernel.
struct TierSample {
    std::uint64_t instructions = 0;  ///< of a block's warps
    bool gains = false;              ///< machine code is faster than the interpreter
    std::uint64_t worth = 0;         ///< instructions of warps that the interpreter executes while LLVM compiles
    std::uint64_t slower = 1;        ///< how much longer the interpreter takes for each than in lockstep
};

/// A kernel and a shape of blocks, whether or not there is code for them.
struct TieredKernel {
    Dim3 block;
    std::atomic<bool> to_load{false}, to_compile{false};  ///< asked for
    std::atomic<bool> is_ready{false};                    ///< `code` is what it will be
    bool is_kept_nowhere = false;                         ///< no earlier run left code; the compiling thread's
    std::atomic<std::uint64_t> size{0};                   ///< then: CodeGenerator::size()
    std::shared_ptr<const CompiledKernel> code;           ///< nullptr: it can't be compiled
    std::optional<TierSample> sample;                     ///< of a launch that has ended
    std::uint64_t executed = 0;                           ///< instructions of warps, in launches that have ended
    std::optional<std::uint64_t> asked_at;                ///< what `executed` was when it was to be compiled
};

class Tiers;

/// Which blocks of a launch run as machine code.
class LaunchTier {
public:
    /// `apart`: neither blocks nor warps meet in memory, so that the tier can't show.
    LaunchTier(Tiers& tiers, std::shared_ptr<TieredKernel> kernel, const std::shared_ptr<const LoadedModule>& module,
               const Program& program, std::uint64_t blocks, bool apart);

    /// Of a block that starts now, and that nobody observes: Block::compiled.
    void choose(Block& block);
    /// The blocks behind one that is compiled are, too.
    bool goes_on() const;
    /// A block is done, which took `instructions` of its warps.
    void note(const Block& block, std::uint64_t instructions);
    /// The launch is over.
    void end(std::uint64_t instructions);

private:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    /// Once block `behind` is done: from which block on machine code runs, if that is worth while.
    void plan(const TierSample& sample, std::uint64_t behind);
    const CompiledKernel* code(const Block& block);

    Tiers& tiers_;
    const std::shared_ptr<TieredKernel> kernel_;
    const std::shared_ptr<const LoadedModule>& module_;  ///< of the launch, which owns it
    const Program& program_;
    const std::uint64_t blocks_, warps_;  ///< of the grid, and of a block
    const std::uint64_t stride_;          ///< between blocks that are counted: a power of two
    const bool apart_;
    std::mutex mutex_;
    TierSums sums_;                         ///< of this launch
    std::uint64_t planned_behind_ = never;  ///< the block whose sample decided, and that
    std::optional<TierSample> planned_;
    /// Where blocks are apart: what is done and left, if code is worth a look.
    std::atomic<std::uint64_t> work_{0};
    std::atomic<std::uint64_t> from_{never};  ///< elsewhere: the first block that is machine code
};

class Tiers {
public:
    Tiers(MakeCodeGenerator compiler, TierPolicy policy) : compiler_(compiler), policy_(policy) {}
    ~Tiers();
    Tiers(const Tiers&) = delete;
    Tiers& operator=(const Tiers&) = delete;

    /// nullptr: it is always interpreted.
    std::shared_ptr<TieredKernel> of(const Program& program, const Dim3& block);

private:
    friend class LaunchTier;
    using Key = std::tuple<std::uint64_t, unsigned, unsigned, unsigned>;

    /// A kernel that is to be loaded or else compiled, with what its program belongs to.
    struct Request {
        std::shared_ptr<TieredKernel> kernel;
        std::shared_ptr<const LoadedModule> module;
        const Program* program = nullptr;
        bool only_load = false;
    };
    void ask(Request request);
    void make_code(const Request& request);
    void work();

    MakeCodeGenerator compiler_;
    TierPolicy policy_;
    bool made_ = false;
    std::shared_ptr<CodeGenerator> generator_;
    std::map<Key, std::shared_ptr<TieredKernel>> kernels_;
    std::deque<Key> order_;  ///< of kernels_, the oldest first
    std::mutex mutex_;
    std::condition_variable wake_;      ///< something waits, or the thread is to end
    std::condition_variable compiled_;  ///< a kernel is
    std::deque<Request> waiting_;
    std::thread thread_;
    bool stopping_ = false;
};

}  // namespace cudash::virtual_gpu
