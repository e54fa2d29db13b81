#include "runtime_wrappers/virtual_gpu/exec/tiers.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {
namespace {

/// A kernel is compiled after so many instructions of warps for each of its own, and no fewer than those: what the
/// interpreter does in the time that LLVM takes.
constexpr std::uint64_t worth_one_instruction = 40'000, worth_compiling = 4'000'000;
/// Blocks of each tier that are tried.
constexpr std::size_t tried_blocks = 5;
/// Kernels of modules that are gone stay until there are so many.
constexpr std::size_t most_kernels = 256;

std::int64_t nanoseconds_now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

TierPolicy tier_policy() {
    const char* set = std::getenv("CUDASH_KERNELS");
    const std::string_view wanted = set ? set : "";
    if (wanted == "automatic") return TierPolicy::automatic;
    if (wanted == "in_turn") return TierPolicy::in_turn;
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
        if (policy_ == TierPolicy::always) at->second->trial.decide(TierTrial::Verdict::compiled);
    }
    const std::shared_ptr<TieredKernel>& kernel = at->second;
    const bool at_once = policy_ == TierPolicy::always || policy_ == TierPolicy::in_turn;
    if (at_once && !kernel->asked.exchange(true)) compile(*kernel);
    if (!kernel->asked.load(std::memory_order_relaxed)) {
        std::lock_guard lock(mutex_);
        kernel->module = module;
    }
    return kernel;
}

void TierTrial::note(bool compiled, double nanoseconds) {
    std::lock_guard lock(mutex_);
    if (verdict() != Verdict::open) return;
    taken_[compiled].push_back(nanoseconds);
    if (std::min(taken_[0].size(), taken_[1].size()) < tried_blocks) return;
    decide(median(taken_[1]) < median(taken_[0]) ? Verdict::compiled : Verdict::interpreted);
}

void Tiers::choose(TieredKernel& kernel, Block& block) {
    block.compiled = nullptr;
    block.trial_began = 0;
    const CompiledKernel* const code = kernel.code.load(std::memory_order_acquire);
    if (!code) return;
    const TierTrial::Verdict verdict = kernel.trial.verdict();
    if (verdict == TierTrial::Verdict::compiled) block.compiled = code;
    if (verdict != TierTrial::Verdict::open) return;
    if (kernel.trial.next_is_compiled()) block.compiled = code;
    block.trial_began = nanoseconds_now();
}

void Tiers::note(const std::shared_ptr<TieredKernel>& kernel, const Block& block, std::uint64_t instructions) {
    if (policy_ == TierPolicy::automatic && block.trial_began != 0 && instructions != 0 && block.done() &&
        !block.fault) {
        const std::int64_t taken = nanoseconds_now() - block.trial_began;
        kernel->trial.note(block.compiled != nullptr, static_cast<double>(taken) / static_cast<double>(instructions));
    }
    if (block.compiled || kernel->asked.load(std::memory_order_relaxed)) return;
    const std::uint64_t all = kernel->executed.fetch_add(instructions, std::memory_order_relaxed) + instructions;
    const Code& code = *kernel->program->functions.front();
    const std::uint64_t own = code.steady_at != 0 ? code.steady_at : code.instructions.size();
    if (all < std::max(worth_compiling, own * worth_one_instruction) || kernel->asked.exchange(true)) return;
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
