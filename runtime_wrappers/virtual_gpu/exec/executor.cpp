#include "runtime_wrappers/virtual_gpu/exec/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>

#include "runtime_wrappers/virtual_gpu/exec/device_runtime.h"
#include "runtime_wrappers/virtual_gpu/exec/grid.h"
#include "runtime_wrappers/virtual_gpu/exec/repeats.h"
#include "runtime_wrappers/virtual_gpu/exec/stops.h"
#include "runtime_wrappers/virtual_gpu/exec/tiers.h"
#include "runtime_wrappers/virtual_gpu/isa/link.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"
#include "runtime_wrappers/virtual_gpu/model/occupancy.h"

namespace cudash::virtual_gpu {
namespace {

/// Local memory of a thread, with what calls keep there that hardware has in registers.
constexpr std::uint64_t most_frames = 8 * most_local_bytes;
/// 2^31 - 1 times 65535 times 65535: the largest grid that CUDA has.
constexpr std::uint64_t most_blocks = 0x7FFF'FFFFull * 0xFFFF * 0xFFFF;
/// What cooperative_groups keeps for a grid: a barrier word and room around it.
constexpr std::uint64_t grid_workspace_bytes = 1024;
/// Blocks of a launch that are worth two observers. No number of host threads: findings must not depend on that.
constexpr std::uint64_t least_halved = 64;

class VirtualExecutor final : public Executor {
public:
    VirtualExecutor(AddressSpace& memory, MakeCodeGenerator compiler, TierPolicy policy)
        : memory_(memory), tiers_(compiler, policy) {}
    ~VirtualExecutor() override {
        if (grid_workspace_) memory_.release(grid_workspace_);
    }

    LaunchOutcome run(const LaunchRequest& request, const Profile& profile, const ExecutorLimits& limits,
                      const DeviceOutput& output) override {
        LaunchOutcome outcome;
        const LoadedModule* module = request.module.get();
        const Program* program = module ? module->program(request.kernel) : nullptr;
        if (!can_run(request, program, outcome)) return outcome;
        if (!request.is_child) cancelled_.store(false, std::memory_order_relaxed);

        Launch launch = describe(request, *program, profile, limits);
        std::optional<DeviceQueue> queue;
        if (program->uses_device_runtime)
            launch.device_queue =
                &queue.emplace(*module, profile, memory_, request.device_runtime, request.child_work_room);
        find_order(request, launch);
        if (launch.observer) {
            launch.observer->launch_begins(launch);
            if (!launch.ordered && !request.cooperative && launch.grid_blocks() >= least_halved)
                launch.second_observer = launch.observer->second_half();
        }
        std::optional<LaunchTier> tier;
        if (!launch.uses_heap && !launch.stops)
            if (auto kernel = tiers_.of(*program, request.block))
                launch.tier = &tier.emplace(tiers_, std::move(kernel), request.module, *program, launch.grid_blocks(),
                                            !launch.ordered && !request.cooperative &&
                                                launch.grid_blocks() > launch.cluster_blocks() &&
                                                !program->functions.front()->lockstep_may_show);
        repeats_.launch_begins(request, limits);
        std::unique_ptr<Grid> grid = take_grid();
        grid->run(launch, request.cooperative, limits, output, outcome);
        idle_grids_.push_back(std::move(grid));
        if (tier) tier->end(outcome.warp_instructions);
        outcome.grid_id = launch.grid_id;
        if (queue && outcome.status == LaunchStatus::ok) outcome.child_work = queue->take();
        // Later than any of its warps has seen.
        timer_ = std::max(timer_, launch.timer + time_of(outcome, profile));
        if (launch.observer) {
            launch.executed = outcome.warp_instructions;
            // Behind the warnings of the launch itself, of printf's formats for example.
            std::vector<Diagnostic> found = launch.observer->launch_ends();
            std::move(found.begin(), found.end(), std::back_inserter(outcome.findings));
        }
        repeats_.launch_ended(request, limits, outcome);
        return outcome;
    }

    std::optional<LaunchOutcome> repeat(const LaunchRequest& request, const Profile& profile,
                                        const ExecutorLimits& limits,
                                        const std::function<bool(const LaunchOutcome&)>& is_enough) override {
        std::optional<LaunchOutcome> known = repeats_.repeat(request, limits, is_enough);
        if (known) timer_ += time_of(*known, profile);
        return known;
    }

    void cancel() noexcept override { cancelled_.store(true, std::memory_order_relaxed); }

private:
    /// Nanoseconds, for %globaltimer.
    static std::uint64_t time_of(const LaunchOutcome& outcome, const Profile& profile) {
        return 1000 + profile.nanoseconds(4 * outcome.warp_instructions + outcome.spun_cycles);
    }

