#include "runtime_wrappers/virtual_gpu/check/written_bytes.h"

#include <algorithm>

namespace cudash::virtual_gpu {
namespace {

/// Bits first..last of a word of 64.
std::uint64_t bits_between(unsigned first, unsigned last) {
    return (~std::uint64_t{0} >> (63 - last)) & (~std::uint64_t{0} << first);
}

}  // namespace

/// Looks along addresses without making room for what nobody noted.
class DeviceWrittenBytes::Reader {
public:
    explicit Reader(const DeviceWrittenBytes& bytes) : bytes_(bytes) {}

    std::uint64_t word(std::uint64_t address) {
        go_to(address);
        return chunk_ ? chunk_->bits[address % chunk_bytes / 64] : 0;
    }
    bool is_written(std::uint64_t address) { return word(address) >> address % 64 & 1; }
    /// The next written byte from `address` on; `end` if there is none.
    std::uint64_t next_written(std::uint64_t address, std::uint64_t end) {
        while (address < end) {
            go_to(address);
            if (!chunk_)
                address = (address / chunk_bytes + 1) * chunk_bytes;
            else if (address % 64 == 0 && word(address) == 0)
                address += 64;
            else if (is_written(address))
                return address;
            else
                ++address;
        }
        return end;
    }

private:
    void go_to(std::uint64_t address) {
        const std::uint64_t key = address / chunk_bytes;
        if (key == key_) return;
        key_ = key;
        chunk_ = bytes_.chunks_.find(address);
    }

    const DeviceWrittenBytes& bytes_;
    std::uint64_t key_ = ~std::uint64_t{0};
    const Chunk* chunk_ = nullptr;
};

void DeviceWrittenBytes::set(std::uint64_t address, std::uint64_t bytes, bool written) {
    const std::uint64_t end = address + bytes;
    while (address < end) {
        // Where there is no chunk nothing was written: memory of any size is new at once.
        if (!written && !chunks_.find(address)) {
            address = (address / chunk_bytes + 1) * chunk_bytes;
            continue;
        }
        const unsigned first = address % 64;
        const std::uint64_t here = std::min<std::uint64_t>(end - address, 64 - first);
        const std::uint64_t bits = bits_between(first, first + static_cast<unsigned>(here) - 1);
        std::uint64_t& word_here = *word(address);
        word_here = written ? word_here | bits : word_here & ~bits;
        address += here;
    }
}

const std::uint64_t* DeviceWrittenBytes::find_chunk(std::uint64_t address) const {
    static constexpr Chunk nothing{};
    const Chunk* const chunk = chunks_.find(address);
    return chunk ? chunk->bits : nothing.bits;
}

void DeviceWrittenBytes::look_at_allocations() {
    auto now = memory_.snapshot();
    if (now == seen_) return;
    seen_ = std::move(now);
    for (const Allocation& allocation : *seen_) {
        Known& known = known_[allocation.begin];
        if (known.serial == allocation.serial) continue;
        // Other kinds are initialised, or the host writes to them unseen.
        known = {allocation.serial, allocation.size, allocation.kind == MemoryKind::device, 0, false};
        set(allocation.begin, allocation.size, !known.tracked);
    }
}

void DeviceWrittenBytes::all_written() {
    look_at_allocations();
    for (const Allocation& allocation : *seen_) {
        Known& known = known_[allocation.begin];
        if (!known.tracked) continue;
        known.tracked = false;
        set(allocation.begin, allocation.size, true);
    }
}

bool DeviceWrittenBytes::all_is_written(const Allocation& allocation) {
    Known& known = known_[allocation.begin];
    if (known.complete) return true;
    std::uint64_t begin, length, total;
    return known.complete = !find_unwritten(allocation.begin, allocation.size, 1, begin, length, total);
}

void DeviceWrittenBytes::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    if (Known* known = known_at(to)) known->complete = false;
    for (std::uint64_t at = 0; at < bytes; ++at) {
        if ((to + at) % 64 == 0 && (from + at) % 64 == 0 && bytes - at >= 64) {
            *word(to + at) = *word(from + at);
            at += 63;
            continue;
        }
        const std::uint64_t bit = std::uint64_t{1} << (to + at) % 64;
        std::uint64_t& target = *word(to + at);
        target = is_written(from + at) ? target | bit : target & ~bit;
    }
}

bool DeviceWrittenBytes::find_unwritten(std::uint64_t address, std::uint64_t bytes, std::uint64_t least,
                                        std::uint64_t& begin, std::uint64_t& length, std::uint64_t& total) {
    bool any = false;
    total = 0;
    Reader reader(*this);
    for (std::uint64_t at = address, end = address + bytes; at < end;) {
        if (at % 64 == 0 && reader.word(at) == ~std::uint64_t{0}) {
            at += 64;
            continue;
        }
        if (reader.is_written(at)) {
            ++at;
            continue;
        }
        const std::uint64_t first = at;
        at = reader.next_written(at, end);
        if (at - first < least) continue;
        total += at - first;
        if (any) continue;
        any = true;
        begin = first;
        length = at - first;
    }
    return any;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> DeviceWrittenBytes::unwritten(std::uint64_t address,
                                                                                   std::uint64_t bytes,
                                                                                   std::size_t most) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
    Reader reader(*this);
    const std::uint64_t end = address + bytes;
    std::uint64_t first = address;  // of a run, if it ends behind it
    const auto end_run = [&](std::uint64_t at) {
        if (at > first) runs.emplace_back(first - address, at - first);
    };
    for (std::uint64_t at = address; at < end && runs.size() < most;) {
        const std::uint64_t bits = at % 64 == 0 && end - at >= 64 ? reader.word(at) : 1;
        const std::uint64_t step = bits == 0 || ~bits == 0 ? 64 : 1;
        const bool written = step == 64 ? bits != 0 : reader.is_written(at);
        if (written) end_run(at);
        at += step;
        if (written) first = at;
        if (at >= end && runs.size() < most) end_run(end);
    }
    return runs;
}

DeviceWrittenBytes::Known* DeviceWrittenBytes::known_at(std::uint64_t address) {
    if (!seen_) return nullptr;
    auto after = std::upper_bound(seen_->begin(), seen_->end(), address,
                                  [](std::uint64_t value, const Allocation& each) { return value < each.begin; });
    return after == seen_->begin() ? nullptr : &known_[std::prev(after)->begin];
}

void DeviceWrittenBytes::note_access_size(std::uint64_t address, std::uint32_t size) {
    if (Known* known = known_at(address)) known->widest = std::max(known->widest, size);
}

std::uint32_t DeviceWrittenBytes::widest_access(std::uint64_t address) {
    const Known* known = known_at(address);
    return known ? known->widest : 0;
}

}  // namespace cudash::virtual_gpu
