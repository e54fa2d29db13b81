#include "runtime_wrappers/virtual_gpu/profile/collector.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime_wrappers/virtual_gpu/check/findings.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_cost.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"
#include "runtime_wrappers/virtual_gpu/profile/collector_share.h"
#include "runtime_wrappers/virtual_gpu/profile/launch_time.h"
#include "runtime_wrappers/virtual_gpu/profile/register_numbers.h"
#include "runtime_wrappers/virtual_gpu/ptx/printer.h"

namespace cudash::virtual_gpu {

void Collector::plan(std::uint64_t until) {
    std::lock_guard lock(mutex_);
    if (planned_) return;  // the launch's second half has a plan of its own
    until_ = until;
    planned_ = true;
}

Collector::Collector() = default;
Collector::~Collector() = default;

std::optional<LaunchProfile> Collector::take() {
    return std::exchange(last_, std::nullopt);
}

std::uint64_t Collector::l1_bytes() const {
    const Profile& device = *launch_->profile;
    return device.cc_major >= 6 || loads_in_l1(device, LoadCaching::by_default) ? on_chip_.l1 : 0;
}

void Collector::launch_begins(const Launch& launch) {
    launch_ = &launch;
    last_.reset();
    until_.reset();
    planned_ = !time_only_ || launch.grid_blocks() < least_counted_in_part;
    const auto threads = static_cast<unsigned>(launch.block_threads());
    BlockResources resources{.threads = threads, .registers_per_thread = context_.registers};
    resources.static_shared = launch.shared_bytes - launch.dynamic_shared;
    resources.dynamic_shared = launch.dynamic_shared;
    occupancy_ = occupancy(*launch.profile, resources);
    on_chip_ = default_split(*launch.profile, launch.shared_bytes, occupancy_.blocks);
}

Observer* Collector::for_worker(std::size_t index) {
    std::lock_guard lock(mutex_);
    if (shares_.size() <= index) shares_.resize(index + 1);
    if (!shares_[index]) shares_[index] = std::make_unique<Share>(*this);
    // Blocks that are resident together share the cache, those of a small grid among fewer.
    const std::uint64_t resident = std::min<std::uint64_t>(
        std::max(1u, occupancy_.blocks),
        (launch_->grid_blocks() + launch_->profile->multiprocessors - 1) / launch_->profile->multiprocessors);
    shares_[index]->begin(*launch_, l1_bytes() / std::max<std::uint64_t>(1, resident));
    return shares_[index].get();
}

namespace {

/// Puts the shares together, by function and instruction.
class Sum {
public:
    explicit Sum(const Launch& launch) : launch_(launch) {
        profile_.kernel = readable_kernel(launch.kernel);
        profile_.grid = launch.grid;
        profile_.block = launch.block;
        profile_.shared_bytes = launch.shared_bytes;
        profile_.dynamic_shared = launch.dynamic_shared;
        profile_.device = *launch.profile;
        profile_.program = launch.program->serial;
        // The functions of the program in its order: the same whoever executed them first.
        for (const auto& code : launch.program->functions) add_function(*code);
    }

    void add(const ExecutionCounts& counts) {
        for (const ExecutionCounts::Function& function : counts.functions()) {
            const auto places = by_ordinal_.find(function.code);
            if (places == by_ordinal_.end()) continue;
            std::uint64_t warps = 0, threads = 0;
            for (std::size_t ordinal = 0; ordinal < places->second.size(); ++ordinal) {
                warps += function.warps[ordinal];
                threads += function.threads[ordinal];
                LaunchProfile::Instruction& at = profile_.instructions[places->second[ordinal]];
                at.warps += warps;
                at.threads += threads;
                at.diverged += function.diverged[ordinal];
            }
        }
    }
    void add(const SiteTraffic& site) {
        auto found = sites_.find(site.key);
        if (found == sites_.end()) {
            sites_.emplace(site.key, site);
            return;
        }
        found->second.traffic += site.traffic;
        if (site.worst_cost != 0) keep_worse(found->second, site.worst_cost, site.worst, site.worst_at);
    }

