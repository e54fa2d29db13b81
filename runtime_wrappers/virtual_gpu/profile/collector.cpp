#include "runtime_wrappers/virtual_gpu/profile/collector.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "runtime_wrappers/virtual_gpu/check/findings.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_cost.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"
#include "runtime_wrappers/virtual_gpu/profile/launch_time.h"
#include "runtime_wrappers/virtual_gpu/profile/register_numbers.h"
#include "runtime_wrappers/virtual_gpu/ptx/printer.h"

namespace cudash::virtual_gpu {
namespace {

/// An instruction as one kind of access to one space; `index`: of its plain form.
struct SiteKey {
    const Code* code = nullptr;
    std::uint32_t index = 0;
    MemorySpace space = MemorySpace::global;
    AccessKind kind = AccessKind::load;
    std::uint32_t size = 0;
    friend bool operator==(const SiteKey&, const SiteKey&) = default;
    friend auto operator<=>(const SiteKey&, const SiteKey&) = default;
};

struct SiteTraffic {
    SiteKey key;
    Traffic traffic;
    std::uint64_t worst_cost = 0;
    WarpAccess worst;
    AccessOrigin worst_at;
};

/// Constants come through a cache of their own, and parameters of calls are registers on hardware.
bool is_counted(const Code& code, std::uint32_t index) {
    const ptx::Instruction* written = code.written[index];
    if (!written) return false;
    const ParsedModifiers modifiers = parse_modifiers(written->modifiers);
    return std::ranges::none_of(
        modifiers.spaces, [](ptx::Space space) { return space == ptx::Space::constant || space == ptx::Space::param; });
}

void keep_worse(SiteTraffic& site, std::uint64_t cost, const WarpAccess& access, const AccessOrigin& origin) {
    if (cost < site.worst_cost || (cost == site.worst_cost && !origin.is_before(site.worst_at))) return;
    site.worst_cost = cost;
    site.worst = access;
    site.worst_at = origin;
}

}  // namespace

/// What one host thread sees.
class Collector::Share final : public Observer {
public:
    Share() : patterns_([this](const AccessPatterns::Pattern& pattern) { price(pattern); }) { takes_blocks = true; }

    /// For another launch.
    void begin(const Launch& launch, std::uint64_t l1_bytes) {
        device_ = launch.profile;
        trace_.begin(l1_bytes, launch.profile->cc_major < 5);
        counts_ = {};
        by_cache_.clear();
        known_.clear();
        sites_.clear();
        used_ = true;
    }
    /// False: no blocks of this launch.
    bool used() const { return used_; }

    void finish() {
        patterns_.flush();
        used_ = false;
    }
    std::deque<SiteTraffic>& sites() { return sites_; }
    const ExecutionCounts& counts() const { return counts_; }
    const LineTrace& trace() const { return trace_; }

    ExecutionCounts* execution_counts() override { return &counts_; }
    void launch_begins(const Launch&) override {}
    std::vector<Diagnostic> launch_ends() override { return {}; }
    bool wants_block() override { return true; }
    void block_begins(std::uint64_t block, std::uint32_t, std::uint32_t) override {
        number_ = 0;
        trace_.block_begins(block);
    }
    void block_ends(std::uint64_t, bool) override {}
    void access(const AccessRecord& record) override;
    void block_access(const BlockAccessRecord& record) override;
    void arrives(const PlaceRecord&, unsigned, bool) override {}
    void barrier_completes(std::uint64_t, unsigned) override {}
    void all_pass_barrier(std::uint64_t) override {}
    void collective(const CollectiveRecord&) override {}
    void shuffle_from_outside(const ShuffleRecord&) override {}
    void fence(const PlaceRecord&) override {}
    void async_copy(const PlaceRecord&, AsyncCopy, std::uint64_t) override {}

private:
    static constexpr std::uint32_t not_counted = ~0u, most_direct = 1 << 16;
    struct Entry {
        const Instruction* instruction = nullptr;
        SiteKey key;
        std::uint32_t site = not_counted;
    };

