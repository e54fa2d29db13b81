#include "runtime_wrappers/virtual_gpu/profile/line_trace.h"

#include <algorithm>
#include <bit>

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint64_t line_bytes = L2Cache::line_bytes, sector_bytes = 32;

unsigned count_of(std::uint8_t sectors) {
    constexpr std::uint8_t counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return counts[sectors & 0xF];
}

/// Neighbours that are at most a sector apart leave none out.
bool is_dense(std::int64_t step, std::uint32_t size, AccessKind kind) {
    return step >= 0 && step <= static_cast<std::int64_t>(sector_bytes) &&
           (kind == AccessKind::load || step <= static_cast<std::int64_t>(size));
}

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
    l1_.assign(set_mask_ + 1, {});
    clock_ = began_ = newest_gone_ = 0;
    repeats_ = {};
    counts_ = {};
    level_ = 0;
    segments_.clear();
    entries_.clear();
}

void LineTrace::block_begins(std::uint64_t block) {
    began_ = ++clock_;
    segments_.push_back({block, entries_.size()});
}

void LineTrace::ask_l2(std::uint64_t line, std::uint8_t sectors, std::uint32_t bytes, AccessKind kind,
                       std::uint32_t times) {
    const std::uint64_t sum = std::uint64_t{times} * count_of(sectors);
    (kind == AccessKind::load ? counts_.reads : kind == AccessKind::store ? counts_.writes : counts_.atomics) += sum;
    if (kind == AccessKind::store && bytes < sector_bytes * count_of(sectors)) counts_.partial += sum;
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
    const unsigned looked_up = count_of(sectors);
    counts_.l1_sectors += std::uint64_t{times} * looked_up;
    if (!cached_) return ask_l2(line, sectors, bytes, kind, times);
    const std::uint64_t number = (line ^ line >> 7) & set_mask_;
    for (std::uint64_t& touched : touched_) touched |= std::uint64_t{1} << number % 64;
    Set& set = l1_[number];
    unsigned way = 0;
    for (unsigned k = 1; k < ways; ++k) way = set.line[k] == line ? k : way;
    std::uint8_t filled = 0;
    if (set.line[way] == line && set.used[way] >> 4 > began_) {
        filled = set.used[way] & 0xF;
    } else {
        if (set.line[way] != line) way = static_cast<unsigned>(std::ranges::min_element(set.used) - set.used.begin());
        newest_gone_ = std::max(newest_gone_, set.used[way] >> 4);
        set.line[way] = line;
    }
    const auto missing = static_cast<std::uint8_t>(sectors & ~filled);
    set.used[way] = ++clock_ << 4 | filled | (whole_lines_ ? 0xF : sectors);
    counts_.l1_hits += std::uint64_t{times} * looked_up - count_of(missing);
    if (missing) ask_l2(line, whole_lines_ ? std::uint8_t{0xF} : missing, bytes, kind, 1);
}

void LineTrace::range(std::uint64_t low, std::uint64_t high, AccessKind kind, std::uint32_t times) {
    const std::uint64_t first = low / line_bytes, last = high / line_bytes;
    if (first == last)
        return piece(first, sectors_between(low % line_bytes / sector_bytes, high % line_bytes / sector_bytes),
                     static_cast<std::uint32_t>(high - low + 1), kind, times);
    for (std::uint64_t line = first; line <= last; ++line) {
        const std::uint64_t from = line == first ? low % line_bytes / sector_bytes : 0;
        const std::uint64_t to = line == last ? high % line_bytes / sector_bytes : 3;
        const std::uint64_t begin = std::max(low, line * line_bytes), end = std::min(high + 1, (line + 1) * line_bytes);
        piece(line, sectors_between(from, to), static_cast<std::uint32_t>(end - begin), kind, times);
    }
}

void LineTrace::progression(std::uint64_t first, std::int64_t half, std::int64_t step, std::uint32_t size,
                            std::uint32_t mask, AccessKind kind, std::uint32_t times) {
    if (mask == ~0u && is_dense(step, size, kind)) {
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

void LineTrace::each_warp(const BlockAccessRecord& record) {
    for (std::uint32_t k = record.first_warp; k <= record.last_warp; ++k)
        if (const std::uint32_t mask = record.masks ? record.masks[k] : ~0u)
            progression(record.first + k * static_cast<std::uint64_t>(record.warp), record.half, record.step,
                        record.size, mask, record.kind);
}

void LineTrace::block(const BlockAccessRecord& record) {
    if (record.masks) return each_warp(record);
    const std::uint64_t first = record.first + record.first_warp * static_cast<std::uint64_t>(record.warp);
    if (record.warp == 0)
        return progression(first, record.half, record.step, record.size, ~0u, record.kind,
                           record.last_warp - record.first_warp + 1);
    constexpr auto sector = static_cast<std::int64_t>(sector_bytes);
    const bool whole = record.half == 16 * record.step;  // the warp's lanes are one range
    if (record.kind != AccessKind::load || !cached_ || !is_dense(record.step, record.size, record.kind) ||
        record.warp % sector != 0 || (!whole && record.half % sector != 0))
        return each_warp(record);
    // All warps and halves begin at the same place in a sector: the first range tells all of them.
    const std::uint64_t reach = (whole ? 31 : 15) * static_cast<std::uint64_t>(record.step) + record.size - 1;
    const Repeat::Shape shape{first / sector_bytes, (first + reach) / sector_bytes,
                              record.half,          record.step,
                              record.warp,          record.first_warp,
                              record.last_warp,     record.size};
    // Whichever instruction loads it: a loop that is unrolled has several.
    const std::size_t slot = (shape.low * 0x9E37'79B9'7F4A'7C15ull ^
                              static_cast<std::uint64_t>(record.half + 3 * record.warp) * 0xC2B2'AE3D'27D4'EB4Full) >>
                             (64 - repeat_bits);
    Repeat& last = repeats_[slot];
    std::uint64_t& touched = touched_[slot];
    if (last.shape == shape && last.began == began_ && (last.sets & touched) == 0) {
        counts_.lines += last.lines;
        counts_.l1_sectors += last.sectors;
        counts_.l1_hits += last.sectors;
        return;
    }
    const std::uint64_t begin = clock_, lines = counts_.lines, sectors = counts_.l1_sectors;
    newest_gone_ = touched = 0;
    each_warp(record);
    last = {shape, began_, touched, counts_.lines - lines, counts_.l1_sectors - sectors};
    // One of its own lines had to go: the next time it is not there.
    if (newest_gone_ > begin) last = {};
    touched = 0;
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
