// Who wrote and who read each word last, by lines of 64 bytes: where half a warp accesses a whole line, lane by lane,
// one entry stands for its 16 words.
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
    /// Stands for a line of which one lane reads words, instead of each lane its own.
    static constexpr unsigned one_lane = 6;
    /// Of word k of a line, where this one stands for a whole line whose first lane it names.
    Stamp of_word(unsigned k) const {
        return Stamp((bits_ & ~(std::uint64_t{31} << 11)) | std::uint64_t{(lane() + (k * 4 >> log_size())) & 31} << 11);
    }
    bool same_thread(Stamp other) const {
        constexpr std::uint64_t who = ~std::uint64_t{0xFFFFFFFF} | std::uint64_t{31} << 11;
        return ((bits_ ^ other.bits_) & who) == 0;
    }
    bool same_lanes(Stamp other) const {
        constexpr std::uint64_t who = ~std::uint64_t{0xFFFFFFFF} | std::uint64_t{31} << 11 | std::uint64_t{7} << 8;
        return ((bits_ ^ other.bits_) & who) == 0;
    }

private:
    std::uint64_t bits_ = 0;
};

struct ShadowLine {
    Stamp write, read, other_read;
    std::uint32_t words = 0;  ///< the line's entry in WordPool; 0: the stamps above are those of the line
    /// With words: the newest segment in them. Without: which words the readers read, 16 bits each.
    std::uint32_t newest = 0;

    unsigned read_words() const { return newest & 0xFFFF; }
    unsigned other_read_words() const { return newest >> 16; }
    void set_read(Stamp stamp, unsigned mask) { read = stamp, newest = (newest & 0xFFFF0000) | mask; }
    void set_other_read(Stamp stamp, unsigned mask) { other_read = stamp, newest = (newest & 0xFFFF) | mask << 16; }
};

struct ShadowWord {
    Stamp write, read, other_read;
};
struct ShadowWords {
    ShadowWord word[16];
};

class WordPool {
public:
    std::uint32_t take();
    void give(std::uint32_t index) { free_.push_back(index); }
    ShadowWords& at(std::uint32_t index) { return blocks_[index >> shift][index & mask]; }
    void clear();
    /// Forgets all entries, and keeps the memory.
    void reuse() { free_.clear(), used_ = 1; }

private:
    static constexpr unsigned shift = 8, mask = 255;
    std::vector<std::unique_ptr<ShadowWords[]>> blocks_;
    std::vector<std::uint32_t> free_;
    std::uint32_t used_ = 1;
};

/// Who accesses, and what it knows.
struct Actor {
    const Order* order = nullptr;
    const BlockClock* block = nullptr;
    const WarpClock* clock = nullptr;
    std::uint32_t warp = 0;
    std::uint32_t segment = 0;
    /// Segments in [quick_first, quick_floor) and below grid_floor come before; of others the clocks know.
    std::uint32_t grid_floor = 0, quick_first = 0, quick_floor = 0;
    /// Segments below it come before what anyone does now.
    std::uint32_t dead_floor = 0;
    const AccessSite* site = nullptr;
    const AccessRecord* record = nullptr;
    bool writes = false, strong_writes = false;
    Strength strength = Strength::weak;
    bool async = false;

    bool surely_after(Stamp stamp) const {
        const std::uint32_t then = stamp.segment();
        return then < grid_floor || (then - quick_first) < (quick_floor - quick_first);
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

class RaceShadow {
public:
    virtual ~RaceShadow() = default;
    /// Accesses by the lanes of one half of a warp: consecutive, from `address` on, the whole half.
    void access_consecutive(const Actor& actor, std::uint64_t address, unsigned first_lane, unsigned size);
    void access_one(const Actor& actor, std::uint64_t address, unsigned lane, unsigned size);
    /// Lanes read one place; `lane` stands for them.
    void read_uniform(const Actor& actor, std::uint64_t address, unsigned lane, unsigned size);

protected:
    /// Lines of the addresses from `begin` on.
    struct Window {
        std::uint64_t begin = 0, bytes = 0;
        ShadowLine* lines = nullptr;
    };
    virtual Window window_at(std::uint64_t address) = 0;
    void close_window() { window_ = {}; }
    virtual void found(const RaceFound& race) = 0;
    WordPool pool_;

private:
    ShadowLine& line(std::uint64_t address) {
        if (address - window_.begin >= window_.bytes) window_ = window_at(address);
        return window_.lines[(address - window_.begin) / 64];
    }
    void read_line(const Actor& actor, ShadowLine& line, Stamp mine, unsigned words);
    void access_line(const Actor& actor, ShadowLine& line, std::uint64_t address, unsigned first_lane,
                     unsigned log_size);
    void access_word(const Actor& actor, ShadowWords& words, std::uint64_t address, unsigned lane, unsigned bytes,
                     unsigned log_size);
    void settle(const Actor& actor, ShadowLine& line);
    ShadowWords& words_of(ShadowLine& line);
    void compare(const Actor& actor, Stamp mine, Stamp other, bool other_writes, std::uint64_t address);
    void note_read(const Actor& actor, Stamp mine, Stamp& read, Stamp& other_read);

    Window window_;
};

}  // namespace cudash::virtual_gpu
