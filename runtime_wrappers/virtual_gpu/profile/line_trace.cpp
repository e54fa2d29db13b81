#include "runtime_wrappers/virtual_gpu/profile/line_trace.h"

#include <algorithm>
#include <bit>

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint64_t line_bytes = L2Cache::line_bytes, sector_bytes = 32;

/// Sectors `low` to `high` of a line.
std::uint8_t sectors_between(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint8_t>((0xFu << low) & (0xFu >> (3 - high)));
}

}  // namespace

LineTrace::Counts& LineTrace::Counts::operator+=(const Counts& other) {
    l1_sectors += other.l1_sectors;
    l1_hits += other.l1_hits;
    reads += other.reads;
    writes += other.writes;
    atomics += other.atomics;
    lines += other.lines;
    partial += other.partial;
    return *this;
}

void LineTrace::begin(std::uint64_t l1_bytes, bool whole_lines) {
    const std::uint64_t sets = l1_bytes / line_bytes / ways;
    cached_ = sets != 0;
    set_mask_ = cached_ ? std::bit_floor(sets) - 1 : 0;
    whole_lines_ = whole_lines;
    l1_.assign((set_mask_ + 1) * ways, {});
    blocks_ = 0;
    counts_ = {};
    level_ = 0;
    segments_.clear();
    entries_.clear();
}

void LineTrace::block_begins(std::uint64_t block) {
    ++blocks_;
    segments_.push_back({block, entries_.size()});
}

void LineTrace::ask_l2(std::uint64_t line, std::uint8_t sectors, std::uint32_t bytes, AccessKind kind,
                       std::uint32_t times) {
    const std::uint64_t sum = std::uint64_t{times} * static_cast<unsigned>(std::popcount(sectors));
    (kind == AccessKind::load ? counts_.reads : kind == AccessKind::store ? counts_.writes : counts_.atomics) += sum;
    if (kind == AccessKind::store && bytes < sector_bytes * static_cast<unsigned>(std::popcount(sectors)))
        counts_.partial += sum;
    if (!L2Cache::in_sample(line, level_)) return;
    entries_.push_back(Entry::of(line, sectors, std::min<std::uint32_t>(bytes, line_bytes), kind));
    if (entries_.size() > most) thin();
}

void LineTrace::thin() {
    ++level_;
    std::size_t kept = 0, segment = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        while (segment < segments_.size() && segments_[segment].begin == i) segments_[segment++].begin = kept;
        if (L2Cache::in_sample(entries_[i].line(), level_)) entries_[kept++] = entries_[i];
    }
    while (segment < segments_.size()) segments_[segment++].begin = kept;
    entries_.resize(kept);
}

void LineTrace::piece(std::uint64_t line, std::uint8_t sectors, std::uint32_t bytes, AccessKind kind,
                      std::uint32_t times) {
    counts_.lines += times;
    if (kind != AccessKind::load) return ask_l2(line, sectors, bytes, kind, times);
    const auto looked_up = static_cast<unsigned>(std::popcount(sectors));
    counts_.l1_sectors += std::uint64_t{times} * looked_up;
    if (!cached_) return ask_l2(line, sectors, bytes, kind, times);
    Place* const set = &l1_[((line ^ line >> 7) & set_mask_) * ways];
    const auto holds = [&](const Place& place) { return place.line == line && place.block == blocks_; };
    if (holds(set[0]) && (sectors & ~set[0].filled) == 0) {  // as usual
        counts_.l1_hits += std::uint64_t{times} * looked_up;
        return;
    }
    unsigned way = 0;
    while (way < ways && !holds(set[way])) ++way;
    Place place = way < ways ? set[way] : Place{line, blocks_, 0};
    // Most recently used first.
    for (unsigned i = std::min(way, ways - 1); i > 0; --i) set[i] = set[i - 1];
    const auto missing = static_cast<std::uint8_t>(sectors & ~place.filled);
    place.filled |= whole_lines_ ? std::uint8_t{0xF} : sectors;
    set[0] = place;
    counts_.l1_hits += std::uint64_t{times} * looked_up - static_cast<unsigned>(std::popcount(missing));
    if (missing) ask_l2(line, whole_lines_ ? std::uint8_t{0xF} : missing, bytes, kind, 1);
}

