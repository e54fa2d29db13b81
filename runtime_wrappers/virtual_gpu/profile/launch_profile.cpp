#include "runtime_wrappers/virtual_gpu/profile/launch_profile.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace cudash::virtual_gpu {

bool LaunchProfile::is_like(const LaunchProfile& other) const {
    return program == other.program && kernel == other.kernel && grid == other.grid && block == other.block &&
           shared_bytes == other.shared_bytes && device.name == other.device.name &&
           context.chosen == other.context.chosen && instructions.size() == other.instructions.size();
}

void LaunchProfile::add(const LaunchProfile& other) {
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        instructions[i].warps += other.instructions[i].warps;
        instructions[i].threads += other.instructions[i].threads;
        instructions[i].diverged += other.instructions[i].diverged;
    }
    caches += other.caches;
    l2 = other.l2;
    partitions = other.partitions;
    time.nanoseconds += other.time.nanoseconds;
    const auto key = [](const Access& each) { return std::tie(each.instruction, each.space, each.kind, each.size); };
    for (const Access& each : other.accesses) {
        const auto place = std::ranges::lower_bound(accesses, key(each), {}, key);
        if (place != accesses.end() && key(*place) == key(each)) {
            place->traffic += each.traffic;
        } else {
            accesses.insert(place, each);
        }
    }
}

void LaunchProfile::scale(double factor) {
    for (Instruction& each : instructions) {
        each.warps = scaled(each.warps, factor);
        each.threads = scaled(each.threads, factor);
        each.diverged = scaled(each.diverged, factor);
    }
    for (Access& each : accesses) each.traffic.scale(factor);
}

void Counters::add(const Counters& other) {
    warps += other.warps;
    threads += other.threads;
    branches += other.branches;
    diverged += other.diverged;
    local_accesses += other.local_accesses;
    caches += other.caches;
    for (std::size_t kind = 0; kind < 3; ++kind) {
        global[kind].requests += other.global[kind].requests;
        global[kind].transactions += other.global[kind].transactions;
        global[kind].sectors += other.global[kind].sectors;
        global[kind].ideal_sectors += other.global[kind].ideal_sectors;
        global[kind].threads += other.global[kind].threads;
        shared[kind].accesses += other.shared[kind].accesses;
        shared[kind].wavefronts += other.shared[kind].wavefronts;
        shared[kind].ideal += other.shared[kind].ideal;
        shared[kind].threads += other.shared[kind].threads;
    }
}

void Counters::add(const LaunchProfile::Instruction& instruction) {
    warps += instruction.warps;
    threads += instruction.threads;
    if (!instruction.branch) return;
    branches += instruction.warps;
    diverged += instruction.diverged;
}

void Counters::add(const LaunchProfile::Access& access, const Profile& device, const PriceOptions& options) {
    const auto kind = static_cast<std::size_t>(access.kind);
    const Traffic& traffic = access.traffic;
    switch (access.space) {
        case MemorySpace::local:
            local_accesses += traffic.accesses;
            return;
        case MemorySpace::global: {
            const GlobalRule rule = global_rule(device, access.kind != AccessKind::load, options.caching);
            const GlobalCost& cost = traffic.global[static_cast<std::size_t>(rule)];
            Global& sum = global[kind];
            sum.requests += cost.requests;
            sum.transactions += cost.transactions;
            sum.sectors += cost.sectors;
            sum.ideal_sectors += traffic.ideal_sectors;
            sum.threads += traffic.threads;
            return;
        }
        case MemorySpace::shared: {
            const SharedCost& cost = traffic.shared[static_cast<std::size_t>(shared_rule(device, options.bank_size))];
            Shared& sum = shared[kind];
            sum.accesses += traffic.accesses;
            sum.wavefronts += cost.wavefronts;
            sum.ideal += cost.ideal;
            sum.threads += traffic.threads;
            return;
        }
    }
}

Counters count(const LaunchProfile& launch, const Profile& device, const PriceOptions& options) {
    Counters sum;
    for (const auto& each : launch.instructions) sum.add(each);
    for (const auto& each : launch.accesses) sum.add(each, device, options);
    if (device.name == launch.device.name) sum.caches = launch.caches;
    return sum;
}

std::vector<Counters> count_instructions(const LaunchProfile& launch, const Profile& device) {
    std::vector<Counters> counters(launch.instructions.size());
    for (std::size_t i = 0; i < counters.size(); ++i) counters[i].add(launch.instructions[i]);
    for (const auto& each : launch.accesses) counters[each.instruction].add(each, device, launch.context.chosen);
    return counters;
}

std::vector<LineCounters> count_lines(const LaunchProfile& launch, const Profile& device) {
    std::map<std::pair<std::string, unsigned>, Counters> lines;
    const auto line_of = [&](const LaunchProfile::Instruction& each) -> Counters& {
        return lines[{each.where.line ? each.where.file : std::string(), each.where.line}];
    };
    for (const auto& each : launch.instructions) line_of(each).add(each);
    for (const auto& each : launch.accesses)
        line_of(launch.instructions[each.instruction]).add(each, device, launch.context.chosen);
    std::vector<LineCounters> result;
    for (const auto& [place, counters] : lines) result.push_back({{place.first, place.second, 0}, counters});
    return result;
}

}  // namespace cudash::virtual_gpu
