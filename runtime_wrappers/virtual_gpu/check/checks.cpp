#include "runtime_wrappers/virtual_gpu/check/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/check/halves.h"
#include "runtime_wrappers/virtual_gpu/check/read_only_memory.h"
#include "runtime_wrappers/virtual_gpu/check/shared_aliases.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {
namespace {

/// A kernel that was cut off in so many launches of one shape is looked at less in the next ones of that shape.
constexpr unsigned cut_off_in_full = 8;
constexpr std::uint64_t less = 16;
constexpr std::size_t most_shapes = 4096;

Checks::Shape shape_of(const Launch& launch) {
    const Dim3 &grid = launch.grid, &block = launch.block;
    return {launch.program->serial, grid.x, grid.y, grid.z, block.x, block.y, block.z};
}

}  // namespace

/// Of a program that launches a big kernel a thousand times, looking would take more time than running. Only what is
/// cut off anyway gets less: a launch that was seen to its end says what is written, for all that follow.
Selection Checks::selection_for(const Launch& launch) const {
    Selection selection = wished_;
    const auto seen = cut_off_.find(shape_of(launch));
    if (seen != cut_off_.end() && seen->second >= cut_off_in_full) selection.budget /= less;
    return selection;
}

void Checks::note_cut_off(const Launch& launch) {
    if (selection_.budget == 0 || !selection_.any()) return;
    if (cut_off_.size() == most_shapes) cut_off_.clear();
    ++cut_off_[shape_of(launch)];
}

void Checks::launch_begins(const Launch& launch) {
    all_written_.look_at_allocations();
    has_second_ = false;
    read_only_memory_.clear();
    uses_ = {};
    // Nobody is told of what is read there.
    if (wished_.any() && !footprint_.on && watched.empty())
        read_only_memory_ = find_read_only_memory(launch, all_written_);
    begin(launch, selection_for(launch), all_written_, true);
    if (wished_.has(Checker::aliasing)) find_shared_aliases(launch, findings_);
}

/// Where only the first accesses are looked at, two observers would not be worth their while.
Observer* Checks::second_half() {
    if (!wanted_ || selection_.budget != 0 || !watched.empty()) return nullptr;
    const Launch& launch = findings_.launch();
    if (!second_) second_ = std::make_unique<BlockChecks>();
    second_->read_only_memory_ = read_only_memory_;
    second_->footprint_.on = footprint_.on;
    second_->begin(launch, wished_, all_written_, false);
    written_.begin(all_written_, false);
    has_second_ = true;
    return second_.get();
}

void Checks::join_second_half() {
    second_->forget_blocks();
    ended_ += second_->ended_;
    detached_ |= second_->detached_;
    second_->written_.merge();
    written_.merge();
    access_sizes_.insert(access_sizes_.end(), second_->access_sizes_.begin(), second_->access_sizes_.end());
    second_->access_sizes_.clear();
    // A fault in the first half ends the launch, however far the second one came.
    if (ended_ != findings_.launch().grid_blocks()) return;
    findings_.join(std::move(second_->findings_));
    if (selection_.has(Checker::global_race))
        find_races_between_halves({order_, sites_, global_}, {second_->order_, second_->sites_, second_->global_},
                                  findings_);
}

std::vector<Diagnostic> Checks::launch_ends() {
    forget_blocks();
    if (has_second_) join_second_half();
    for (const auto& [address, size] : access_sizes_) all_written_.note_access_size(address, size);
    access_sizes_.clear();
    if (footprint_.on) {
        BlockChecks::take_uses(uses_);
        if (has_second_) second_->take_uses(uses_);
        uses_.signals = signals_.of(*findings_.launch().program);
        uses_.complete = !detached_ && ended_ == findings_.launch().grid_blocks();
    }
    if (detached_ || ended_ != findings_.launch().grid_blocks()) {
        all_written_.all_written();
        note_cut_off(findings_.launch());
    }
    return findings_.take();
}

bool Checks::wants_launch(bool uses) const {
    Selection others = wished_;
    others.on.reset(static_cast<std::size_t>(Checker::stream_race));
    return uses || others.any();
}

void Checks::memory_written(std::uint64_t address, std::uint64_t bytes) {
    all_written_.look_at_allocations();
    all_written_.note_written(address, bytes);
}

void Checks::memory_copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    all_written_.look_at_allocations();
    all_written_.copy(to, from, bytes);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Checks::unwritten(const AddressSpace& memory,
                                                                       std::uint64_t address, std::uint64_t bytes,
                                                                       std::size_t most) {
    const auto allocation = memory.find(address);
    if (!allocation || !allocation->contains(address, bytes)) return {};
    all_written_.look_at_allocations();
    return all_written_.unwritten(address, bytes, most);
}

std::optional<Diagnostic> Checks::copied_to_host(const AddressSpace& memory, std::uint64_t from, std::uint64_t bytes) {
    if (!wished_.has(Checker::initialised)) return std::nullopt;
    all_written_.look_at_allocations();
    // Padding is smaller than the widest access to the structs that have it.
    const std::uint64_t least = std::max<std::uint64_t>(all_written_.widest_access(from), 1);
    std::uint64_t begin = 0, length = 0, total = 0;
    if (!all_written_.find_unwritten(from, bytes, least, begin, length, total)) return std::nullopt;
    const auto allocation = memory.find(from);
    if (!allocation) return std::nullopt;
    // What lies between rows is never written.
    if (allocation->pitch != 0) return std::nullopt;
    const std::uint64_t at = begin - allocation->begin;
    Diagnostic made = error(
        "uninitialized-copy",
        total == bytes
            ? fmt::format("copies {} bytes to the host that nothing on the device has written", bytes)
            : fmt::format("copies {} bytes to the host; nothing on the device has written {} of them", bytes, total),
        "did the kernel run, and for all elements? (n + threads - 1) / threads blocks cover n elements");
    made.severity = Diagnostic::Severity::warning;
    made.notes.push_back(
        {fmt::format("never written: bytes {} to {} of {} bytes of device memory{}", at, at + length - 1,
                     allocation->size, allocation->origin.empty() ? "" : fmt::format(" ({})", allocation->origin)),
         {}});
    return made;
}

}  // namespace cudash::virtual_gpu
