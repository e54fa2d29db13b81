#include "runtime_wrappers/virtual_gpu/model/caches/l2_cache.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace cudash::virtual_gpu {

AccessProperty AccessPolicyWindow::property_of(std::uint64_t address) const {
    if (!holds(address)) return AccessProperty::none;
    // Groups of 64 lines; in each one the lines are ranked by a permutation of the group's own.
    constexpr std::uint64_t group_lines = 64;
    const std::uint64_t line = address / L2Cache::line_bytes - base / L2Cache::line_bytes;
    const std::uint64_t group = line / group_lines;
    const std::uint64_t mixed = (group + 1) * 0x9E37'79B9'7F4A'7C15ull;
    const std::uint64_t rank = ((line % group_lines) * (mixed >> 32 | 1) + (mixed >> 20)) % group_lines;
    const double chosen = group_lines * std::clamp(hit_ratio, 0.0, 1.0);
    // What is left of a line goes to some groups and not to others.
    const double before = std::floor(static_cast<double>(group) * chosen);
    const double after = std::floor(static_cast<double>(group + 1) * chosen);
    return static_cast<double>(rank) < after - before ? hit : miss;
}

L2Cache::L2Cache(std::uint64_t size, std::uint64_t set_aside)
    : most_lines_(std::max<std::uint64_t>(1, size / line_bytes)),
      most_persisting_(std::min(set_aside / line_bytes, most_lines_)) {}

L2Cache::Kind L2Cache::kind_of(AccessProperty property) {
    if (property == AccessProperty::persisting) return persisting;
    return property == AccessProperty::streaming ? streaming : normal;
}

L2Cache::Kind L2Cache::placed_as(AccessProperty property) const {
    const Kind kind = kind_of(property);
    return kind == persisting && most_persisting_ == 0 ? normal : kind;
}

void L2Cache::evict(Kind kind) {
    const auto gone = lines_.evict(kind);
    if (!gone) return;
    ++counts_.evictions;
    if (kind == persisting) ++counts_.persisting_evictions;
    const auto dirty = static_cast<unsigned>(std::popcount(gone->kept.dirty));
    counts_.dram_writes += dirty;
    if (gone->kept.written < 32 * dirty)
        counts_.dram_reads +=
            static_cast<unsigned>(std::popcount(static_cast<std::uint8_t>(gone->kept.dirty & ~gone->kept.filled)));
}

void L2Cache::make_room(Kind kind) {
    if (kind == persisting && lines_.size(persisting) >= most_persisting_) return evict(persisting);
    if (lines_.size() < most_lines_) return;
    for (Kind victim : {streaming, normal, persisting})
        if (lines_.size(victim) != 0) return evict(victim);
}

bool L2Cache::access(std::uint64_t address, AccessProperty property) {
    return access_sectors(address / line_bytes, 0xF, line_bytes, false, property);
}

bool L2Cache::access_sectors(std::uint64_t number, std::uint8_t sectors, std::uint32_t bytes, bool store,
                             AccessProperty property) {
    ++counts_.accesses;
    counts_.sectors += static_cast<unsigned>(std::popcount(sectors));
    auto* line = lines_.find(number);
    const bool hit = line != nullptr;
    const Kind kind = placed_as(property);
    if (!hit) {
        make_room(kind);
        line = &lines_.insert(number, kind);
    } else {
        ++counts_.hits;
        if (property == AccessProperty::none || line->list == kind) {
            lines_.touch(*line);
        } else {
            if (kind == persisting && lines_.size(persisting) >= most_persisting_) {
                evict(persisting);
                line = lines_.find(number);
            }
            lines_.move(*line, kind);
        }
    }
    Sectors& kept = line->kept;
    const auto there = static_cast<std::uint8_t>(kept.filled | kept.dirty);
    const auto missing = static_cast<std::uint8_t>(sectors & ~there);
    counts_.sector_hits += static_cast<unsigned>(std::popcount(static_cast<std::uint8_t>(sectors & ~missing)));
    if (store) {
        kept.dirty |= sectors;
        kept.written = static_cast<std::uint8_t>(std::min<std::uint32_t>(line_bytes, kept.written + bytes));
    } else {
        counts_.dram_reads += static_cast<unsigned>(std::popcount(missing));
        kept.filled |= sectors;
    }
    return hit;
}

void L2Cache::reset_persisting() {
    while (auto line = lines_.evict(persisting)) lines_.insert(line->number, normal, line->kept);
}

void L2Cache::sample(unsigned level) {
    if (level <= level_) return;
    std::vector<std::uint64_t> outside;
    for (unsigned kind = 0; kind < kinds; ++kind)
        lines_.for_each(kind, [&](const auto& line) {
            if (!in_sample(line.number, level)) outside.push_back(line.number);
        });
    for (const std::uint64_t number : outside) lines_.erase(*lines_.find(number));
    most_lines_ = std::max<std::uint64_t>(1, most_lines_ >> (level - level_));
    most_persisting_ >>= level - level_;
    level_ = level;
}

std::uint64_t L2Cache::bytes(AccessProperty property) const {
    return lines_.size(kind_of(property)) * line_bytes;
}

std::uint64_t L2Cache::bytes_of(std::uint64_t base, std::uint64_t size) const {
    std::uint64_t found = 0;
    for (unsigned kind = 0; kind < kinds; ++kind)
        lines_.for_each(kind, [&](const auto& line) {
            const std::uint64_t at = line.number * line_bytes;
            if (at + line_bytes > base && at < base + size) found += line_bytes;
        });
    return found;
}

}  // namespace cudash::virtual_gpu
