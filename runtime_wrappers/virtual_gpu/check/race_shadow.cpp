#include "runtime_wrappers/virtual_gpu/check/race_shadow.h"

#include <algorithm>
#include <bit>

namespace cudash::virtual_gpu {
namespace {

constexpr unsigned line_bytes = 64, word_bytes = 4;
/// An asynchronous copy matters until someone waits for it, whatever comes between.
constexpr std::uint32_t kept = ~0u;

}  // namespace

std::uint32_t WordPool::take() {
    if (!free_.empty()) {
        const std::uint32_t index = free_.back();
        free_.pop_back();
        at(index) = {};
        return index;
    }
    const std::uint32_t index = used_++;
    if (index >> shift >= blocks_.size()) blocks_.push_back(std::make_unique<ShadowWords[]>(mask + 1));
    at(index) = {};
    return index;
}

void WordPool::clear() {
    blocks_.clear();
    free_.clear();
    used_ = 1;
}

ShadowWords& RaceShadow::words_of(ShadowLine& line) {
    if (line.words != 0) return pool_.at(line.words);
    line.words = pool_.take();
    ShadowWords& words = pool_.at(line.words);
    for (unsigned k = 0; k < 16; ++k) {
        if (line.write) words.word[k].write = line.write.of_word(k);
        if (line.read && (line.read_words() >> k & 1)) words.word[k].read = line.read.of_word(k);
        if (line.other_read && (line.other_read_words() >> k & 1))
            words.word[k].other_read = line.other_read.of_word(k);
    }
    line.newest =
        line.write.async() ? kept : std::max({line.write.segment(), line.read.segment(), line.other_read.segment()});
    line.write = line.read = line.other_read = {};
    return words;
}

/// Words of which nothing matters any more are given back.
void RaceShadow::settle(const Actor& actor, ShadowLine& line) {
    if (line.words == 0 || line.newest >= actor.dead_floor) [[likely]]
        return;
    pool_.give(line.words);
    line = {};
}

void RaceShadow::compare(const Actor& actor, Stamp mine, Stamp other, bool other_writes, std::uint64_t address) {
    if (!other || (other.bytes() & mine.bytes()) == 0) return;
    if (other.async() && other_writes && !actor.async && actor.order->copy_is_pending(*actor.block, other.segment()))
        return found({&actor, mine.lane(), address, other, true, true});
    if (actor.surely_after(other) || mine.same_thread(other)) return;
    if (other.strength() != Strength::weak && mine.strength() != Strength::weak) {
        // Volatile accesses within a warp were once enough, when its lanes moved together; they are no longer. Those
        // of a warp that uses fences are flags between its lanes, and mean what they say.
        const bool both_volatile = other.strength() == Strength::volatile_ && mine.strength() == Strength::volatile_;
        if (!both_volatile || actor.clock->fence_block != 0) return;
        const Segment& then = actor.order->at(other.segment());
        if (then.block != actor.block->number || then.warp != actor.warp) return;
    }
    if (actor.order->ordered(*actor.block, actor.warp, mine.lane(), other.segment(), other.lane())) return;
    found({&actor, mine.lane(), address, other, other_writes, false});
}

void RaceShadow::note_read(const Actor& actor, Stamp mine, Stamp& read, Stamp& other_read) {
    if (!read || read.same_thread(mine)) {
        read = read ? mine.with_bytes(mine.bytes() | read.bytes()) : mine;
        return;
    }
    if (actor.surely_after(read)) {
        read = mine;
        if (other_read && actor.surely_after(other_read)) other_read = {};
        return;
    }
    if (!other_read || other_read.same_thread(mine) || actor.surely_after(other_read)) other_read = mine;
}

void RaceShadow::access_word(const Actor& actor, ShadowWords& words, std::uint64_t address, unsigned lane,
                             unsigned bytes, unsigned log_size) {
    const unsigned k = address / word_bytes % 16;
    const Stamp mine = actor.stamp(lane, log_size).with_bytes(bytes);
    compare(actor, mine, words.word[k].write, true, address);
    if (!actor.writes) return note_read(actor, mine, words.word[k].read, words.word[k].other_read);
    compare(actor, mine, words.word[k].read, false, address);
    compare(actor, mine, words.word[k].other_read, false, address);
    const Stamp before = words.word[k].write;
    words.word[k].write = before && before.same_thread(mine) ? mine.with_bytes(bytes | before.bytes()) : mine;
    if ((words.word[k].read.bytes() & ~bytes) == 0) words.word[k].read = {};
    if ((words.word[k].other_read.bytes() & ~bytes) == 0) words.word[k].other_read = {};
}

/// A third reader that nothing orders is not kept: whoever writes there meets one of the two.
void RaceShadow::read_line(const Actor& actor, ShadowLine& line, Stamp mine, unsigned words) {
    if (line.read && line.read.same_lanes(mine)) return line.set_read(mine, line.read_words() | words);
    if (!line.read || actor.surely_after(line.read)) return line.set_read(mine, words);
    if (line.other_read && line.other_read.same_lanes(mine))
        return line.set_other_read(mine, line.other_read_words() | words);
    if (!line.other_read || actor.surely_after(line.other_read)) line.set_other_read(mine, words);
}

void RaceShadow::read_uniform(const Actor& actor, std::uint64_t address, unsigned lane, unsigned size) {
    ShadowLine& here = line(address);
    settle(actor, here);
    if (here.words == 0 && size >= word_bytes) {
        const Stamp mine = actor.stamp(lane, Stamp::one_lane);
        if (!here.write || (!here.write.async() && actor.surely_after(here.write))) {
            const unsigned first = address / word_bytes % 16;
            return read_line(actor, here, mine, ((1u << size / word_bytes) - 1) << first & 0xFFFF);
        }
    }
    access_one(actor, address, lane, size);
}

void RaceShadow::access_line(const Actor& actor, ShadowLine& line, std::uint64_t address, unsigned first_lane,
                             unsigned log_size) {
    const Stamp mine = actor.stamp(first_lane, log_size);
    settle(actor, line);
    if (line.words == 0) {
        const auto fine = [&](Stamp other) {
            return !other || (!other.async() && (actor.surely_after(other) || mine.same_lanes(other)));
        };
        if (fine(line.write)) {
            if (!actor.writes) return read_line(actor, line, mine, 0xFFFF);
            if (fine(line.read) && fine(line.other_read)) {
                line.write = mine;
                line.read = line.other_read = {};
                line.newest = 0;
                return;
            }
        }
    }
    ShadowWords& words = words_of(line);
    for (unsigned k = 0; k < 16; ++k)
        access_word(actor, words, address + k * word_bytes, mine.of_word(k).lane(), 0xF, log_size);
    line.newest = std::max(line.newest, actor.async ? kept : actor.segment);
    if (!actor.writes) return;
    pool_.give(line.words);
    line = {};
    line.write = mine;
}

void RaceShadow::access_consecutive(const Actor& actor, std::uint64_t address, unsigned first_lane, unsigned size) {
    const auto log_size = static_cast<unsigned>(std::countr_zero(size));
    if (size >= word_bytes && address % line_bytes == 0) {
        const unsigned per_line = line_bytes / size;
        for (unsigned done = 0; done < 16; done += per_line)
            access_line(actor, line(address + done * size), address + done * size, first_lane + done, log_size);
        return;
    }
    for (unsigned l = 0; l < 16; ++l) access_one(actor, address + l * size, first_lane + l, size);
}

void RaceShadow::access_one(const Actor& actor, std::uint64_t address, unsigned lane, unsigned size) {
    ShadowLine& here = line(address);
    settle(actor, here);
    ShadowWords& words = words_of(here);
    here.newest = std::max(here.newest, actor.async ? kept : actor.segment);
    const auto log_size = static_cast<unsigned>(std::countr_zero(size));
    if (size < word_bytes)
        return access_word(actor, words, address & ~std::uint64_t{3}, lane, ((1u << size) - 1) << (address & 3),
                           log_size);
    for (unsigned at = 0; at < size; at += word_bytes) access_word(actor, words, address + at, lane, 0xF, log_size);
}

}  // namespace cudash::virtual_gpu
