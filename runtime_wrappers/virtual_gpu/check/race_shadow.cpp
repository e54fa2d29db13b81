#include "runtime_wrappers/virtual_gpu/check/race_shadow.h"

#include <algorithm>
#include <bit>

namespace cudash::virtual_gpu {
namespace {

constexpr unsigned word_bytes = 4, line_words = 16;

/// The stamp of word k of a run of which each lane has 1 << lane_step words.
std::uint64_t of_word(std::uint64_t mine, std::size_t k, unsigned lane_step) {
    return mine + (std::uint64_t{k} >> lane_step << Stamp::lane_shift);
}

/// Whether all of `stamps` surely come before, or are the same threads' own.
bool all_before(const Actor& actor, const Stamp* stamps, std::size_t count, std::uint64_t mine, unsigned lane_step) {
    const std::uint32_t floor = actor.floor, first = actor.quick_first, reach = actor.quick_floor - first;
    std::uint32_t bad = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t other = stamps[k].bits();
        const auto then = static_cast<std::uint32_t>(other >> Stamp::segment_shift);
        const auto own = static_cast<std::uint32_t>(((other ^ of_word(mine, k, lane_step)) & Stamp::who) == 0);
        bad |=
            ((static_cast<std::uint32_t>(then < floor) | static_cast<std::uint32_t>(then - first < reach) | own) ^ 1) |
            (static_cast<std::uint32_t>(other >> Stamp::async_shift) & 1);
    }
    return bad == 0;
}

void fill(Stamp* stamps, std::size_t count, std::uint64_t mine, unsigned lane_step) {
    for (std::size_t k = 0; k < count; ++k) stamps[k] = Stamp(of_word(mine, k, lane_step));
}

/// A thread's plain access, which its own atomic one at the same place hides: what orders nothing after the one orders
/// nothing after the other, and of the two the plain one conflicts with the atomics of other threads as well.
bool stays_behind(const Actor& actor, Stamp own) {
    return actor.is_atomic() && own.strength() == Strength::weak;
}

std::uint64_t block_of(const Actor& actor, Stamp stamp) {
    if (!actor.order->is_of_this_launch(stamp.segment())) return actor.block->number;
    return actor.order->at(stamp.segment()).block;
}

}  // namespace

void RaceShadow::compare(const Actor& actor, Stamp mine, Stamp other, bool other_writes, std::size_t at) {
    if (!other || (other.bytes() & mine.bytes()) == 0) return;
    const std::uint64_t address = window_.begin + at * word_bytes;
    if (other.async() && other_writes && !actor.async && actor.order->copy_is_pending(*actor.block, other.segment()))
        return found({&actor, mine.lane(), address, other, true, true});
    if (actor.surely_after(other) || mine.same_thread(other)) return;
    if (other.strength() != Strength::weak && mine.strength() != Strength::weak) {
        // Volatile accesses within a warp were once enough, when its lanes moved together; they are no longer. Those
        // of a warp that uses fences are flags between its lanes, and mean what they say.
        const bool both_volatile = other.strength() == Strength::volatile_ && mine.strength() == Strength::volatile_;
        if (!both_volatile || actor.clock->fence_block != 0) return;
        if (!actor.order->is_of_this_launch(other.segment())) return;
        const Segment& then = actor.order->at(other.segment());
        if (then.block != actor.block->number || then.warp != actor.warp) return;
    }
    if (actor.order->ordered(*actor.block, actor.warp, mine.lane(), other.segment(), other.lane())) return;
    found({&actor, mine.lane(), address, other, other_writes, false});
}

void RaceShadow::note_reader(const Actor& actor, Stamp mine, std::size_t at) {
    Stamp &read = window_.planes.read[at], &other_read = window_.planes.other_read[at];
    *window_.planes.any_read = true;
    if (!read || read.same_thread(mine)) {
        read = read ? mine.with_bytes(mine.bytes() | read.bytes()) : mine;
        return;
    }
    if (actor.surely_after(read)) {
        read = mine;
        if (other_read && actor.surely_after(other_read)) other_read = {};
        return;
    }
    if (!other_read || other_read.same_thread(mine) || actor.surely_after(other_read)) {
        other_read = mine;
        return;
    }
    // Of two blocks rather than of one: no barrier helps between those.
    const std::uint64_t first = block_of(actor, read);
    if (first != actor.block->number && first == block_of(actor, other_read)) other_read = mine;
}

