#include "runtime_wrappers/virtual_gpu/exec/saved_state.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace cudash::virtual_gpu {
namespace {

template <class List>
int place_in(const List& list, const typename List::value_type* one) {
    int place = 0;
    for (const auto& each : list) {
        if (&each == one) return place;
        ++place;
    }
    return -1;
}

template <class List>
std::vector<int> places_in(const List& list, const std::vector<typename List::value_type*>& some) {
    std::vector<int> places;
    for (const auto* each : some) places.push_back(place_in(list, each));
    return places;
}

template <class List>
auto* at_place(List& list, int place) {
    return place < 0 ? nullptr : &list[static_cast<std::size_t>(place)];
}

std::uint64_t bytes_of(const SavedWarp& warp) {
    std::uint64_t bytes = sizeof warp + warp.local.size() + warp.joins.size() * sizeof(SavedWarp::OneJoin) +
                          warp.fragments.size() * sizeof(SavedWarp::OneFragment);
    for (const SavedWarp::OneFrame& frame : warp.frames) bytes += sizeof frame + frame.registers.size();
    return bytes;
}

/// Of each thread's local memory what may have been written. alloca takes it from the other end.
std::uint32_t kept_local(const Warp& warp) {
    return warp.stack_top.empty() ? std::min(warp.local_used, warp.local_size) : warp.local_size;
}

/// What saving it takes, without what is small.
std::uint64_t estimate(const Block& block) {
    std::uint64_t bytes = block.shared_bytes;
    for (const Warp& warp : block.warps)
        bytes += std::uint64_t{warp_size} * kept_local(warp) + block.launch->program->functions.front()->frame_bytes;
    return bytes;
}

}  // namespace

SavedWarp Warp::saved() const {
    SavedWarp to;
    to.plain = plain_of_warp(*this);
    for (const Frame& each : frames_) {
        SavedWarp::OneFrame& made = to.frames.emplace_back();
        made.frame = each;
        made.caller = place_in(frames_, each.caller);
        if (each.users != 0) made.registers.assign(each.registers, each.registers + each.code->frame_bytes);
    }
    for (const Join& each : joins_)
        to.joins.push_back({each, place_in(frames_, each.frame), place_in(joins_, each.parent)});
    for (const Fragment& each : fragments)
        to.fragments.push_back({each, place_in(frames_, each.frame), place_in(joins_, each.join)});
    to.free_frames = places_in(frames_, free_frames_);
    to.free_joins = places_in(joins_, free_joins_);
    to.frame = place_in(frames_, frame);
    to.join = place_in(joins_, join);
    to.stepped = place_in(frames_, stepped);
    to.current = current_;
    to.slice_began = slice_began_;
    to.kept_local = kept_local(*this);
    to.local.resize(std::size_t{warp_size} * to.kept_local);
    for (unsigned lane = 0; lane < warp_size && to.kept_local != 0; ++lane)
        std::memcpy(to.local.data() + std::size_t{lane} * to.kept_local, local + lane * local_stride, to.kept_local);
    return to;
}

void Warp::restore(const SavedWarp& from) {
    plain_of_warp(*this) = from.plain;
    frames_.clear();
    for (const SavedWarp::OneFrame& each : from.frames) {
        Frame& made = frames_.emplace_back(each.frame);
        if (frames_.size() == 1) {
            made.registers = kernel_registers;
        } else if (!each.registers.empty()) {
            made.registers = worker->take_registers(*made.code);
        }
        std::ranges::copy(each.registers, made.registers);
    }
    for (std::size_t i = 0; i < frames_.size(); ++i) frames_[i].caller = at_place(frames_, from.frames[i].caller);
    joins_.clear();
    for (const SavedWarp::OneJoin& each : from.joins) joins_.push_back(each.join);
    for (std::size_t i = 0; i < joins_.size(); ++i) {
        joins_[i].frame = at_place(frames_, from.joins[i].frame);
        joins_[i].parent = at_place(joins_, from.joins[i].parent);
    }
    fragments.clear();
    for (const SavedWarp::OneFragment& each : from.fragments) {
        Fragment& made = fragments.emplace_back(each.fragment);
        made.frame = at_place(frames_, each.frame);
        made.join = at_place(joins_, each.join);
    }
    free_frames_.clear();
    for (const int place : from.free_frames) free_frames_.push_back(at_place(frames_, place));
    free_joins_.clear();
    for (const int place : from.free_joins) free_joins_.push_back(at_place(joins_, place));
    frame = at_place(frames_, from.frame);
    join = at_place(joins_, from.join);
    stepped = at_place(frames_, from.stepped);
    registers = frame ? frame->registers : nullptr;
    current_ = from.current;
    slice_began_ = from.slice_began;
    for (unsigned lane = 0; lane < warp_size && from.kept_local != 0; ++lane)
        std::memcpy(local + lane * local_stride, from.local.data() + std::size_t{lane} * from.kept_local,
                    from.kept_local);
}

