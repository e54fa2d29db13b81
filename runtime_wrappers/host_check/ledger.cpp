#include "runtime_wrappers/host_check/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cudash::host_check {
namespace {

/// Freed ranges that are remembered, for messages.
constexpr std::size_t most_freed = 1024;

bool holds(const Memory& memory, std::uint64_t address) {
    return address >= memory.begin && address - memory.begin < std::max<std::uint64_t>(memory.size, 1);
}

std::string name_of(const Memory& memory) {
    const std::string origin = origin_of(memory.made);
    return fmt::format("{} bytes{}", memory.size, origin.empty() ? "" : fmt::format(" ({})", origin));
}

}  // namespace

void Ledger::made(Kind kind, Memory memory, int device) {
    const std::uint64_t handle = memory.begin;
    if (handle == 0) return;
    const std::lock_guard lock(mutex_);
    Entry entry{kind, std::move(memory), ++serials_, device};
    if (!row_of(kind).memory) {
        objects_.insert_or_assign({kind, handle}, std::move(entry));
        return;
    }
    for (auto next = freed_.lower_bound(handle); next != freed_.end() && next->first < handle + entry.memory.size;) {
        freed_order_.erase(next->second.serial);
        next = freed_.erase(next);
    }
    memory_.insert_or_assign(handle, std::move(entry));
}

void Ledger::ended(Kind kind, std::uint64_t handle, const SourceSpot& where) {
    const std::lock_guard lock(mutex_);
    if (!row_of(kind).memory) {
        objects_.erase({kind, handle});
        return;
    }
    const auto known = memory_.find(handle);
    if (known == memory_.end()) return;
    if (const auto before = freed_.find(handle); before != freed_.end()) freed_order_.erase(before->second.serial);
    freed_.insert_or_assign(handle, Freed{std::move(known->second.memory), where, ++serials_});
    freed_order_.emplace(serials_, handle);
    if (freed_.size() > most_freed) {
        freed_.erase(freed_order_.begin()->second);
        freed_order_.erase(freed_order_.begin());
    }
    memory_.erase(known);
}

void Ledger::reset(int device) {
    const std::lock_guard lock(mutex_);
    const auto ends = [&](const auto& entry) { return entry.second.device == device; };
    std::erase_if(objects_, ends);
    std::erase_if(memory_, ends);
}

std::optional<Ledger::Entry> Ledger::find(std::uint64_t address) const {
    const std::lock_guard lock(mutex_);
    auto after = memory_.upper_bound(address);
    if (after == memory_.begin()) return std::nullopt;
    const Entry& entry = std::prev(after)->second;
    if (!holds(entry.memory, address)) return std::nullopt;
    return entry;
}

std::vector<Ledger::Entry> Ledger::allocations() const {
    const std::lock_guard lock(mutex_);
    std::vector<Entry> list;
    for (const auto& [address, entry] : memory_) list.push_back(entry);
    return list;
}

std::string Ledger::why_not_freed(const Lifetime& with, std::uint64_t address) const {
    if (const auto live = find(address)) {
        if (address != live->memory.begin)
            return fmt::format("the pointer is {} bytes into {}", address - live->memory.begin, name_of(live->memory));
        if (row_of(live->kind).ends != std::string_view(row_of(with.kind).ends))
            return fmt::format("it is {}, {}: {} frees it", row_of(live->kind).name, name_of(live->memory),
                               row_of(live->kind).ends);
        return {};
    }
    const std::lock_guard lock(mutex_);
    auto after = freed_.upper_bound(address);
    if (after == freed_.begin()) return {};
    const auto& [memory, where, serial] = std::prev(after)->second;
    if (!holds(memory, address)) return {};
    return fmt::format("it was freed already{}: {}", where.file.empty() ? "" : ", " + words_of(where), name_of(memory));
}

std::vector<Leak> Ledger::in_order(bool memory) const {
    std::vector<const Entry*> entries;
    if (memory)
        for (const auto& [address, entry] : memory_) entries.push_back(&entry);
    else
        for (const auto& [handle, entry] : objects_) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->serial < b->serial; });
    std::vector<Leak> leaks;
    for (const Entry* entry : entries)
        leaks.push_back({.kind = row_of(entry->kind).name,
                         .frees = row_of(entry->kind).ends,
                         .bytes = entry->memory.size,
                         .where = entry->memory.made.where,
                         .target = entry->memory.made.target});
    return leaks;
}

std::vector<Leak> Ledger::memory() const {
    const std::lock_guard lock(mutex_);
    return in_order(true);
}

std::vector<Leak> Ledger::objects() const {
    const std::lock_guard lock(mutex_);
    return in_order(false);
}

bool Ledger::is_new(const Diagnostic& finding) {
    const std::lock_guard lock(mutex_);
    return told_
        .insert(fmt::format("{} {}:{} {}", finding.code, finding.where.file, finding.where.line,
                            finding.where.line == 0 ? finding.message : ""))
        .second;
}

}  // namespace cudash::host_check