void RaceShadow::access_word(const Actor& actor, std::size_t at, Stamp mine) {
    const ShadowPlanes& planes = window_.planes;
    compare(actor, mine, planes.write[at], true, at);
    if (!actor.writes) return note_reader(actor, mine, at);
    const Stamp before = planes.write[at];
    const bool own = before && before.same_thread(mine);
    if (!own)
        planes.write[at] = mine;
    else
        planes.write[at] = (stays_behind(actor, before) ? before : mine).with_bytes(mine.bytes() | before.bytes());
    if (!*planes.any_read) return;
    for (Stamp* reader : {&planes.read[at], &planes.other_read[at]}) {
        compare(actor, mine, *reader, false, at);
        if (reader->same_thread(mine) && stays_behind(actor, *reader)) continue;
        if ((reader->bytes() & ~mine.bytes()) == 0) *reader = {};
    }
}

/// Whole words, none of which meets anyone it is not after.
bool RaceShadow::access_quickly(const Actor& actor, std::size_t at, std::size_t count, Stamp mine, unsigned lane_step) {
    if (actor.is_atomic()) return false;
    const ShadowPlanes& planes = window_.planes;
    if (!all_before(actor, planes.write + at, count, mine.bits(), lane_step)) return false;
    if (!actor.writes) {
        if (!all_before(actor, planes.read + at, count, mine.bits(), lane_step)) return false;
        *planes.any_read = true;
        fill(planes.read + at, count, mine.bits(), lane_step);
        return true;
    }
    if (*planes.any_read) {
        if (!all_before(actor, planes.read + at, count, mine.bits(), lane_step) ||
            !all_before(actor, planes.other_read + at, count, mine.bits(), lane_step))
            return false;
        std::fill_n(planes.read + at, count, Stamp());
        std::fill_n(planes.other_read + at, count, Stamp());
    }
    fill(planes.write + at, count, mine.bits(), lane_step);
    return true;
}

void RaceShadow::split_now(std::size_t line) {
    ShadowPlanes& planes = window_.planes;
    planes.split[line] = true;
    const std::size_t first = line * line_words;
    const ShadowLine whole = planes.lines[line];
    planes.lines[line] = {};
    *planes.any_read |= whole.read || whole.other_read;
    for (std::size_t k = 0; k < line_words; ++k) planes.write[first + k] = whole.write.of_word(k);
    if (!*planes.any_read) return;
    for (std::size_t k = 0; k < line_words; ++k) {
        planes.read[first + k] = whole.read.of_word(k);
        planes.other_read[first + k] = whole.other_read.of_word(k);
    }
}

/// False: the line is to be looked at word by word.
bool RaceShadow::access_line(const Actor& actor, ShadowLine& line, Stamp mine) {
    const auto fine = [&](Stamp other) {
        return !other.async() && (actor.surely_after(other) || mine.same_lanes(other));
    };
    if (!fine(line.write)) return false;
    if (!actor.writes) {
        if (fine(line.read))
            line.read = mine;
        else if (fine(line.other_read))
            line.other_read = mine;
        return true;
    }
    if (!fine(line.read) || !fine(line.other_read)) return false;
    for (const Stamp before : {line.write, line.read, line.other_read})
        if (before && mine.same_lanes(before) && stays_behind(actor, before)) return false;
    line = {mine, {}, {}};
    return true;
}

void RaceShadow::access_words(const Actor& actor, std::size_t at, std::size_t count, Stamp mine, unsigned lane_step) {
    if (access_quickly(actor, at, count, mine, lane_step)) [[likely]]
        return;
    for (std::size_t k = 0; k < count; ++k) access_word(actor, at + k, Stamp(of_word(mine.bits(), k, lane_step)));
}

