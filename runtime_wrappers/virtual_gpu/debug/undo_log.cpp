#include "runtime_wrappers/virtual_gpu/debug/undo_log.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace cudash::virtual_gpu {

void UndoLog::add(Checkpoint checkpoint) {
    if (lost_) return;
    bytes_ += checkpoint.state ? checkpoint.state->bytes : 0;
    checkpoints_.push_back({.place = std::move(checkpoint)});
    if (checkpoints_.size() > 1) bytes_ += record_bytes;
    last_piece_ = ~std::uint64_t{0};
    if (bytes_ > most_bytes_) make_room();
}

void UndoLog::save(Address address, std::uint64_t bytes) {
    const std::uint64_t first = address >> piece_shift, last = (address + bytes - 1) >> piece_shift;
    for (std::uint64_t number = first; number <= last; ++number)
        if (number != last_piece_) save_piece(number);
}

void UndoLog::save_piece(std::uint64_t number) {
    if (lost_ || checkpoints_.empty()) return;
    last_piece_ = number;
    auto& pieces = checkpoints_.back().pieces;
    if (pieces.contains(number)) return;
    // Of the piece only what belongs to an allocation: what lies beside host memory is not the launch's.
    const Address begin = number << piece_shift, end = begin + piece_bytes;
    auto range = std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                                  [](Address value, const Range& each) { return value < each.end; });
    for (std::uint64_t key = number; range != ranges_.end() && range->begin < end; ++range) {
        Piece piece;
        piece.begin = std::max(begin, range->begin);
        const std::uint64_t size = std::min(end, range->end) - piece.begin;
        piece.memory = reinterpret_cast<std::byte*>(piece.begin + static_cast<std::uint64_t>(range->host_offset));
        piece.bytes.assign(piece.memory, piece.memory + size);
        bytes_ += size;
        pieces.emplace(key, std::move(piece));
        // A piece can hold parts of several allocations; the others are kept under numbers that no address has.
        key |= std::uint64_t{1} << 63;
        while (pieces.contains(key)) key += std::uint64_t{1} << 56;
    }
    if (bytes_ > most_bytes_) make_room();
}

void UndoLog::note_write(ptx::Space space, std::uint64_t address, std::uint64_t bytes) {
    if (checkpoints_.empty()) return;
    Writes& writes = space == ptx::Space::shared ? checkpoints_.back().shared : checkpoints_.back().local;
    for (std::size_t unit = unit_of(address); unit <= unit_of(address + bytes - 1); ++unit)
        writes[unit % writes.size()] = true;
}

void UndoLog::note_sites(std::vector<std::uint8_t>& marks) {
    if (checkpoints_.empty()) return;
    std::vector<bool>& sites = checkpoints_.back().sites;
    if (sites.size() < marks.size()) sites.resize(marks.size());
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (marks[i] & Stops::seen) sites[i] = true;
        marks[i] &= static_cast<std::uint8_t>(~Stops::seen);
    }
}

bool UndoLog::may_write(std::size_t index, ptx::Space space, std::uint64_t address, std::uint64_t bytes) const {
    const Entry& entry = checkpoints_[index];
    const std::uint64_t last = address + std::max<std::uint64_t>(bytes, 1) - 1;
    if (space == ptx::Space::global) {
        for (std::uint64_t number = address >> piece_shift; number <= last >> piece_shift; ++number)
            if (entry.pieces.contains(number)) return true;
        return false;
    }
    if (space != ptx::Space::shared && space != ptx::Space::local) return true;
    const Writes& writes = space == ptx::Space::shared ? entry.shared : entry.local;
    for (std::size_t unit = unit_of(address); unit <= unit_of(last); ++unit)
        if (writes[unit % writes.size()]) return true;
    return false;
}

bool UndoLog::was_at(std::size_t index, const std::vector<std::uint8_t>& marks, std::uint8_t mark) const {
    const std::vector<bool>& sites = checkpoints_[index].sites;
    for (std::size_t i = 0; i < marks.size(); ++i)
        if ((marks[i] & mark) && i < sites.size() && sites[i]) return true;
    return false;
}

void UndoLog::remove(std::size_t index) {
    Entry& before = checkpoints_[index - 1];
    const Entry& removed = checkpoints_[index];
    before.shared |= removed.shared;
    before.local |= removed.local;
    if (before.sites.size() < removed.sites.size()) before.sites.resize(removed.sites.size());
    for (std::size_t i = 0; i < removed.sites.size(); ++i)
        if (removed.sites[i]) before.sites[i] = true;
    bytes_ -= record_bytes;
    // What it saved and the one before it has, too, is not needed.
    auto& into = before.pieces;
    for (auto& [number, piece] : checkpoints_[index].pieces) {
        const std::uint64_t size = piece.bytes.size();
        if (!into.try_emplace(number, std::move(piece)).second) bytes_ -= size;
    }
    if (const auto& state = checkpoints_[index].place.state) bytes_ -= state->bytes;
    checkpoints_.erase(checkpoints_.begin() + static_cast<std::ptrdiff_t>(index));
}

void UndoLog::hold(bool on) {
    held_ = on;
    if (bytes_ > most_bytes_) make_room();
}

void UndoLog::make_room() {
    if (held_) return;
    // Where they lie closest one goes: it is missed least. The first one stays, and the last one, which is written to.
    while (bytes_ > most_bytes_ && checkpoints_.size() > 2) {
        std::size_t closest = 1;
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t i = 1; i + 1 < checkpoints_.size(); ++i) {
            const std::uint64_t gap = checkpoints_[i + 1].place.moment - checkpoints_[i - 1].place.moment;
            if (gap < least) least = gap, closest = i;
        }
        remove(closest);
    }
    if (bytes_ > most_bytes_ && checkpoints_.size() == 2) remove(1);
    if (bytes_ <= most_bytes_) return;
    checkpoints_.clear();
    bytes_ = 0;
    lost_ = true;
}

std::size_t UndoLog::before(std::uint64_t moment) const {
    const auto after =
        std::upper_bound(checkpoints_.begin(), checkpoints_.end(), moment,
                         [](std::uint64_t value, const Entry& each) { return value < each.place.moment; });
    return after == checkpoints_.begin() ? 0 : static_cast<std::size_t>(std::distance(checkpoints_.begin(), after)) - 1;
}

void UndoLog::restore(std::size_t index) {
    for (std::size_t i = checkpoints_.size(); i-- > index;) {
        for (auto& [number, piece] : checkpoints_[i].pieces) {
            std::memcpy(piece.memory, piece.bytes.data(), piece.bytes.size());
            bytes_ -= piece.bytes.size();
        }
        checkpoints_[i].pieces.clear();
    }
    Entry& last = checkpoints_[index];
    last.shared.reset();
    last.local.reset();
    last.sites.assign(last.sites.size(), false);
    while (checkpoints_.size() > index + 1) {
        bytes_ -= record_bytes;
        if (const auto& state = checkpoints_.back().place.state) bytes_ -= state->bytes;
        checkpoints_.pop_back();
    }
    last_piece_ = ~std::uint64_t{0};
}

}  // namespace cudash::virtual_gpu