void LineTrace::range(std::uint64_t low, std::uint64_t high, AccessKind kind, std::uint32_t times) {
    const std::uint64_t first = low / line_bytes, last = high / line_bytes;
    for (std::uint64_t line = first; line <= last; ++line) {
        const std::uint64_t from = line == first ? low % line_bytes / sector_bytes : 0;
        const std::uint64_t to = line == last ? high % line_bytes / sector_bytes : 3;
        const std::uint64_t begin = std::max(low, line * line_bytes), end = std::min(high + 1, (line + 1) * line_bytes);
        piece(line, sectors_between(from, to), static_cast<std::uint32_t>(end - begin), kind, times);
    }
}

void LineTrace::progression(std::uint64_t first, std::int64_t half, std::int64_t step, std::uint32_t size,
                            std::uint32_t mask, AccessKind kind, std::uint32_t times) {
    // Neighbours that are at most a sector apart leave none out.
    const bool dense = step >= 0 && step <= static_cast<std::int64_t>(sector_bytes) &&
                       (kind == AccessKind::load || step <= static_cast<std::int64_t>(size));
    if (mask == ~0u && dense) {
        const std::uint64_t span = 15 * static_cast<std::uint64_t>(step) + size - 1;
        if (half == 16 * step)
            return range(first, first + 2 * span - size + 1 + static_cast<std::uint64_t>(step), kind, times);
        range(first, first + span, kind, times);
        if (half != 0)
            range(first + static_cast<std::uint64_t>(half), first + static_cast<std::uint64_t>(half) + span, kind,
                  times);
        return;
    }
    // Columns that are stored: each lane has a line of its own, and few of them are in a sample.
    const bool apart = step >= static_cast<std::int64_t>(line_bytes) || step <= -static_cast<std::int64_t>(line_bytes);
    if (kind == AccessKind::store && mask == ~0u && apart && size < sector_bytes &&
        (first + static_cast<std::uint64_t>(15 * step)) / line_bytes !=
            (first + static_cast<std::uint64_t>(half)) / line_bytes) {
        counts_.lines += std::uint64_t{times} * lanes_per_warp;
        counts_.writes += std::uint64_t{times} * lanes_per_warp;
        counts_.partial += std::uint64_t{times} * lanes_per_warp;
        for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
            const std::uint64_t low = first + static_cast<std::uint64_t>(lane / 16 * half + lane % 16 * step);
            if (!L2Cache::in_sample(low / line_bytes, level_)) continue;
            const std::uint64_t sector = low % line_bytes / sector_bytes;
            for (std::uint32_t k = 0; k < times; ++k) {
                entries_.push_back(Entry::of(low / line_bytes, static_cast<std::uint8_t>(1u << sector), size, kind));
                if (entries_.size() > most) thin();
            }
        }
        return;
    }
    std::uint64_t addresses[lanes_per_warp];
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
        addresses[lane] = first + static_cast<std::uint64_t>(lane / 16 * half + lane % 16 * step);
    scattered(addresses, mask, size, kind);
    if (times > 1) {
        // The other warps find in L1 what the first one fetched; their stores go to L2 as well.
        for (std::uint32_t k = 1; k < times; ++k) scattered(addresses, mask, size, kind);
    }
}

void LineTrace::scattered(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t size, AccessKind kind) {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint8_t sectors = 0;
    std::uint32_t bytes = 0;
    for_each_active_lane(mask, [&](unsigned lane) {
        const std::uint64_t low = addresses[lane], high = low + size - 1;
        if (low / line_bytes != line) {
            if (sectors) piece(line, sectors, bytes, kind, 1);
            line = low / line_bytes;
            sectors = 0;
            bytes = 0;
        }
        bytes += size;
        // Accesses are aligned: none crosses a line.
        sectors |= sectors_between(low % line_bytes / sector_bytes, high % line_bytes / sector_bytes);
    });
    if (sectors) piece(line, sectors, bytes, kind, 1);
}

}  // namespace cudash::virtual_gpu
