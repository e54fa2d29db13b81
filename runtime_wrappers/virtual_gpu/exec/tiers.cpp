#include "runtime_wrappers/virtual_gpu/exec/tiers.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/own_threads.h"

namespace cudash::virtual_gpu {
namespace {

/// What the interpreter does while LLVM compiles, in instructions of warps: for each of the kernel's own, and in any
/// case. It needs several times as long for each where the warps of a block do not run in lockstep.
constexpr std::uint64_t worth_one_instruction = 100'000, worth_compiling = 4'000'000, slower_alone = 16;
/// The same for each instruction of LLVM's, where it is known how many there are: 17 to 40 us, in which the interpreter
/// executes one instruction of a warp in 10 ns. Without lockstep it takes one to five times as long.
constexpr std::uint64_t worth_one_of_llvm = 2'500, slower_without = 4;
/// The same, while code from an earlier run is looked for and loaded: so much less.
constexpr std::uint64_t quicker_loading = 20;
/// A kernel that has so many times as much to do, or has done it, is compiled where blocks wait for the code.
constexpr std::uint64_t least_work = 2;
/// Blocks that are always interpreted behind one that is looked at: that one is done by then.
constexpr std::uint64_t first_blocks = 8;
/// So many blocks of a launch at most, and those whose numbers are powers of two, tell what the next launches will be
/// like.
constexpr std::uint64_t most_samples = 128;
/// Lockstep stores columns line by line: machine code is faster where a warp executes so many instructions for each.
constexpr std::uint64_t worth_columns = 64;
/// A request to stop comes from a signal handler, which can't wake a thread: who waits for the compiler looks so often.
constexpr std::chrono::milliseconds look_at_cancelled{20};
/// Kernels of modules that are gone stay until there are so many.
constexpr std::size_t most_kernels = 256;

/// Of `sums` over blocks of the program, of so many warps each.
TierSample sample_of(const TierSums& sums, const Program& program, std::uint64_t warps) {
    const Code& code = *program.functions.front();
    const std::uint64_t own = code.steady_at != 0 ? code.steady_at : code.instructions.size();
    // Those that are not in lockstep take most of the time.
    const bool lockstep = sums.alone * 4 < sums.blocks;
    const bool gains = !lockstep || sums.instructions >= worth_columns * sums.columns * warps;
    TierSample sample{sums.instructions / sums.blocks, gains, 0};
    sample.slower = lockstep ? 1 : slower_without;
    sample.worth = std::max(worth_compiling, own * worth_one_instruction) / (lockstep ? 1 : slower_alone);
    return sample;
}

}  // namespace

TierPolicy tier_policy() {
    const char* set = std::getenv("CUDASH_KERNELS");
    const std::string_view wanted = set ? set : "";
    if (wanted == "interpreted") return TierPolicy::never;
    if (wanted == "compiled") return TierPolicy::always;
    return wanted == "in_turn" ? TierPolicy::in_turn : TierPolicy::automatic;
}

LaunchTier::LaunchTier(Tiers& tiers, std::shared_ptr<TieredKernel> kernel,
                       const std::shared_ptr<const LoadedModule>& module, const Program& program, std::uint64_t blocks,
                       bool apart)
    : tiers_(tiers),
      kernel_(std::move(kernel)),
      module_(module),
      program_(program),
      blocks_(blocks),
      warps_((std::uint64_t{kernel_->block.x} * kernel_->block.y * kernel_->block.z + warp_size - 1) / warp_size),
      stride_(std::bit_ceil((blocks + most_samples - 1) / most_samples)),
      apart_(apart) {
    if (tiers_.policy_ != TierPolicy::automatic)
        tiers_.ask({kernel_, module_, &program_});
    else if (kernel_->sample)
        plan(*kernel_->sample, 0);
}

void LaunchTier::plan(const TierSample& sample, std::uint64_t behind) {
    if (!sample.gains) return;
    const std::uint64_t before = kernel_->executed;
    const std::uint64_t left = (blocks_ - behind) * sample.instructions;
    if (apart_) {
        if (before + left < sample.worth / quicker_loading) return;
        if (!planned_) planned_ = sample;
        const std::uint64_t work = (before + left) * sample.slower;
        if (work > work_.load(std::memory_order_relaxed)) work_.store(work, std::memory_order_relaxed);
        return;
    }
    if (!kernel_->asked_at) {
        if (before + left < least_work * sample.worth) return;
        kernel_->asked_at = before;
    }
    // Nobody waits for the compiler who could have gone on without it.
    const std::uint64_t until = *kernel_->asked_at + sample.worth;
    const std::uint64_t interpreted =
        before >= until ? 0 : (until - before) / std::max<std::uint64_t>(sample.instructions, 1);
    const std::uint64_t from = before >= until ? 0 : behind + std::max(first_blocks, interpreted);
    from_.store(std::min(from, from_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
}

/// Waits until there is code. Where the launch is cancelled meanwhile, the interpreter runs the block, and ends it.
const CompiledKernel* LaunchTier::code(const Block& block) {
    if (!kernel_->is_ready.load(std::memory_order_acquire)) {
        std::unique_lock lock(tiers_.mutex_);
        while (!kernel_->is_ready.load(std::memory_order_acquire)) {
            if (block.launch->cancelled->load(std::memory_order_relaxed)) return nullptr;
            tiers_.compiled_.wait_for(lock, look_at_cancelled);
        }
    }
    return kernel_->code.get();
}

void LaunchTier::choose(Block& block) {
    if (tiers_.policy_ != TierPolicy::automatic) {
        if (tiers_.policy_ == TierPolicy::always || block.number % 2 == 0) block.compiled = code(block);
        return;
    }
    if (apart_) {
        const std::uint64_t work = work_.load(std::memory_order_relaxed);
        if (work == 0) return;
        if (kernel_->is_ready.load(std::memory_order_acquire)) {
            block.compiled = kernel_->code.get();
        } else {
            const std::uint64_t size = kernel_->size.load(std::memory_order_relaxed);
            tiers_.ask({kernel_, module_, &program_, size == 0 || work < size * worth_one_of_llvm});
        }
        return;
    }
    const std::uint64_t from = from_.load(std::memory_order_relaxed);
    if (from == never) return;
    tiers_.ask({kernel_, module_, &program_});
    if (block.number >= from) block.compiled = code(block);
}

bool LaunchTier::goes_on() const {
    return tiers_.policy_ != TierPolicy::in_turn;
}

void LaunchTier::note(const Block& block, std::uint64_t instructions) {
    if (block.compiled || tiers_.policy_ != TierPolicy::automatic) return;
    const bool is_power = std::has_single_bit(block.number);
    if (((block.number & (stride_ - 1)) != 0 && !is_power) || !block.done() || block.fault) return;
    const TierSums own{1, instructions, block.lockstep.on ? 0u : 1u, block.lockstep.on ? block.lockstep.columns : 0};
    std::lock_guard lock(mutex_);
    sums_ += own;
    if (kernel_->sample || (block.number != 0 && !is_power) || block.number > planned_behind_) return;
    // The first blocks may be unlike the others, as a picture's corner is: later ones are asked, too.
    const TierSample sample = sample_of(own, program_, warps_);
    plan(sample, block.number);
    if (from_ == never) return;
    planned_behind_ = block.number;
    planned_ = sample;
}

void LaunchTier::end(std::uint64_t instructions) {
    kernel_->executed += instructions;
    // Where some blocks were compiled, how many were not may depend on the threads.
    const bool all_interpreted = apart_ ? !kernel_->is_ready.load(std::memory_order_relaxed) : from_ == never;
    if (all_interpreted && sums_.blocks != 0)
        kernel_->sample = sample_of(sums_, program_, warps_);
    else if (planned_ && !kernel_->sample)
        kernel_->sample = planned_;
}

Tiers::~Tiers() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

std::shared_ptr<TieredKernel> Tiers::of(const Program& program, const Dim3& block) {
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
        at->second->block = block;
    }
    return at->second;
}

void Tiers::ask(Request request) {
    std::atomic<bool>& asked = request.only_load ? request.kernel->to_load : request.kernel->to_compile;
    if (asked.load(std::memory_order_relaxed) || asked.exchange(true)) return;
    std::lock_guard lock(mutex_);
    if (request.only_load)
        waiting_.push_front(std::move(request));
    else
        waiting_.push_back(std::move(request));
    if (!thread_.joinable()) thread_ = std::thread(&Tiers::work, this);
    wake_.notify_all();
}

void Tiers::make_code(const Request& request) {
    TieredKernel& kernel = *request.kernel;
    if (kernel.is_ready) return;
    if (!std::exchange(made_, true)) generator_ = compiler_();
    std::shared_ptr<const CompiledKernel> code;
    if (generator_ && !std::exchange(kernel.is_kept_nowhere, true))
        code = generator_->load(*request.program, kernel.block);
    if (generator_ && !code && !request.only_load) code = generator_->compile(*request.program, kernel.block);
    if (!code && request.only_load) {
        kernel.size = generator_ ? generator_->size() : 0;
        return;
    }
    kernel.code = std::move(code);
    std::lock_guard lock(mutex_);
    kernel.is_ready.store(true, std::memory_order_release);
    compiled_.notify_all();
}

void Tiers::work() {
    const OwnThread own;
    for (;;) {
        Request request;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
            if (stopping_) return;
            request = std::move(waiting_.front());
            waiting_.pop_front();
        }
        make_code(request);
    }
}

}  // namespace cudash::virtual_gpu
