#include "runtime_wrappers/virtual_gpu/isa/decode/register_allocation.h"

#include <algorithm>
#include <bit>
#include <map>
#include <queue>

namespace cudash::virtual_gpu {
namespace {

class BitRow {
public:
    explicit BitRow(std::size_t bits) : words_((bits + 63) / 64) {}
    void set(std::uint32_t i) { words_[i / 64] |= 1ull << i % 64; }
    bool test(std::uint32_t i) const { return words_[i / 64] >> i % 64 & 1; }
    /// True if it grew.
    bool join(const BitRow& other) {
        bool grew = false;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            grew |= (other.words_[i] & ~words_[i]) != 0;
            words_[i] |= other.words_[i];
        }
        return grew;
    }
    bool join_without(const BitRow& other, const BitRow& without) {
        bool grew = false;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            std::uint64_t added = other.words_[i] & ~without.words_[i];
            grew |= (added & ~words_[i]) != 0;
            words_[i] |= added;
        }
        return grew;
    }

    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
                visit(static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(left)));
    }

private:
    std::vector<std::uint64_t> words_;
};

struct Lifetime {
    std::uint32_t first = ~0u, last = 0;
    void cover(std::uint32_t at) {
        first = std::min(first, at);
        last = std::max(last, at);
    }
    bool empty() const { return first == ~0u; }
};

constexpr std::uint32_t no_bit = ~0u;

/// Registers that may be live where a block begins: those of several blocks, or read before they are written in one.
/// Of most registers of a big function neither is true.
std::vector<std::uint32_t> find_travellers(std::uint32_t registers, const std::vector<RegisterUse>& uses,
                                           const std::vector<FlowBlock>& blocks) {
    constexpr std::uint32_t nowhere = ~0u;
    std::vector<std::uint32_t> home(registers, nowhere);
    std::vector<bool> travels(registers);
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
        for (std::uint32_t i = blocks[b].first; i <= blocks[b].last; ++i) {
            for (std::uint32_t r : uses[i].reads) {
                if (home[r] != b) travels[r] = true;
                home[r] = b;
            }
            for (std::uint32_t r : uses[i].writes) {
                if (home[r] != b && (home[r] != nowhere || uses[i].may_keep)) travels[r] = true;
                home[r] = b;
            }
        }
    std::vector<std::uint32_t> found;
    for (std::uint32_t r = 0; r < registers; ++r)
        if (travels[r]) found.push_back(r);
    return found;
}

constexpr unsigned slot_bytes(unsigned lane_bytes) {
    return lane_bytes == 0 ? 4 : lane_bytes * 32;
}

/// How long each register's value is needed.
struct Lifetimes {
    std::vector<Lifetime> of;                     ///< by register
    std::vector<std::uint32_t> live_at_entrance;  ///< registers that are read before anything has written them
};

Lifetimes lifetimes_of(std::uint32_t registers, const std::vector<RegisterUse>& uses,
                       const std::vector<FlowBlock>& blocks, const std::vector<std::uint32_t>& always_live) {
    Lifetimes found{std::vector<Lifetime>(registers), {}};
    auto& lifetimes = found.of;
    const std::vector<std::uint32_t> travellers = find_travellers(registers, uses, blocks);
    std::vector<std::uint32_t> bit(registers, no_bit);
    for (std::uint32_t i = 0; i < travellers.size(); ++i) bit[travellers[i]] = i;
    std::vector<BitRow> live_in(blocks.size(), BitRow(travellers.size())), live_out = live_in, killed = live_in;

    for (std::size_t b = 0; b < blocks.size(); ++b)
        for (std::uint32_t i = blocks[b].first; i <= blocks[b].last; ++i) {
            for (std::uint32_t r : uses[i].reads) {
                lifetimes[r].cover(i);
                if (bit[r] != no_bit && !killed[b].test(bit[r])) live_in[b].set(bit[r]);
            }
            for (std::uint32_t r : uses[i].writes) {
                lifetimes[r].cover(i);
                if (bit[r] == no_bit) continue;
                if (!uses[i].may_keep) {
                    killed[b].set(bit[r]);
                } else if (!killed[b].test(bit[r])) {
                    live_in[b].set(bit[r]);
                }
            }
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = blocks.size(); b-- > 0;) {
            for (std::uint32_t successor : blocks[b].successors) live_out[b].join(live_in[successor]);
            changed |= live_in[b].join_without(live_out[b], killed[b]);
        }
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        live_in[b].for_each([&](std::uint32_t i) { lifetimes[travellers[i]].cover(blocks[b].first); });
        live_out[b].for_each([&](std::uint32_t i) { lifetimes[travellers[i]].cover(blocks[b].last); });
    }
    for (std::uint32_t r : always_live) {
        lifetimes[r].cover(0);
        lifetimes[r].cover(uses.empty() ? 0 : static_cast<std::uint32_t>(uses.size()) - 1);
    }
    if (!blocks.empty()) live_in[0].for_each([&](std::uint32_t i) { found.live_at_entrance.push_back(travellers[i]); });
    return found;
}

/// Slots of one size. Sizes never share: an instruction may then write lane by lane over a source of its own size only.
struct SlotClass {
    std::uint32_t used = 0;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
    std::multimap<std::uint32_t, std::uint32_t> busy;  ///< slots by the end of their register's lifetime

    std::uint32_t take(const Lifetime& lifetime) {
        while (!busy.empty() && busy.begin()->first < lifetime.first) {
            free.push(busy.begin()->second);
            busy.erase(busy.begin());
        }
        std::uint32_t slot = used;
        if (free.empty()) {
            ++used;
        } else {
            slot = free.top();
            free.pop();
        }
        busy.emplace(lifetime.last, slot);
        return slot;
    }
};

}  // namespace

RegisterPlaces place_registers(const std::vector<unsigned>& lane_bytes, const std::vector<RegisterUse>& uses,
                               const std::vector<FlowBlock>& blocks, const std::vector<std::uint32_t>& always_live) {
    const auto registers = static_cast<std::uint32_t>(lane_bytes.size());
    const Lifetimes lifetimes = lifetimes_of(registers, uses, blocks, always_live);
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < registers; ++r)
        if (!lifetimes.of[r].empty()) order.push_back(r);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t r) { return lifetimes.of[r].first; });
    std::map<unsigned, SlotClass, std::greater<>> classes;
    std::vector<std::uint32_t> slot(registers);
    for (std::uint32_t r : order) slot[r] = classes[lane_bytes[r]].take(lifetimes.of[r]);

    RegisterPlaces places;
    std::map<unsigned, std::uint32_t> base;
    places.scratch = 0;
    places.bytes = 512;
    for (const auto& [bytes, of_size] : classes) {
        base[bytes] = places.bytes;
        places.bytes += of_size.used * slot_bytes(bytes);
    }
    places.bytes = (places.bytes + 63) / 64 * 64;
    places.offsets.assign(registers, places.scratch);
    for (std::uint32_t r : order) places.offsets[r] = base[lane_bytes[r]] + slot[r] * slot_bytes(lane_bytes[r]);
    for (std::uint32_t r : lifetimes.live_at_entrance)
        places.cleared.emplace_back(places.offsets[r], slot_bytes(lane_bytes[r]));
    return places;
}

}  // namespace cudash::virtual_gpu
