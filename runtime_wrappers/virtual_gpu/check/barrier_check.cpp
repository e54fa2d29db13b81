#include "runtime_wrappers/virtual_gpu/check/barrier_check.h"

#include <fmt/format.h>

#include <bit>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace {

const ptx::Instruction* written(const PlaceRecord& record) {
    return record.code->written[record.code->index_of(record.instruction)];
}
const void* key_of(const PlaceRecord& record) {
    return &record.code->instructions[record.code->index_of(record.instruction)];
}

std::uint32_t first_lanes(const Launch& launch, std::size_t warp) {
    const std::uint64_t left = launch.block_threads() - warp * warp_size;
    return left >= warp_size ? full_mask : (1u << left) - 1;
}

/// "threads 100-127"
std::string missing_threads(const Launch& launch, const std::vector<std::uint32_t>& came, std::uint64_t& count) {
    std::string text;
    std::uint64_t first = 0, last = 0, ranges = 0;
    count = 0;
    const auto flush = [&] {
        if (first == last) return;
        ++ranges;
        if (ranges > 4) return;
        if (!text.empty()) text += ", ";
        text += last - first == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, last - 1);
    };
    for (std::uint64_t thread = 0; thread < launch.block_threads(); ++thread) {
        if (came[thread / warp_size] >> thread % warp_size & 1) continue;
        ++count;
        if (thread != last || first == last) {
            flush();
            first = thread;
        }
        last = thread + 1;
    }
    flush();
    return ranges > 4 ? text + " and more" : text;
}

}  // namespace

void BarrierPhase::add(const PlaceRecord& record, std::size_t warps, bool waits) {
    came.resize(warps, 0);
    waited.resize(warps, 0);
    came[record.warp] |= record.mask;
    if (waits) waited[record.warp] |= record.mask;
    const std::uint32_t index = record.code->index_of(record.instruction);
    // Operand b is the number of threads (barriers.cpp); bar.arrive always has it.
    counted |= !waits || record.instruction->count != 0;
    for (const Place& place : places)
        if (place.index == index && place.record.code == record.code) return;
    places.push_back({record, index});
}

void BarrierPhase::clear() {
    came.clear();
    waited.clear();
    places.clear();
    counted = false;
}

void BarrierCheck::completed(const BarrierPhase& phase, std::uint64_t block) const {
    if (phase.counted || phase.places.empty()) return;
    const Launch& launch = findings_.launch();
    const PlaceRecord& first = phase.places.front().record;
    const SourceSpot where = author_spot(launch, *first.code, first.instruction);
    const auto thread = thread_spot(launch, block, first.warp, static_cast<unsigned>(std::countr_zero(first.mask)));
    for (std::size_t i = 1; i < phase.places.size(); ++i) {
        const PlaceRecord& other = phase.places[i].record;
        const SourceSpot there = author_spot(launch, *other.code, other.instruction);
        if (there.file == where.file && there.line == where.line) continue;
        findings_.add("barrier-divergence", key_of(first), key_of(other), [&] {
            Diagnostic made = error(
                "barrier-divergence", "some threads of the block wait at this __syncthreads(), others at another one",
                "take __syncthreads() out of the branch: every thread of the block must come to the "
                "same one");
            made.where = where;
            made.thread = thread;
            const auto who =
                thread_spot(launch, block, other.warp, static_cast<unsigned>(std::countr_zero(other.mask)));
            made.notes.push_back(
                {fmt::format("the other: {} waits", name_of_thread(who)), {there.file, there.line, 0}});
            return made;
        });
        return;
    }
    bool whole = true;
    for (std::size_t w = 0; w < phase.came.size(); ++w) whole &= phase.came[w] == first_lanes(launch, w);
    if (whole) return;
    findings_.add("barrier-exited", key_of(first), nullptr, [&] {
        std::uint64_t count = 0;
        const std::string who = missing_threads(launch, phase.came, count);
        Diagnostic made = error("barrier-exited",
                                fmt::format("{} of the block's {} threads ended before this __syncthreads()", count,
                                            launch.block_threads()),
                                "the barrier waits for the threads that have not exited, so this is legal today; older "
                                "guides did not promise it. Keep all threads to the last barrier, and guard the "
                                "accesses instead");
        made.severity = Diagnostic::Severity::note;
        made.where = where;
        made.thread = thread;
        made.notes.push_back({fmt::format("thread{} {} of block {} did not reach it", count == 1 ? "" : "s", who,
                                          fmt::format("({},{},{})", thread.block.x, thread.block.y, thread.block.z)),
                              {}});
        return made;
    });
}

void BarrierCheck::collective(const CollectiveRecord& record) const {
    if (!record.named) return;
    for (unsigned l = 0; l < warp_size; ++l) {
        if ((record.mask >> l & 1) == 0 || (record.named[l] >> l & 1)) continue;
        // What has no mask (activemask, votes without .sync) is given none.
        if (record.named[l] == 0 && record.members == 0) return;
        findings_.add("mask-without-caller", key_of(record), nullptr, [&] {
            const Launch& launch = findings_.launch();
            const ptx::Instruction* text = written(record);
            const InstructionRow* row = text ? find_instruction(text->mnemonic) : nullptr;
            const bool sync = row && row->instruction_class == Class::barrier;
            Diagnostic made =
                error("mask-without-caller",
                      fmt::format("lane {} calls {} with the mask {:#010x}, which does not name it", l,
                                  sync ? "__syncwarp()" : "a warp-level function", record.named[l]),
                      "each caller's own bit must be set: give the mask of all lanes that make the call, as "
                      "__ballot_sync() gave it before the branch, or 0xffffffff where all come");
            made.where = author_spot(launch, *record.code, record.instruction);
            made.thread = thread_spot(launch, record.block, record.warp, l);
            return made;
        });
        return;
    }
}

void BarrierCheck::shuffle(const ShuffleRecord& record) const {
    const ptx::Instruction* text = written(record);
    if (!text) return;
    const ModSet mods = parse_modifiers(text->modifiers).set;
    // In a reduction by __shfl_down_sync the upper lanes read beyond the mask, and nobody uses what they get.
    const unsigned lowest = static_cast<unsigned>(std::countr_zero(record.mask));
    if (mods.has(Mod::down) && record.lane != lowest) return;
    findings_.add("shuffle-source", key_of(record), nullptr, [&] {
        const Launch& launch = findings_.launch();
        Diagnostic made =
            error("shuffle-source",
                  fmt::format("lane {} reads the value of lane {}, which takes no part in this shuffle", record.lane,
                              record.source),
                  "the value is undefined: let all lanes that are read from make the call, and name them in the mask");
        made.where = author_spot(launch, *record.code, record.instruction);
        made.thread = thread_spot(launch, record.block, record.warp, record.lane);
        made.notes.push_back({fmt::format("the lanes that make the call: {:#010x}", record.mask), {}});
        return made;
    });
}

}  // namespace cudash::virtual_gpu
