// Who wrote and who read each word last.
//
// PTX ISA, "Memory Consistency Model": two accesses that overlap, of which at least one writes, conflict; unless an
// order (check/order.h) lies between them, or both are strong, they race.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/order.h"

namespace cudash::virtual_gpu {

/// An access of one lane as the shadow keeps it; 0: none.
class Stamp {
public:
    Stamp() = default;
    explicit Stamp(std::uint64_t bits) : bits_(bits) {}
    Stamp(std::uint32_t segment, std::uint32_t site, unsigned lane, unsigned log_size, Strength strength, bool async)
        : bits_(std::uint64_t{segment} << 32 | std::uint64_t{site & 0xFFFF} << 16 | std::uint64_t{lane} << 11 |
                std::uint64_t{log_size} << 8 | std::uint64_t{async} << 7 | static_cast<std::uint64_t>(strength) << 5 |
                0xF) {}

    std::uint64_t bits() const { return bits_; }
    explicit operator bool() const { return bits_ != 0; }
    std::uint32_t segment() const { return static_cast<std::uint32_t>(bits_ >> 32); }
    std::uint32_t site() const { return bits_ >> 16 & 0xFFFF; }
    unsigned lane() const { return bits_ >> 11 & 31; }
    unsigned log_size() const { return bits_ >> 8 & 7; }
    bool async() const { return bits_ >> 7 & 1; }
    Strength strength() const { return static_cast<Strength>(bits_ >> 5 & 3); }
    /// Of the word's four.
    unsigned bytes() const { return bits_ & 0xF; }
    Stamp with_bytes(unsigned bytes) const { return Stamp((bits_ & ~std::uint64_t{0xF}) | bytes); }
    /// Of word k of a line, where this one stands for the line.
    Stamp of_word(std::size_t k) const {
        return bits_ == 0 ? *this : Stamp(bits_ + (std::uint64_t{k} * 4 >> log_size() << lane_shift));
    }
    bool same_lanes(Stamp other) const { return ((bits_ ^ other.bits_) & (who | std::uint64_t{7} << 8)) == 0; }
    bool same_thread(Stamp other) const { return ((bits_ ^ other.bits_) & who) == 0; }
    static constexpr std::uint64_t who = ~std::uint64_t{0xFFFFFFFF} | std::uint64_t{31} << 11;
    static constexpr unsigned lane_shift = 11, async_shift = 7, segment_shift = 32;

private:
    std::uint64_t bits_ = 0;
};

/// Two of those who read since the last write are kept: a third that nothing orders is not, for whoever writes there
/// meets one of the two.
struct ShadowLine {
    Stamp write, read, other_read;
};

/// The shadow of some memory: of lines of 64 bytes that half a warp accesses as a whole, lane by lane, one stamp stands
/// for all words; a line that is split has one for each word.
struct ShadowPlanes {
    ShadowLine* lines = nullptr;
    std::uint8_t* split = nullptr;                                   ///< by line
    Stamp *write = nullptr, *read = nullptr, *other_read = nullptr;  ///< by word, of lines that are split
    bool* any_read = nullptr;                                        ///< false: `read` and `other_read` are all empty
};

/// Who accesses, and what it knows.
struct Actor {
    const Order* order = nullptr;
    const BlockClock* block = nullptr;
    const WarpClock* clock = nullptr;
    std::uint32_t warp = 0;
    std::uint32_t segment = 0;
    /// Segments in [quick_first, quick_floor) and below `floor` come before; of others the clocks know.
    std::uint32_t floor = 0, quick_first = 0, quick_floor = 0;
    std::uint32_t grid_floor = 0;  ///< of the clock, when the floors were taken
    const AccessSite* site = nullptr;
    const AccessRecord* record = nullptr;
    bool writes = false, strong_writes = false;
    Strength strength = Strength::weak;
    bool async = false;

    bool is_atomic() const { return record->kind == AccessKind::atomic; }
    bool surely_after(Stamp stamp) const {
        const std::uint32_t then = stamp.segment();
        return then < floor || (then - quick_first) < (quick_floor - quick_first);
    }
    Stamp stamp(unsigned lane, unsigned log_size) const {
        return {segment, site->number, lane, log_size, strength, async};
    }
};

/// A conflict without an order.
struct RaceFound {
    const Actor* actor = nullptr;
    unsigned lane = 0;
    std::uint64_t address = 0;  ///< of the word, as the shadow counts it
    Stamp other;
    bool other_writes = false;
    bool copy_pending = false;  ///< the other is an asynchronous copy that nobody has waited for
};

/// Half a warp accesses consecutive places, lane by lane, or (each == 0) one and the same.
struct Run {
    std::uint64_t address = 0;
    std::uint32_t size = 0;    ///< bytes of a lane
    unsigned lane = 0;         ///< the first; of the same place the one that stands for all
    bool consecutive = false;  ///< 16 lanes, each its own place
};

class RaceShadow {
public:
    virtual ~RaceShadow() = default;
    void access(const Actor& actor, const Run& run);
    /// By each lane of `mask` at its own place.
    void access_apart(const Actor& actor, std::uint32_t mask, std::uint64_t window);
    /// The lane's place will be accessed in a moment.
    void expect(std::uint64_t address) const {
        if (address - window_.begin < window_.bytes) __builtin_prefetch(&window_.planes.write[word_at(address)], 1);
    }
    /// A read that is known to conflict with no write, told of later: `stamp` as of the time it was made.
    void note_read(const Actor& actor, const Run& run, Stamp stamp);
    /// Nobody has accessed these words, of which the first begins at `address`.
    void forget(std::uint64_t address, std::uint64_t bytes);

protected:
    /// The planes of the addresses from `begin` on.
    struct Window {
        std::uint64_t begin = 0, bytes = 0;
        ShadowPlanes planes;
    };
    virtual Window window_at(std::uint64_t address) = 0;
    void close_window() { window_ = {}; }
    virtual void found(const RaceFound& race) = 0;

private:
    void open(std::uint64_t address) {
        if (address - window_.begin >= window_.bytes) [[unlikely]]
            window_ = window_at(address);
    }
    std::size_t word_at(std::uint64_t address) const { return (address - window_.begin) / 4; }
    void split(std::size_t line) {
        if (!window_.planes.split[line]) [[unlikely]]
            split_now(line);
    }
    void split_now(std::size_t line);
    bool access_line(const Actor& actor, ShadowLine& line, Stamp mine);
    void access_words(const Actor& actor, std::size_t at, std::size_t count, Stamp mine, unsigned lane_step);
    bool access_quickly(const Actor& actor, std::size_t at, std::size_t count, Stamp mine, unsigned lane_step);
    void access_word(const Actor& actor, std::size_t at, Stamp mine);
    void access_bytes(const Actor& actor, std::uint64_t address, Stamp mine, unsigned size);
    void compare(const Actor& actor, Stamp mine, Stamp other, bool other_writes, std::size_t at);
    void note_reader(const Actor& actor, Stamp mine, std::size_t at);

    Window window_;
};

}  // namespace cudash::virtual_gpu
