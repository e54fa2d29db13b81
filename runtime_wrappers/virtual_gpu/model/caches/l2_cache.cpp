#include "runtime_wrappers/virtual_gpu/model/caches/l2_cache.h"

#include <algorithm>
#include <cmath>

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

L2Cache::Lines* L2Cache::find(std::uint64_t line) {
    for (Lines& lines : lines_)
        if (lines.find(line)) return &lines;
    return nullptr;
}

void L2Cache::make_room(Kind kind) {
    if (kind == persisting && lines_[persisting].size() >= most_persisting_) {
        lines_[persisting].evict();
        ++counts_.evictions;
        ++counts_.persisting_evictions;
        return;
    }
    if (lines_[normal].size() + lines_[streaming].size() + lines_[persisting].size() < most_lines_) return;
    for (Kind victim : {streaming, normal, persisting})
        if (lines_[victim].evict()) {
            ++counts_.evictions;
            if (victim == persisting) ++counts_.persisting_evictions;
            return;
        }
}

void L2Cache::place(std::uint64_t line, Kind kind) {
    if (kind == persisting && most_persisting_ == 0) kind = normal;
    make_room(kind);
    lines_[kind].insert(line);
}

bool L2Cache::access(std::uint64_t address, AccessProperty property) {
    ++counts_.accesses;
    const std::uint64_t line = address / line_bytes;
    Lines* const now = find(line);
    if (!now) {
        place(line, kind_of(property));
        return false;
    }
    ++counts_.hits;
    if (property == AccessProperty::none || now == &lines_[kind_of(property)]) {
        now->touch(line);
    } else {
        now->erase(line);
        place(line, kind_of(property));
    }
    return true;
}

void L2Cache::reset_persisting() {
    while (auto line = lines_[persisting].evict()) lines_[normal].insert(line->number);
}

std::uint64_t L2Cache::bytes(AccessProperty property) const {
    return lines_[kind_of(property)].size() * line_bytes;
}

std::uint64_t L2Cache::bytes_of(std::uint64_t base, std::uint64_t size) const {
    std::uint64_t found = 0;
    for (const Lines& lines : lines_)
        for (const auto& line : lines)
            if (line.number * line_bytes + line_bytes > base && line.number * line_bytes < base + size)
                found += line_bytes;
    return found;
}

}  // namespace cudash::virtual_gpu