/// One lane's.
void RaceShadow::access_bytes(const Actor& actor, std::uint64_t address, Stamp mine, unsigned size) {
    open(address);
    const std::size_t at = word_at(address);
    split(at / line_words);
    if (size >= word_bytes) return access_words(actor, at, size / word_bytes, mine, 31);
    access_word(actor, at, mine.with_bytes(((1u << size) - 1) << (address & 3)));
}

void RaceShadow::access(const Actor& actor, const Run& run) {
    const auto log_size = static_cast<unsigned>(std::countr_zero(run.size));
    const Stamp mine = actor.stamp(run.lane, log_size);
    if (!run.consecutive) return access_bytes(actor, run.address, mine, run.size);
    if (run.size < word_bytes || run.address % (line_words * word_bytes) != 0) {
        for (unsigned l = 0; l < 16; ++l)
            access_bytes(actor, run.address + l * run.size, Stamp(of_word(mine.bits(), l, 0)), run.size);
        return;
    }
    const unsigned lane_step = log_size - 2;
    for (unsigned k = 0; k < 16u << lane_step; k += line_words) {
        open(run.address + k * word_bytes);
        const Stamp of_line(of_word(mine.bits(), k, lane_step));
        const std::size_t at = word_at(run.address + k * word_bytes), line = at / line_words;
        const ShadowPlanes& planes = window_.planes;
        if (!planes.split[line]) {
            if (access_line(actor, planes.lines[line], of_line)) continue;
            split(line);
        }
        access_words(actor, at, line_words, of_line, lane_step);
        if (!actor.writes || actor.is_atomic()) continue;
        planes.split[line] = false;
        planes.lines[line] = {of_line, {}, {}};
    }
}

void RaceShadow::access_apart(const Actor& actor, std::uint32_t mask, std::uint64_t window) {
    const AccessRecord& record = *actor.record;
    const unsigned size = record.size;
    const Stamp first = actor.stamp(0, static_cast<unsigned>(std::countr_zero(size)));
    const bool only_writes = actor.writes && size == word_bytes;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t address = record.address(lane) - window;
        const Stamp mine(of_word(first.bits(), lane, 0));
        open(address);
        const std::size_t at = word_at(address);
        split(at / line_words);
        // Stores to words that nobody reads are what places apart mostly are.
        Stamp& before = window_.planes.write[at];
        if (only_writes && !*window_.planes.any_read && !before.async() && actor.surely_after(before)) [[likely]]
            before = mine;
        else
            access_bytes(actor, address, mine, size);
    }
}

void RaceShadow::note_read(const Actor& actor, const Run& run, Stamp stamp) {
    const auto log_size = static_cast<unsigned>(std::countr_zero(run.size));
    for (unsigned at = 0; at < (run.consecutive ? 16 * run.size : run.size); at += std::min(run.size, word_bytes)) {
        const std::uint64_t address = run.address + at;
        open(address);
        split(word_at(address) / line_words);
        Stamp mine(of_word(stamp.bits(), run.consecutive ? at >> log_size : 0, 0));
        if (run.size < word_bytes) mine = mine.with_bytes(((1u << run.size) - 1) << (address & 3));
        note_reader(actor, mine, word_at(address));
    }
}

void RaceShadow::forget(std::uint64_t address, std::uint64_t bytes) {
    constexpr std::uint64_t line_bytes = line_words * word_bytes;
    for (const std::uint64_t end = address + bytes; address < end;) {
        const std::uint64_t next = std::min(address / line_bytes * line_bytes + line_bytes, end);
        open(address);
        const ShadowPlanes& planes = window_.planes;
        const std::size_t at = word_at(address), line = at / line_words;
        if (next - address == line_bytes) {
            planes.lines[line] = {};
            planes.split[line] = false;
        } else {
            split(line);
            const std::size_t count = (next - address + word_bytes - 1) / word_bytes;
            for (Stamp* plane : {planes.write, planes.read, planes.other_read}) std::fill_n(plane + at, count, Stamp());
        }
        address = next;
    }
}

}  // namespace cudash::virtual_gpu
