#include "runtime_wrappers/virtual_gpu/exec/tiers.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace {

/// Instructions of warps after which a kernel is compiled: some ten milliseconds of the interpreter.
constexpr std::uint64_t worth_compiling = 4'000'000;
/// Kernels of modules that are gone stay until there are so many.
constexpr std::size_t most_kernels = 256;

/// Compiled code gains where warps stay in it for long: in loops. At every barrier it hands the warps back, which takes
/// longer than the interpreter's lockstep; kernels without loops are short.
bool gains(const Code& code) {
    bool loops = false;
    const std::size_t count = code.steady_at != 0 ? code.steady_at : code.instructions.size();
    for (std::size_t i = 0; i < count; ++i) {
        const ptx::Instruction* written = code.written[i];
        const InstructionRow* row = written ? find_instruction(written->mnemonic) : nullptr;
        if (!row) continue;
        if (row->klass == Class::barrier) return false;
        const Instruction& instruction = code.instructions[i];
        loops |= row->behavior.control == Control::branch && instruction.target <= &instruction;
    }
    return loops;
}

}  // namespace

TierPolicy tier_policy() {
    const char* set = std::getenv("CUDASH_KERNELS");
    const std::string_view wanted = set ? set : "";
    if (wanted == "automatic") return TierPolicy::automatic;
    return wanted == "compiled" ? TierPolicy::always : TierPolicy::never;
}

Tiers::~Tiers() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

std::shared_ptr<TieredKernel> Tiers::of(const std::shared_ptr<const LoadedModule>& module, const Program& program,
                                        const Dim3& block) {
    if (policy_ == TierPolicy::never || !compiler_) return nullptr;
    const Key key{program.serial, block.x, block.y, block.z};
    auto [at, is_new] = kernels_.try_emplace(key);
    if (is_new) {
        if (order_.size() == most_kernels) {
            kernels_.erase(order_.front());
            order_.pop_front();
        }
        order_.push_back(key);
        at->second = std::make_shared<TieredKernel>();
        at->second->program = &program;
        at->second->block = block;
        if (policy_ == TierPolicy::automatic && !gains(*program.functions.front())) at->second->asked = true;
    }
    const std::shared_ptr<TieredKernel>& kernel = at->second;
    if (policy_ == TierPolicy::always && !kernel->asked.exchange(true)) compile(*kernel);
    if (!kernel->asked.load(std::memory_order_relaxed)) {
        std::lock_guard lock(mutex_);
        kernel->module = module;
    }
    return kernel;
}

void Tiers::note(const std::shared_ptr<TieredKernel>& kernel, std::uint64_t instructions) {
    const std::uint64_t all = kernel->executed.fetch_add(instructions, std::memory_order_relaxed) + instructions;
    if (all < worth_compiling || kernel->asked.exchange(true)) return;
    std::lock_guard lock(mutex_);
    waiting_.push_back(kernel);
    if (!thread_.joinable()) thread_ = std::thread(&Tiers::work, this);
    wake_.notify_all();
}

void Tiers::compile(TieredKernel& kernel) {
    if (!std::exchange(made_, true)) generator_ = compiler_();
    if (generator_) kernel.owner = generator_->compile(*kernel.program, kernel.block);
    kernel.code.store(kernel.owner.get(), std::memory_order_release);
    std::lock_guard lock(mutex_);
    kernel.module.reset();
}

void Tiers::work() {
    for (;;) {
        std::shared_ptr<TieredKernel> kernel;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
            if (stopping_) return;
            kernel = std::move(waiting_.front());
            waiting_.pop_front();
        }
        compile(*kernel);
    }
}

}  // namespace cudash::virtual_gpu
