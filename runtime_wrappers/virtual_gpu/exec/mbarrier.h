// mbarrier objects, and the operands of the copies that signal them.
#pragma once

#include <cstring>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"
#include "runtime_wrappers/virtual_gpu/exec/select.h"

namespace cudash::virtual_gpu {

/// An mbarrier object: what PTX leaves opaque. A phase ends when no arrivals and no bytes are pending.
class MBarrier {
public:
    explicit MBarrier(std::byte* memory) : memory_(memory) { std::memcpy(&bits_, memory, sizeof bits_); }
    static std::uint64_t fresh(std::uint64_t count) { return count << expected_at | count; }

    std::uint64_t state() const { return bits_; }
    static bool phase_of(std::uint64_t state) { return state >> 63; }
    static std::uint32_t pending_of(std::uint64_t state) { return static_cast<std::uint32_t>(state & count_mask); }

    void expect_bytes(std::int64_t bytes) { set_bytes(pending_bytes() + bytes); }
    void complete_bytes(std::int64_t bytes) {
        set_bytes(pending_bytes() - bytes);
        end_phase_if_complete();
    }
    void arrive(std::uint64_t count) {
        const std::uint64_t pending = pending_of(bits_);
        bits_ = (bits_ & ~count_mask) | (pending - std::min(count, pending));
        end_phase_if_complete();
    }
    void drop(std::uint64_t count) {
        const std::uint64_t expected = bits_ >> expected_at & count_mask;
        bits_ = (bits_ & ~(count_mask << expected_at)) | (expected - std::min(count, expected)) << expected_at;
        arrive(count);
    }
    void store() const { std::memcpy(memory_, &bits_, sizeof bits_); }

private:
    // Bits 0..19: pending arrivals, 20..39: arrivals of a phase, 40..62: pending bytes with sign, 63: the phase.
    static constexpr std::uint64_t count_mask = 0xFFFFF;
    static constexpr unsigned expected_at = 20, bytes_at = 40;
    static constexpr std::uint64_t bytes_mask = 0x7FFFFF;

    std::int64_t pending_bytes() const { return static_cast<std::int64_t>(bits_ << 1) >> (bytes_at + 1); }
    void set_bytes(std::int64_t bytes) {
        bits_ = (bits_ & ~(bytes_mask << bytes_at)) | (static_cast<std::uint64_t>(bytes) & bytes_mask) << bytes_at;
    }
    void end_phase_if_complete() {
        if (pending_of(bits_) != 0 || pending_bytes() != 0) return;
        bits_ ^= std::uint64_t{1} << 63;
        bits_ |= bits_ >> expected_at & count_mask;
    }

    std::byte* memory_;
    std::uint64_t bits_;
};

/// The addresses of a second memory operand: its register's offset, width and added constant are in Code::operands.
inline void read_addresses(Warp& w, const std::uint32_t* second, std::uint64_t (&address)[warp_size]) {
    const std::uint64_t added = std::uint64_t{second[3]} << 32 | second[2];
    for (unsigned l = 0; l < warp_size; ++l)
        address[l] = second[1] ? lanes<std::uint64_t>(w, second[0])[l] + added
                               : lanes<std::uint32_t>(w, second[0])[l] + static_cast<std::uint32_t>(added);
}
/// Decodes operand `from` as such and appends it; the first one stays in `out`.
inline bool add_second_address(Site& site, const ptx::Operand& from, ptx::Space space,
                               std::vector<std::uint32_t>& list) {
    const Instruction first = site.out;
    const auto memory = site.memory(from, space);
    list.insert(list.end(), {site.out.a, memory.wide, static_cast<std::uint32_t>(site.out.immediate),
                             static_cast<std::uint32_t>(static_cast<std::uint64_t>(site.out.immediate) >> 32)});
    site.out = first;
    return !memory.in_frame && !memory.kernel_parameter;
}

/// The mbarrier objects at object.address of the active lanes count `bytes(lane)` that have come.
template <class Bytes>
bool complete_bytes(const Instruction* i, Warp& w, Access& object, Bytes&& bytes) {
    const AccessShape shape{ptx::Space::shared, AccessKind::atomic, 8};
    if (!check_lanes(w, i, object, shape)) return false;
    if (w.observer) [[unlikely]]
        observe(w, i, object, shape);
    for_each_lane(w.mask, [&](unsigned l) {
        MBarrier done(object.at(l));
        done.complete_bytes(bytes(l));
        done.store();
    });
    return true;
}

}  // namespace cudash::virtual_gpu