SavedBlock Block::saved() const {
    SavedBlock to;
    to.number = number;
    to.plain = plain_of_block(*this);
    to.shared.assign(shared, shared + shared_bytes);
    for (const Warp& warp : warps) to.warps.push_back(warp.saved());
    return to;
}

void Block::restore(const SavedBlock& from) {
    plain_of_block(*this) = from.plain;
    std::ranges::copy(from.shared, shared);
    for (std::size_t i = 0; i < warps.size(); ++i) warps[i].restore(from.warps[i]);
}

std::uint64_t SavedBlock::bytes() const {
    std::uint64_t bytes = sizeof *this + shared.size();
    for (const SavedWarp& warp : warps) bytes += bytes_of(warp);
    return bytes;
}

void LeftByBlocks::forget(std::uint64_t first) {
    const auto forget_of = [&](auto& by_block) { by_block.erase(by_block.lower_bound(first), by_block.end()); };
    forget_of(faults), forget_of(texts), forget_of(asserts), forget_of(warnings);
}

LeftByBlocks LeftByBlocks::from(std::uint64_t first) const {
    LeftByBlocks made;
    const auto copy = [&](const auto& by_block, auto& to) { to.insert(by_block.lower_bound(first), by_block.end()); };
    copy(faults, made.faults), copy(texts, made.texts), copy(asserts, made.asserts), copy(warnings, made.warnings);
    return made;
}

void LeftByBlocks::add(const LeftByBlocks& others) {
    faults.insert(others.faults.begin(), others.faults.end());
    texts.insert(others.texts.begin(), others.texts.end());
    asserts.insert(others.asserts.begin(), others.asserts.end());
    warnings.insert(others.warnings.begin(), others.warnings.end());
}

std::shared_ptr<const SavedTurns> save(const Worker& worker, const Instruction* pc, std::uint64_t most_bytes) {
    const Turns* const turns = worker.turns;
    if (!turns || !turns->running) return nullptr;
    std::vector<const Block*> blocks = {turns->running.get()};
    for (const auto& each : turns->waiting) blocks.push_back(each.get());
    std::uint64_t bytes = 0;
    for (const Block* block : blocks) {
        if (block->lockstep.on || block->compiled) return nullptr;
        bytes += estimate(*block);
    }
    if (bytes > most_bytes) return nullptr;
    auto made = std::make_shared<SavedTurns>();
    made->pc = pc;
    for (const Block* block : blocks) {
        made->blocks.push_back(block->saved());
        made->bytes += made->blocks.back().bytes();
    }
    made->next = turns->next;
    made->watch = turns->watch;
    made->turns = turns->turns;
    made->round_progressed = turns->round_progressed;
    made->left = turns->left->from(turns->unit);
    made->done = turns->done->load();
    made->warp_instructions = worker.warp_instructions;
    made->thread_instructions = worker.thread_instructions;
    return made;
}

void restore(const SavedTurns& from, Worker& worker, Turns& turns) {
    for (const SavedBlock& each : from.blocks) {
        auto block = worker.start_block(each.number);
        block->restore(each);
        if (!turns.running) {
            turns.running = std::move(block);
        } else {
            turns.waiting.push_back(std::move(block));
        }
    }
    turns.next = from.next;
    turns.watch = from.watch;
    turns.turns = from.turns;
    turns.round_progressed = from.round_progressed;
}

}  // namespace cudash::virtual_gpu
