#include "runtime_wrappers/virtual_gpu/debug/undo_log.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

namespace cudash::virtual_gpu {

std::byte* UndoLog::Slots::take() {
    constexpr std::size_t slots_of_slab = 256, slots_of_big_slab = 8192, small_slabs = 4;
    if (!free_.empty()) {
        std::byte* const slot = free_.back();
        free_.pop_back();
        return slot;
    }
    if (left_ == 0) {
        left_ = slabs_.size() < small_slabs ? slots_of_slab : slots_of_big_slab;
        slabs_.emplace_back(left_ * piece_bytes);
#ifdef MADV_HUGEPAGE
        // Else a kernel that writes much would take longer for pages than for copies.
        if (slabs_.size() > small_slabs) madvise(slabs_.back().get(), left_ * piece_bytes, MADV_HUGEPAGE);
#endif
    }
    return slabs_.back().get() + --left_ * piece_bytes;
}

void UndoLog::add(Checkpoint checkpoint) {
    if (lost_) return;
    bytes_ += checkpoint.state ? checkpoint.state->bytes : 0;
    ++serials_;
    checkpoints_.push_back({.place = std::move(checkpoint), .first_serial = serials_, .last_serial = serials_});
    if (checkpoints_.size() > 1) bytes_ += record_bytes;
    saved_begin_ = 1, saved_end_ = 0;
    if (bytes_ > most_bytes_) make_room();
}

UndoLog::Allocated* UndoLog::allocated_from(Address address) {
    if (allocated_.empty())
        for (const Range& range : ranges_) allocated_.push_back({range, {}});
    if (last_allocated_ < allocated_.size()) {
        Allocated& last = allocated_[last_allocated_];
        if (address >= last.range.begin && address < last.range.end) return &last;
    }
    const auto found =
        std::ranges::upper_bound(allocated_, address, {}, [](const Allocated& each) { return each.range.end; });
    if (found == allocated_.end()) return nullptr;
    last_allocated_ = static_cast<std::size_t>(found - allocated_.begin());
    return &*found;
}

void UndoLog::save_pieces(Address address, std::uint64_t bytes) {
    const Address end = address + bytes;
    while (address < end && !lost_ && !checkpoints_.empty()) {
        Allocated* const allocated = allocated_from(address);
        if (!allocated || allocated->range.begin >= end) return;
        address = std::max(address, allocated->range.begin);
        save_piece(*allocated, address >> piece_shift);
        address = saved_end_;
    }
}

void UndoLog::save_piece(Allocated& allocated, std::uint64_t number) {
    // Of the piece only what belongs to the allocation: what lies beside host memory is not the launch's.
    const Range& range = allocated.range;
    const std::uint64_t index = number - (range.begin >> piece_shift);
    saved_begin_ = std::max(number << piece_shift, range.begin);
    saved_end_ = std::min((number + 1) << piece_shift, range.end);
    const std::size_t of_group = std::tuple_size_v<Savers>, group = index / of_group;
    if (allocated.savers.size() <= group) allocated.savers.resize(group + 1);
    if (!allocated.savers[group]) allocated.savers[group] = std::make_unique<Savers>();
    std::uint32_t& saver = (*allocated.savers[group])[index % of_group];
    Entry& last = checkpoints_.back();
    if (saver >= last.first_serial) return;
    Piece& piece = last.pieces.emplace_back();
    piece.begin = saved_begin_;
    piece.bytes = static_cast<std::uint32_t>(saved_end_ - saved_begin_);
    piece.memory = reinterpret_cast<std::byte*>(piece.begin + static_cast<std::uint64_t>(range.host_offset));
    piece.copy = slots_.take();
    std::memcpy(piece.copy, piece.memory, piece.bytes);
    piece.saver = &saver;
    piece.saved_before = std::exchange(saver, last.last_serial);
    bytes_ += piece.bytes;
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
    if (space == ptx::Space::global)
        return std::ranges::any_of(
            entry.pieces, [&](const Piece& each) { return each.begin <= last && address < each.begin + each.bytes; });
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
    for (const Piece& piece : removed.pieces) {
        if (piece.saved_before < before.first_serial) {
            before.pieces.push_back(piece);
            continue;
        }
        bytes_ -= piece.bytes;
        slots_.give_back(piece.copy);
    }
    before.last_serial = removed.last_serial;
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
    slots_ = {};
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
        for (const Piece& piece : checkpoints_[i].pieces) {
            std::memcpy(piece.memory, piece.copy, piece.bytes);
            *piece.saver = piece.saved_before;
            slots_.give_back(piece.copy);
            bytes_ -= piece.bytes;
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
    saved_begin_ = 1, saved_end_ = 0;
}

}  // namespace cudash::virtual_gpu