    static MemorySpace space_at(ptx::Space written, std::uint64_t address) {
        if (written == ptx::Space::shared) return MemorySpace::shared;
        if (written == ptx::Space::local) return MemorySpace::local;
        if (written == ptx::Space::none) {
            if (in_window(address, shared_window)) return MemorySpace::shared;
            if (in_window(address, local_window)) return MemorySpace::local;
        }
        return MemorySpace::global;
    }

    template <class Record>
    std::uint32_t site_of(const Record& record, MemorySpace space) {
        const std::uint32_t direct = record.instruction->cache;
        if (direct < by_cache_.size()) {
            const Entry& known = by_cache_[direct];
            if (known.instruction == record.instruction && known.key.space == space && known.key.kind == record.kind &&
                known.key.size == record.size)
                return known.site;
        }
        return find_site(*record.code, record.instruction, {nullptr, 0, space, record.kind, record.size});
    }
    std::uint32_t find_site(const Code& code, const Instruction* instruction, SiteKey key);
    /// Lanes of `mask` access one space.
    void access_within(const AccessRecord& record, std::uint32_t mask, MemorySpace space);
    void price(const AccessPatterns::Pattern& pattern);

    AccessPatterns patterns_;
    LineTrace trace_;
    const Profile* device_ = nullptr;
    bool used_ = false;
    ExecutionCounts counts_;
    std::uint64_t number_ = 0;
    std::vector<Entry> by_cache_;
    std::map<SiteKey, std::uint32_t> known_;
    std::deque<SiteTraffic> sites_;
};

std::uint32_t Collector::Share::find_site(const Code& code, const Instruction* instruction, SiteKey key) {
    key.code = &code;
    key.index = code.index_of(instruction);
    auto found = known_.find(key);
    if (found == known_.end()) {
        std::uint32_t site = not_counted;
        if (is_counted(code, key.index)) {
            site = static_cast<std::uint32_t>(sites_.size());
            sites_.emplace_back().key = key;
        }
        found = known_.emplace(key, site).first;
    }
    const std::uint32_t direct = instruction->cache;
    if (direct < most_direct) {
        if (direct >= by_cache_.size()) by_cache_.resize(direct + 1);
        by_cache_[direct] = {instruction, key, found->second};
    }
    return found->second;
}

void Collector::Share::access(const AccessRecord& record) {
    if (record.mask == 0) return;
    const auto lowest = static_cast<unsigned>(std::countr_zero(record.mask));
    const MemorySpace space = space_at(record.space, record.address(lowest));
    if (record.space != ptx::Space::none || !record.addresses) return access_within(record, record.mask, space);
    // Generic addresses of one access may be of several spaces.
    std::uint32_t left = record.mask;
    while (left != 0) {
        const MemorySpace first = space_at(record.space, record.address(static_cast<unsigned>(std::countr_zero(left))));
        std::uint32_t same = 0;
        for_each_active_lane(left, [&](unsigned lane) {
            same |= std::uint32_t{space_at(record.space, record.address(lane)) == first} << lane;
        });
        access_within(record, same, first);
        left &= ~same;
    }
}

void Collector::Share::access_within(const AccessRecord& record, std::uint32_t mask, MemorySpace space) {
    const std::uint32_t site = site_of(record, space);
    if (site == not_counted) return;
    const AccessOrigin origin{record.block, number_++, record.warp};
    if (space == MemorySpace::local) {
        Traffic& traffic = sites_[site].traffic;
        ++traffic.accesses;
        traffic.threads += static_cast<unsigned>(std::popcount(mask));
        return;
    }
    if (!record.addresses) {
        if (space == MemorySpace::global)
            trace_.progression(record.first[0], static_cast<std::int64_t>(record.first[1] - record.first[0]),
                               record.step, record.size, mask, record.kind);
        patterns_.add_progression(site, record.size, mask, record.first[0],
                                  static_cast<std::int64_t>(record.first[1] - record.first[0]), record.step, 1, origin);
        return;
    }
    if (space == MemorySpace::global) trace_.scattered(record.addresses, mask, record.size, record.kind);
    WarpAccess access;
    std::copy_n(record.addresses, lanes_per_warp, access.addresses.begin());
    access.mask = mask;
    access.size = record.size;
    patterns_.add(site, access, origin);
}

void Collector::Share::block_access(const BlockAccessRecord& record) {
    const MemorySpace space = space_at(record.space, record.first);
    const std::uint32_t site = site_of(record, space);
    if (site == not_counted) return;
    const std::uint32_t warps = record.last_warp - record.first_warp + 1;
    const auto at = [&](std::uint32_t k) { return record.first + k * static_cast<std::uint64_t>(record.warp); };
    if (space == MemorySpace::global) trace_.block(record);
    if (!record.masks && static_cast<std::uint64_t>(record.warp) % AccessPatterns::period == 0) {
        patterns_.add_progression(site, record.size, ~0u, at(record.first_warp), record.half, record.step, warps,
                                  {record.block, number_, record.first_warp});
        number_ += warps;
        return;
    }
    for (std::uint32_t k = record.first_warp; k <= record.last_warp; ++k) {
        const std::uint32_t mask = record.masks ? record.masks[k] : ~0u;
        if (mask == 0) continue;
        patterns_.add_progression(site, record.size, mask, at(k), record.half, record.step, 1,
                                  {record.block, number_++, k});
    }
}

void Collector::Share::price(const AccessPatterns::Pattern& pattern) {
    SiteTraffic& site = sites_[pattern.site];
    WarpAccess access = pattern.access;
    access.store = site.key.kind != AccessKind::load;
    std::uint64_t cost = 0;
    if (site.key.space == MemorySpace::shared) {
        const auto rule = static_cast<std::size_t>(shared_rule(*device_));
        cost = site.traffic.add_shared(access, pattern.times)[rule].wavefronts;
    } else {
        const auto rule = static_cast<std::size_t>(global_rule(*device_, access.store));
        cost = site.traffic.add_global(access, pattern.times)[rule].sectors;
    }
    keep_worse(site, cost, access, pattern.origin);
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
    if (!shares_[index]) shares_[index] = std::make_unique<Share>();
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
    std::vector<const LineTrace*> traces;
    for (const auto& share : shares_) {
        if (!share || !share->used()) continue;
        share->finish();
        sum.add(share->counts());
        for (const SiteTraffic& site : share->sites()) sum.add(site);
        traces.push_back(&share->trace());
    }
    last_ = sum.take();
    last_->context = context_;
    last_->occupancy = occupancy_;
    last_->on_chip = on_chip_;
    follow_caches(*last_, traces, l1_bytes());
    if (!key_.empty()) {
        if (kept_.size() >= most_kept) kept_.clear();
        Kept& kept = kept_[std::exchange(key_, {})];
        kept = {*last_, {}, l1_bytes()};
        for (const LineTrace* trace : traces) kept.traces.push_back(*trace);
    }
    return {};
}

void Collector::follow_caches(LaunchProfile& launch, std::span<const LineTrace* const> traces, std::uint64_t l1_bytes) {
    const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    CacheModel::Result found = caches_.follow(traces, launch.device, launch.context, blocks, l1_bytes);
    launch.caches = found.counts;
    launch.l2 = found.contents;
    launch.partitions = std::move(found.partitions);
    launch.time = time_of(launch, launch.device);
}

std::optional<KernelTime> Collector::time_again(const std::string& key) {
    const auto known = kept_.find(key);
    if (known == kept_.end()) return std::nullopt;
    Kept& kept = known->second;
    std::vector<const LineTrace*> traces;
    for (const LineTrace& trace : kept.traces) traces.push_back(&trace);
    kept.launch.context = context_;
    follow_caches(kept.launch, traces, kept.l1_bytes);
    return kept.launch.time;
}

}  // namespace cudash::virtual_gpu