    /// What every caller must keep to, whatever its device allows: the executor's tables have this size.
    static std::optional<Diagnostic> check_sizes(const LaunchRequest& request, const Program& program) {
        const auto product = [](const Dim3& size) { return size_product(size_product(size.x, size.y), size.z); };
        const std::uint64_t shared = std::uint64_t{program.dynamic_shared_at} + request.dynamic_shared;
        std::string what;
        if (product(request.block) > most_warps * warp_size)
            what = fmt::format("a block of {} threads", product(request.block));
        else if (product(request.grid) > most_blocks)
            what = "a grid of so many blocks";
        else if (product(request.cluster) == 0 || product(request.cluster) > most_cluster_blocks)
            what = fmt::format("a cluster of {} blocks", product(request.cluster));
        else if (shared > window_size / 2)
            what = fmt::format("a block with {} bytes of shared memory", shared);
        else
            return std::nullopt;
        return error("too-large", fmt::format("the virtual GPU can't run {}", what));
    }

    /// False: `outcome` says why, or there is nothing to run.
    static bool can_run(const LaunchRequest& request, const Program* program, LaunchOutcome& outcome) {
        if (!program) {
            outcome.status = LaunchStatus::invalid_pc;
            outcome.diagnostics.push_back(
                error("no-such-kernel", fmt::format("the module has no kernel {}", request.kernel)));
            return false;
        }
        if (!program->unsupported.empty()) {
            outcome.status = LaunchStatus::unsupported;
            outcome.diagnostics = program->unsupported;
            return false;
        }
        if (request.grid.x == 0 || request.grid.y == 0 || request.grid.z == 0 || request.block.x == 0 ||
            request.block.y == 0 || request.block.z == 0)
            return false;
        if (auto failed = check_sizes(request, *program)) {
            outcome.status = LaunchStatus::unsupported;
            outcome.diagnostics.push_back(std::move(*failed));
            return false;
        }
        return true;
    }

    /// All but in which order blocks run.
    Launch describe(const LaunchRequest& request, const Program& program, const Profile& profile,
                    const ExecutorLimits& limits) {
        Launch launch;
        launch.program = &program;
        launch.profile = &profile;
        launch.memory = &memory_;
        launch.device = request.device;
        launch.reach = request.reach;
        launch.kernel = request.kernel;
        launch.grid = request.grid;
        launch.block = request.block;
        launch.cluster = request.cluster;
        launch.has_clusters = request.has_clusters;
        give_shared(program, request, launch);
        launch.parameters.assign(request.parameters.begin(), request.parameters.end());
        launch.parameters.resize(
            std::max<std::size_t>(launch.parameters.size(), request.module->kernel(request.kernel)->parameter_bytes));
        give_stack(program, limits, launch);
        launch.printf_fifo = limits.printf_fifo;
        // Recorded on an H200: the host takes one thread's lines as quickly as they come if the buffer has 4 MiB or
        // more. What is kept is still bounded.
        constexpr std::uint64_t taken_in_time = std::uint64_t{4} << 20, most_kept = std::uint64_t{64} << 20;
        if (launch.grid_blocks() == 1 && launch.block_threads() <= warp_size && limits.printf_fifo >= taken_in_time)
            launch.printf_fifo = std::max<std::uint64_t>(limits.printf_fifo, most_kept);
        launch.malloc_heap = limits.malloc_heap;
        launch.files = &request.module->files();
        launch.cancelled = &cancelled_;
        launch.images = request.images;
        launch.uses_heap = program.uses_heap || program.uses_device_runtime;
        launch.stops = request.stops;
        launch.observer = request.observer;
        launch.grid_id = ++launches_;
        launch.timer = timer_;
        if (request.cooperative && program.uses_grid_sync) launch.grid_workspace = fresh_grid_workspace();
        refresh_ranges(launch.reach);
        launch.ranges = &ranges_;
        const auto threads = static_cast<unsigned>(launch.block_threads());
        launch.resident =
            std::uint64_t{profile.multiprocessors} *
            std::max(1u, occupancy(profile, {.threads = threads, .static_shared = launch.shared_bytes}).blocks);
        return launch;
    }

    static void give_shared(const Program& program, const LaunchRequest& request, Launch& launch) {
        launch.dynamic_shared = request.dynamic_shared;
        launch.shared_base = program.shared_base;
        launch.shared_bytes = program.dynamic_shared_at + request.dynamic_shared;
        if (request.dynamic_shared == 0) launch.shared_bytes = program.static_shared;
        if (!program.uses_reserved_shared) return;
        // "1 KB of shared memory is reserved for system use per thread block" from compute capability 8.0 on.
        const std::uint32_t begin = (launch.shared_bytes + 127) / 128 * 128;
        launch.reserved_shared_at = launch.shared_base + begin;
        launch.shared_bytes = begin + 1024;
    }

    void find_order(const LaunchRequest& request, Launch& launch) {
        const Program& program = *launch.program;
        const bool overlap = (launch.stops || launch.grid_blocks() > 1) && pointers_overlap(launch);
        launch.ordered = program.ordered || launch.cluster_blocks() > 1 || (launch.grid_blocks() > 1 && overlap);
        launch.interleaved = launch.ordered && launch.grid_blocks() > 1;
        if (!launch.stops) return;
        launch.ordered = true;
        launch.stops->cancelled = &cancelled_;
        launch.stops->link_unstopped = {};
        // Where what one pointer stores another one may read, the order of warps could show.
        if (!request.cooperative && launch.cluster_blocks() == 1 && !launch.uses_heap && !overlap)
            launch.stops->link_unstopped = [this, module = request.module.get(), &program](const StopChecks& checks) {
                return unstopped_code(*module, program, checks);
            };
    }

