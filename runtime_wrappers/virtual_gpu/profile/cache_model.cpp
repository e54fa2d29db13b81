#include "runtime_wrappers/virtual_gpu/profile/cache_model.h"

#include <algorithm>
#include <bit>

#include "runtime_wrappers/virtual_gpu/model/dram_partitions.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint64_t most_slices = 32;

struct TracePiece {
    std::uint64_t block;
    std::span<const LineTrace::Entry> entries;
};

/// By block, whoever ran them.
std::vector<TracePiece> in_order(std::span<const LineTrace* const> traces) {
    std::vector<TracePiece> pieces;
    for (const LineTrace* trace : traces) {
        const auto& segments = trace->segments();
        for (std::size_t i = 0; i < segments.size(); ++i) {
            const std::size_t end = i + 1 < segments.size() ? segments[i + 1].begin : trace->entries().size();
            if (end == segments[i].begin) continue;
            pieces.push_back(
                {segments[i].block, std::span(trace->entries()).subspan(segments[i].begin, end - segments[i].begin)});
        }
    }
    std::ranges::stable_sort(pieces, {}, &TracePiece::block);
    return pieces;
}

/// The least level at which all traces together keep no more than one of them may.
unsigned common_level(std::span<const LineTrace* const> traces, unsigned at_least) {
    unsigned level = at_least;
    for (const LineTrace* trace : traces) level = std::max(level, trace->level());
    for (;; ++level) {
        std::size_t kept = 0;
        for (const LineTrace* trace : traces)
            kept += static_cast<std::size_t>(std::ranges::count_if(
                trace->entries(), [&](const auto& entry) { return L2Cache::in_sample(entry.line(), level); }));
        if (kept <= LineTrace::most) return level;
    }
}

/// What the sample of lines showed that the traces don't count.
struct Sampled {
    std::uint64_t factor = 1;  ///< lines that one of the sample stands for
    std::uint64_t loads = 0, near_hits = 0;
    std::map<std::uint64_t, std::uint8_t> atomic_sectors{};
};

CacheCounts counts_of(std::span<const LineTrace* const> traces, const Sampled& sampled, const L2Cache::Counts& found,
                      const Profile& profile) {
    CacheCounts counts;
    for (const LineTrace* trace : traces) {
        const LineTrace::Counts& each = trace->counts();
        counts.l1_sectors += each.l1_sectors;
        counts.l1_hits += each.l1_hits;
        counts.l2_reads += each.reads;
        counts.l2_writes += each.writes;
        counts.l2_atomics += each.atomics;
        counts.lines += each.lines;
        counts.partial_writes += each.partial;
    }
    if (sampled.loads != 0) {
        const auto found_near =
            static_cast<std::uint64_t>(static_cast<double>(counts.l2_reads) * static_cast<double>(sampled.near_hits) /
                                       static_cast<double>(sampled.loads));
        counts.l2_reads -= found_near;
        counts.l1_hits += found_near;
    }
    for (const auto& [line, sectors] : sampled.atomic_sectors)
        counts.sectors_of_atomics += sampled.factor * static_cast<unsigned>(std::popcount(sectors));
    // None of their lines is in the sample: there are about as many as one line of it stands for, or fewer.
    if (sampled.atomic_sectors.empty() && counts.l2_atomics != 0) counts.sectors_of_atomics = 4 * sampled.factor;
    counts.sampled = sampled.factor;
    // Devices without an L2 cache (1.x) have all of it from DRAM.
    if (profile.l2_size == 0) {
        counts.dram_reads = counts.l2_reads;
        counts.dram_writes = counts.l2_writes + counts.l2_atomics;
    } else if (found.sectors != 0) {
        // Shares of the sample; the sums are exact.
        const double scale = static_cast<double>(counts.l2_sectors()) / static_cast<double>(found.sectors);
        counts.l2_hits = scaled(found.sector_hits, scale);
        counts.dram_reads = scaled(found.dram_reads, scale);
        counts.dram_writes = scaled(found.dram_writes, scale);
    }
    return counts;
}

}  // namespace

CacheCounts& CacheCounts::operator+=(const CacheCounts& other) {
    l1_sectors += other.l1_sectors;
    l1_hits += other.l1_hits;
    lines += other.lines;
    partial_writes += other.partial_writes;
    sectors_of_atomics += other.sectors_of_atomics;
    l2_reads += other.l2_reads;
    l2_writes += other.l2_writes;
    l2_atomics += other.l2_atomics;
    l2_hits += other.l2_hits;
    dram_reads += other.dram_reads;
    dram_writes += other.dram_writes;
    sampled = std::max(sampled, other.sampled);
    return *this;
}

