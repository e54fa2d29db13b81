// What a debugger sees of accesses: bytes that are about to change are saved, and those that are watched are told of.
#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/debug/debugger.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

/// From the first to the last lane of half a warp, where that is noted as one write.
constexpr std::int64_t longest_half = 1024;

Watched spot_of(ptx::Space written, std::uint64_t address) {
    if (written != ptx::Space::none) return {written, address};
    return virtual_gpu::spot_of(address);
}

}  // namespace

Watched spot_of(std::uint64_t address) {
    if (in_window(address, shared_window)) return {ptx::Space::shared, address - shared_window};
    if (in_window(address, local_window)) return {ptx::Space::local, address - local_window};
    if (in_window(address, param_window)) return {ptx::Space::param, address - param_window};
    return {ptx::Space::global, address};
}

void Debugger::access(const AccessRecord& record) {
    if (checker_) checker_->access(record);
    const bool writes = record.kind != AccessKind::load;
    if (writes) note_write(record);
    if (is_unstopped_) {
        for (const Watched& watched : concerned_by(record.kind))
            concerned_ = concerned_ || lanes_that_touch(record, watched) != 0;
        return;
    }
    if (mode_ == Mode::collect || (mode_ == Mode::search && go_.touches)) {
        const bool reads = record.kind != AccessKind::store;
        if (mode_ == Mode::search && *go_.touches == AccessKind::load ? reads : writes)
            note_touches(record, go_.watched, 0);
    } else if (writes && mode_ != Mode::to_moment && go_.breakpoints && go_.how != Go::How::leave) {
        for (std::size_t i = 0; i < watches.size(); ++i) note_touches(record, watches[i], i);
    }
}

bool Debugger::note_write_of_halves(const AccessRecord& record) {
    const std::int64_t reach = 15 * record.step;
    if (record.addresses || record.mask != full_mask || reach < 0 || reach > longest_half) return false;
    if (record.first[1] == record.first[0] + static_cast<std::uint64_t>(16 * record.step)) {
        const Watched spot = spot_of(record.space, record.first[0]);
        note_write(spot.space, spot.address, static_cast<std::uint64_t>(16 * record.step + reach) + record.size);
        return true;
    }
    for (unsigned h = 0; h < (record.first[0] == record.first[1] ? 1 : 2); ++h) {
        const Watched spot = spot_of(record.space, record.first[h]);
        note_write(spot.space, spot.address, static_cast<std::uint64_t>(reach) + record.size);
    }
    return true;
}

void Debugger::note_write(ptx::Space space, std::uint64_t address, std::uint64_t bytes) {
    if (space == ptx::Space::global)
        log_->save(address, bytes);
    else
        log_->note_write(space, address, bytes);
}

void Debugger::note_write(const AccessRecord& record) {
    if (note_write_of_halves(record)) return;
    Watched last;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        if (!(record.mask >> lane & 1)) continue;
        const Watched spot = spot_of(record.space, record.address(lane));
        if (spot.space == ptx::Space::global) {
            log_->save(spot.address, record.size);
        } else if (spot.space != last.space || spot.address != last.address) {
            // Of local memory, threads have the same addresses.
            log_->note_write(spot.space, spot.address, record.size);
            last = spot;
        }
    }
}

std::uint64_t Debugger::moment_of(std::uint64_t block, std::uint32_t warp) const {
    const auto runs = std::ranges::find(blocks_, block, [](const Block* each) { return each->number; });
    if (runs != blocks_.end() && warp < (*runs)->warps.size()) return (*runs)->warps[warp].stopped_at;
    return moment == 0 ? 0 : moment - 1;
}

std::uint32_t Debugger::lanes_that_touch(const AccessRecord& record, const Watched& watched) const {
    if (watched.space != ptx::Space::global && record.block != watched.block) return 0;
    std::uint32_t lanes = 0;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        if (!(record.mask >> lane & 1)) continue;
        const Watched spot = spot_of(record.space, record.address(lane));
        if (spot.space != watched.space || spot.address + record.size <= watched.address ||
            spot.address >= watched.address + watched.bytes)
            continue;
        const std::optional<WarpLane>& by = go_.by;
        if (by && (record.block != by->block || record.warp != by->warp || lane != by->lane)) continue;
        if (watched.space == ptx::Space::local && (record.warp != watched.warp || lane != watched.lane)) continue;
        lanes |= 1u << lane;
    }
    return lanes;
}

void Debugger::note_touches(const AccessRecord& record, const Watched& watched, std::size_t index) {
    const std::uint32_t lanes = lanes_that_touch(record, watched);
    if (lanes == 0) return;
    Touch touch;
    touch.watched = index;
    touch.moment = moment_of(record.block, record.warp);
    touch.kind = record.kind;
    touch.block = record.block;
    touch.warp = record.warp;
    touch.lanes = lanes;
    touch.code = record.code;
    touch.instruction = record.instruction;
    const auto runs = std::ranges::find(blocks_, record.block, [](const Block* each) { return each->number; });
    if (runs != blocks_.end() && record.warp < (*runs)->warps.size()) {
        const Warp& warp = (*runs)->warps[record.warp];
        if (warp.frame && warp.frame->code == record.code) {
            const CallPlace place = program_place(*launch_, warp.frame, record.instruction);
            touch.code = place.frame->code;
            touch.instruction = place.instruction;
        }
    }
    touch.before = read(watched);
    open_.push_back(std::move(touch));
    ask_again();
}

void Debugger::finish_touches() {
    std::vector<Touch> touches;
    touches.swap(open_);
    for (Touch& touch : touches) {
        const bool of_go = mode_ == Mode::collect || (mode_ == Mode::search && go_.touches);
        touch.after = read(of_go ? go_.watched : watches[touch.watched]);
        take(std::move(touch));
    }
}

void Debugger::take(Touch touch) {
    if (runs_to_limit() && touch.moment >= limit_) return;
    if (mode_ == Mode::collect) {
        collected_.push_back(std::move(touch));
    } else if (mode_ == Mode::search) {
        const std::uint64_t at = touch.moment;
        found_ = {at, go_.touches ? Stopped::Why::touched : Stopped::Why::watchpoint, std::move(touch)};
    } else if (touch.before != touch.after && !reported_ && touch.moment >= resumes_at_) {
        reported_ = std::move(touch);
    }
}

const std::byte* Debugger::memory_of(const Watched& what) const {
    if (what.space == ptx::Space::global || what.space == ptx::Space::constant)
        return launch_->memory->pointer(what.address, what.bytes);
    const auto found = std::ranges::find(blocks_, what.block, [](const Block* each) { return each->number; });
    if (found == blocks_.end()) return nullptr;
    const Block& block = **found;
    if (what.space == ptx::Space::shared) {
        const std::uint64_t begin = what.address - block.shared_base;
        return begin <= block.shared_bytes && what.bytes <= block.shared_bytes - begin ? block.shared + begin : nullptr;
    }
    if (what.space != ptx::Space::local || what.warp >= block.warps.size()) return nullptr;
    const Warp& warp = block.warps[what.warp];
    if (what.address > warp.local_size || what.bytes > warp.local_size - what.address) return nullptr;
    return warp.local + what.lane * warp.local_stride + what.address;
}

std::vector<std::byte> Debugger::read(const Watched& what) const {
    const std::byte* memory = memory_of(what);
    return memory ? std::vector<std::byte>(memory, memory + what.bytes) : std::vector<std::byte>();
}

}  // namespace cudash::virtual_gpu