    LaunchProfile take() {
        for (const auto& [key, site] : sites_) {
            const auto instruction = by_index_.find({key.code, key.index});
            if (instruction == by_index_.end()) continue;
            profile_.accesses.push_back(
                {instruction->second, key.space, key.kind, key.size, site.traffic, site.worst, site.worst_at});
        }
        std::ranges::sort(profile_.accesses, [](const auto& a, const auto& b) {
            return std::tie(a.instruction, a.space, a.kind, a.size) < std::tie(b.instruction, b.space, b.kind, b.size);
        });
        return std::move(profile_);
    }

private:
    void add_function(const Code& code) {
        std::vector<std::uint32_t>& places = by_ordinal_[&code];
        registers_.next_function();
        const std::uint32_t plain =
            code.steady_at ? code.steady_at : static_cast<std::uint32_t>(code.instructions.size());
        for (std::uint32_t index = 0; index < plain; ++index) {
            const ptx::Instruction* written = code.written[index];
            if (!written) continue;
            const auto number = static_cast<std::uint32_t>(profile_.instructions.size());
            places.push_back(number);
            by_index_[{&code, index}] = number;
            LaunchProfile::Instruction& made = profile_.instructions.emplace_back();
            made.function = readable_kernel(code.name);
            made.text = ptx::print(*written);
            made.where = spot_of(code, index);
            made.cost = cost_of(*written);
            registers_.add(*written, made);
            const Control control = behavior_of(*written).control;
            made.branch = control == Control::branch || control == Control::indexed_branch;
        }
    }

    /// `.loc 1 0 0` says that what follows is of no line; where there is no .loc at all, PTX is the source.
    SourceSpot spot_of(const Code& code, std::uint32_t index) const {
        const ptx::Location& location = code.locations[index];
        if (location.line == 0 && location.file != 0) return {};
        return author_spot(launch_, code, &code.instructions[index]);
    }

    const Launch& launch_;
    LaunchProfile profile_;
    RegisterNumbers registers_;
    std::map<const Code*, std::vector<std::uint32_t>> by_ordinal_;
    std::map<std::pair<const Code*, std::uint32_t>, std::uint32_t> by_index_;
    std::map<SiteKey, SiteTraffic> sites_;
};

}  // namespace

std::vector<Diagnostic> Collector::launch_ends() {
    Sum sum(*launch_);
    Asked asked{{}, {}, 1, l1_bytes()};
    std::uint64_t counted = 0, of_first = 0;
    for (const auto& share : shares_) {
        if (!share || !share->used()) continue;
        share->finish();
        sum.add(share->counts());
        for (const SiteTraffic& site : share->sites()) sum.add(site);
        counted += share->counts().warp_instructions();
        asked.others.push_back(&share->trace());
        if (!share->first_trace()) continue;
        asked.first.push_back(share->first_trace());
        of_first += share->of_first_blocks();
    }
    last_ = sum.take();
    if (!asked.first.empty() && of_first < counted && counted < launch_->executed) {
        const auto share_of = [](std::uint64_t all, std::uint64_t part) {
            return static_cast<double>(all) / static_cast<double>(part);
        };
        last_->scale(share_of(launch_->executed, counted));
        asked.stand_for = share_of(launch_->executed - of_first, counted - of_first);
    } else {
        asked.others.insert(asked.others.end(), asked.first.begin(), asked.first.end());
        asked.first.clear();
    }
    last_->context = context_;
    last_->occupancy = occupancy_;
    last_->on_chip = on_chip_;
    follow_caches(*last_, asked);
    if (!key_.empty()) {
        if (kept_.size() >= most_kept) kept_.clear();
        Kept& kept = kept_[std::exchange(key_, {})];
        kept = {*last_, {}, {}, asked.stand_for, asked.l1_bytes};
        for (const LineTrace* trace : asked.first) kept.first.push_back(*trace);
        for (const LineTrace* trace : asked.others) kept.others.push_back(*trace);
    }
    return {};
}

void Collector::follow_caches(LaunchProfile& launch, const Asked& asked) {
    const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    const auto follow = [&](const Traces& traces) {
        return caches_.follow(traces, launch.device, launch.context, blocks, asked.l1_bytes);
    };
    CacheCounts first;
    if (!asked.first.empty()) first = follow(asked.first).counts;
    CacheModel::Result found = follow(asked.others);
    launch.caches = found.counts;
    if (!asked.first.empty()) {
        launch.caches.scale(asked.stand_for);
        launch.caches += first;
        caches_.bring_more(launch.device, launch.context.device, asked.stand_for - 1);
    }
    launch.l2 = found.contents;
    launch.partitions = std::move(found.partitions);
    launch.time = time_of(launch, launch.device);
}

std::optional<KernelTime> Collector::time_again(const std::string& key) {
    const auto known = kept_.find(key);
    if (known == kept_.end()) return std::nullopt;
    Kept& kept = known->second;
    Asked asked{{}, {}, kept.stand_for, kept.l1_bytes};
    for (const LineTrace& trace : kept.first) asked.first.push_back(&trace);
    for (const LineTrace& trace : kept.others) asked.others.push_back(&trace);
    kept.launch.context = context_;
    follow_caches(kept.launch, asked);
    return kept.launch.time;
}

}  // namespace cudash::virtual_gpu