void CacheCounts::scale(double factor) {
    for (std::uint64_t* const each : {&l1_sectors, &l1_hits, &lines, &partial_writes, &sectors_of_atomics, &l2_reads,
                                      &l2_writes, &l2_atomics, &l2_hits, &dram_reads, &dram_writes})
        *each = scaled(*each, factor);
}

CacheModel::Result CacheModel::follow(std::span<const LineTrace* const> traces, const Profile& profile,
                                      const LaunchContext& context, std::uint64_t blocks, std::uint64_t l1_bytes) {
    const auto cached = caches_.find(context.device);
    if (cached != caches_.end() && cached->second.set_aside != context.set_aside) caches_.erase(cached);
    Device& device = caches_.try_emplace(context.device, L2Cache(profile.l2_size, context.set_aside), context.set_aside)
                         .first->second;
    L2Cache& cache = device.cache;
    const unsigned level = common_level(traces, cache.sample_level());
    cache.sample(level);
    cache.clear_counts();

    Result result;
    const DramPartitions partitions = dram_partitions(profile);
    const std::uint64_t slices = std::min(most_slices, std::max<std::uint64_t>(1, blocks));
    result.partitions.partitions = partitions.count;
    result.partitions.slices.assign(slices, std::vector<std::uint64_t>(partitions.count));
    const std::uint64_t factor = std::uint64_t{1} << level;
    // Blocks go to the multiprocessors in turn. What one of them brought to L1 the next one there may find.
    std::vector<LruLines<std::uint8_t>> near(l1_bytes ? profile.multiprocessors : 0);
    const std::uint64_t near_lines = std::max<std::uint64_t>(1, l1_bytes / L2Cache::line_bytes >> level);
    Sampled sampled{.factor = factor};
    for (const TracePiece& piece : in_order(traces)) {
        auto* const l1 = near.empty() ? nullptr : &near[piece.block % near.size()];
        auto& load =
            result.partitions.slices[std::min(slices - 1, piece.block * slices / std::max<std::uint64_t>(1, blocks))];
        for (const LineTrace::Entry& entry : piece.entries) {
            if (!L2Cache::in_sample(entry.line(), level)) continue;
            const std::uint64_t address = entry.line() * L2Cache::line_bytes;
            const AccessProperty property =
                context.window.bytes ? context.window.property_of(address) : AccessProperty::none;
            const auto sectors = static_cast<unsigned>(std::popcount(entry.sectors()));
            if (entry.kind() == AccessKind::atomic) sampled.atomic_sectors[entry.line()] |= entry.sectors();
            if (entry.kind() == AccessKind::load && l1) {
                sampled.loads += sectors;
                auto* line = l1->find(entry.line());
                if (line && (line->kept & entry.sectors()) == entry.sectors()) {
                    l1->touch(*line);
                    sampled.near_hits += sectors;
                    continue;
                }
                if (!line) {
                    if (l1->size() >= near_lines) l1->evict();
                    line = &l1->insert(entry.line());
                }
                line->kept |= entry.sectors();
            }
            cache.access_sectors(entry.line(), entry.sectors(), entry.bytes(), entry.kind() != AccessKind::load,
                                 property);
            load[partitions.of(address)] += factor * sectors;
        }
    }
    result.counts = counts_of(traces, sampled, cache.counts(), profile);
    CacheContents& contents = result.contents;
    contents.size = profile.l2_size;
    contents.set_aside = context.set_aside;
    contents.normal = factor * cache.bytes(AccessProperty::normal);
    contents.streaming = factor * cache.bytes(AccessProperty::streaming);
    contents.persisting = factor * cache.bytes(AccessProperty::persisting);
    contents.window = context.window;
    if (context.window.bytes) contents.of_window = factor * cache.bytes_of(context.window.base, context.window.bytes);
    return result;
}

void CacheModel::bring_more(const Profile& profile, int device, double times) {
    constexpr std::uint64_t beyond_memory = std::uint64_t{1} << 44;  // lines of no address
    Device& at = caches_.at(device);
    L2Cache& cache = at.cache;
    const unsigned level = cache.sample_level();
    const double lines = static_cast<double>(cache.counts().misses()) * times;
    const double room = static_cast<double>(profile.l2_size / L2Cache::line_bytes >> level);
    auto left = static_cast<std::uint64_t>(std::min(lines, room));
    while (left != 0) {
        const std::uint64_t line = beyond_memory + at.brought++;  // each launch's are others
        if (!L2Cache::in_sample(line, level)) continue;
        cache.access_sectors(line, 0xF, L2Cache::line_bytes, false);
        --left;
    }
}

void CacheModel::reset_persisting(int device) {
    const auto cached = caches_.find(device);
    if (cached != caches_.end()) cached->second.cache.reset_persisting();
}

}  // namespace cudash::virtual_gpu