    /// cudaLimitStackSize counts what the kernel and its calls take: their .local variables and 16 bytes a call, as an
    /// H200 does. Where PTX shows all calls, the device gives what they need. Parameters of calls, which hardware has
    /// in registers, lie in local memory here: it has room for as many frames as the limit allows.
    static void give_stack(const Program& program, const ExecutorLimits& limits, Launch& launch) {
        launch.local_bytes = program.local_bytes;
        launch.stack_limit = program.stack_bytes;
        if (!program.recursive) return;
        launch.stack_limit =
            std::max<std::uint64_t>(launch.stack_limit, std::min(limits.stack_per_thread, most_local_bytes));
        std::uint64_t frames = 0;
        for (const auto& function : std::span(program.functions).subspan(1))
            frames = std::max(frames, round_up(launch.stack_limit, function->stack_bytes) / function->stack_bytes *
                                          function->local_bytes);
        const std::uint64_t all = program.local_bytes + frames + (program.uses_alloca ? launch.stack_limit : 0);
        launch.local_bytes = static_cast<std::uint32_t>(std::min(round_up(all, 16), most_frames));
    }

    void refresh_ranges(DeviceSet reach) {
        auto view = memory_.snapshot();
        if (view == view_ && reach == reach_) return;
        view_ = std::move(view);
        reach_ = reach;
        ranges_.clear();
        for (const Allocation& allocation : *view_)
            if (allocation.devices & reach)
                ranges_.push_back({allocation.begin, allocation.end(), allocation.host_offset, allocation.read_only});
    }

    /// Whether the kernel writes through one parameter into an allocation that it also reaches through another,
    /// or which a texture reads.
    bool pointers_overlap(const Launch& launch) const {
        auto allocation_of = [&](const PointerParameter& pointer) {
            Address address;
            std::memcpy(&address, &launch.parameters[pointer.offset], sizeof address);
            auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                          [](Address value, const Range& range) { return value < range.begin; });
            return after == ranges_.begin() || std::prev(after)->end < address ? nullptr : &*std::prev(after);
        };
        const auto& pointers = launch.program->pointers;
        for (const PointerParameter& stored : pointers) {
            if (!stored.stored) continue;
            const Range* target = allocation_of(stored);
            if (target && launch.images && launch.images->uses_memory(target->begin, target->end)) return true;
            for (const PointerParameter& other : pointers)
                if (&other != &stored && target && (other.loaded || other.stored) && allocation_of(other) == target)
                    return true;
        }
        return false;
    }

    /// A program launches the same kernel again and again, with the same breakpoints.
    std::shared_ptr<const Program> unstopped_code(const LoadedModule& module, const Program& program,
                                                  const StopChecks& checks) {
        constexpr std::size_t most_kept = 16;
        for (const UnstoppedCode& each : unstopped_codes_)
            if (each.serial == program.serial && each.checks == checks) return each.code;
        auto code = link_unstopped(module, *program.functions.front()->source, checks);
        if (unstopped_codes_.size() == most_kept) unstopped_codes_.pop_front();
        unstopped_codes_.push_back({program.serial, checks, std::move(code)});
        return unstopped_codes_.back().code;
    }

    /// A launch may wait for another one, which then runs in its midst.
    std::unique_ptr<Grid> take_grid() {
        if (idle_grids_.empty()) return std::make_unique<Grid>();
        std::unique_ptr<Grid> grid = std::move(idle_grids_.back());
        idle_grids_.pop_back();
        return grid;
    }

    Address fresh_grid_workspace() {
        if (grid_workspace_) memory_.release(grid_workspace_);
        auto made = memory_.allocate(grid_workspace_bytes, 512, MemoryKind::variable, "the workspace of grid.sync()");
        return grid_workspace_ = made ? made->begin : 0;
    }

    AddressSpace& memory_;
    Tiers tiers_;
    Repeats repeats_{memory_};
    std::atomic<bool> cancelled_{false};
    std::shared_ptr<const std::vector<Allocation>> view_;  ///< that ranges_ was made of, for `reach_`
    DeviceSet reach_ = 0;
    std::vector<Range> ranges_;
    struct UnstoppedCode {
        std::uint64_t serial;  ///< of the program with stops
        StopChecks checks;
        std::shared_ptr<const Program> code;
    };
    std::deque<UnstoppedCode> unstopped_codes_;
    std::uint64_t launches_ = 0, timer_ = 0;
    Address grid_workspace_ = 0;
    std::vector<std::unique_ptr<Grid>> idle_grids_;
};

}  // namespace

std::unique_ptr<Executor> Executor::create(AddressSpace& memory) {
    return create(memory, nullptr, TierPolicy::never);
}

std::unique_ptr<Executor> Executor::create(AddressSpace& memory, MakeCodeGenerator compiler, TierPolicy policy) {
    return std::make_unique<VirtualExecutor>(memory, compiler, policy);
}

}  // namespace cudash::virtual_gpu
