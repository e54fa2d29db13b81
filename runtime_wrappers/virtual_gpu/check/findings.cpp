#include "runtime_wrappers/virtual_gpu/check/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime_wrappers/folded.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::size_t most_findings = 10;

}  // namespace

SourceSpot author_spot(const Launch& launch, const Code& code, const Instruction* at) {
    std::vector<Diagnostic::Note> callers;
    SourceSpot where = source_spot(launch, code, at, &callers);
    for (std::size_t i = 0; i < callers.size() && is_foreign(where); ++i) where = callers[i].where;
    return where;
}

ThreadSpot thread_spot(const Launch& launch, std::uint64_t block, std::uint32_t warp, unsigned lane) {
    const unsigned thread = warp * warp_size + lane;
    const Dim3& shape = launch.block;
    return {std::string(launch.kernel),
            launch.block_at(block),
            {thread % shape.x, thread / shape.x % shape.y, thread / shape.x / shape.y}};
}

std::string name_of_thread(const ThreadSpot& thread) {
    return fmt::format("thread {} of block {}", coordinates(thread.thread), coordinates(thread.block));
}

std::string name_of_place(const Launch& launch, std::uint64_t address) {
    const auto allocation = launch.memory->find(address);
    if (!allocation) return fmt::format("address {:#x}", address);
    const std::uint64_t at = address - allocation->begin;
    if (allocation->kind == MemoryKind::variable)
        return fmt::format("byte {} of {} ({} bytes)", at,
                           allocation->origin.empty() ? "a variable" : allocation->origin, allocation->size);
    const char* what = allocation->kind == MemoryKind::managed  ? "managed memory"
                       : allocation->kind == MemoryKind::device ? "device memory"
                       : allocation->kind == MemoryKind::heap   ? "the device's heap"
                                                                : "page-locked memory";
    return fmt::format("byte {} of {} bytes of {}{}", at, allocation->size, what,
                       allocation->origin.empty() ? "" : fmt::format(" ({})", allocation->origin));
}

std::string name_of_shared_place(const Launch& launch, std::uint64_t address) {
    const SharedVariable* holder = nullptr;
    bool several = false;
    for (const SharedVariable& each : launch.program->shared_variables) {
        const std::uint64_t bytes = each.bytes != 0 ? each.bytes : launch.dynamic_shared;
        if (address < each.begin || address >= each.begin + bytes) continue;
        several |= holder != nullptr;
        holder = &each;
    }
    // Arrays of dynamic shared memory begin at the same place.
    if (!holder || several) return fmt::format("byte {} of shared memory", address - launch.shared_base);
    return fmt::format("byte {} of {} ({} bytes of {}shared memory)", address - holder->begin, holder->name,
                       holder->bytes != 0 ? holder->bytes : launch.dynamic_shared,
                       holder->bytes != 0 ? "" : "dynamic ");
}

Findings::Found* Findings::find(std::string_view code, const void* place, const void* other_place) {
    for (Found& known : found_) {
        if (known.code != code) continue;
        if ((known.place == place && known.other_place == other_place) ||
            (known.place == other_place && known.other_place == place))
            return &known;
    }
    return nullptr;
}

void Findings::join(Findings&& other) {
    left_out_ += other.left_out_;
    same_values_.merge(other.same_values_);
    for (Found& each : other.found_) {
        if (Found* known = find(each.code, each.place, each.other_place)) {
            known->more += each.more + 1;
            if (known->remedy && each.remedy) known->remedy->join(*each.remedy);
        } else if (found_.size() == most_findings) {
            ++left_out_;
        } else {
            found_.push_back(std::move(each));
        }
    }
    other.found_.clear();
}

void Findings::add(std::string_view code, const void* place, const void* other_place,
                   const std::function<Diagnostic()>& make) {
    add_new(code, place, other_place, nullptr, make);
}

void Findings::add_new(std::string_view code, const void* place, const void* other_place, const OtherAccess* other,
                       const std::function<Diagnostic()>& make) {
    if (Found* known = find(code, place, other_place)) {
        ++known->more;
        return;
    }
    if (found_.size() == most_findings) {
        ++left_out_;
        return;
    }
    found_.push_back({code, place, other_place, make(), 0});
    if (watch) watch->found(found_.back().diagnostic, other);
}

void Findings::add_race(std::string_view code, const void* place, const void* other_place, RaceRemedy remedy,
                        const OtherAccess& other, const std::function<Diagnostic(RaceRemedy&)>& make) {
    const std::size_t before = found_.size();
    add_new(code, place, other_place, &other, [&] { return make(remedy); });
    if (found_.size() > before)
        found_.back().remedy = remedy;
    else if (Found* known = find(code, place, other_place); known && known->remedy)
        known->remedy->join(remedy);
}

std::string RaceRemedy::hint() const {
    if (reach == Reach::grid && has_barriers && within_line)
        return "__syncthreads() waits for the threads of one block, and others are in the middle of their steps: make "
               "each "
               "step a launch of its own. Where many threads add to one element, use an atomic function (atomicAdd)";
    if (lost_index)
        return reach == Reach::grid ? "threads of several blocks compute the same index: is a part such as blockIdx.x "
                                      "* blockDim.x missing, "
                                      "or a bound, as in if (col < width)? If they add to one element on purpose, use "
                                      "an atomic function "
                                      "(atomicAdd)"
                                    : "threads of a block compute the same index: is threadIdx.y missing in it? If "
                                      "they add to one element "
                                      "on purpose, use an atomic function (atomicAdd)";
    if (within_line && both_write)
        return "reading, changing and writing back is not one step: use an atomic function (atomicAdd), or let each "
               "thread have its own place";
    // Lanes of one warp met, but what one warp does here, the others do, too.
    const bool within_warp = reach == Reach::warp && !many_warps;
    const char* const barrier = within_warp ? "__syncwarp()" : "__syncthreads()";
    if (within_line && reach != Reach::grid)
        return fmt::format(
            "one thread reads here what another one writes here: read into a variable, then {0}, then write; in a "
            "loop, "
            "{0} at the end of its body as well{1}",
            barrier, within_warp ? "" : ". All threads must reach it: keep it out of if (t < n)");
    if (one_store && reach == Reach::grid)
        return "threads of several blocks write one element: let one of them do it, or use an atomic function "
               "(atomicAdd)";
    if (within_line)
        return "blocks run in any order, and one reads here what another one writes here: write to an array that "
               "nobody reads, or make two kernels of it";
    switch (reach) {
        case Reach::warp:
            return within_warp
                       ? "put __syncwarp() between the two: the lanes of a warp need not run in lockstep"
                       : "put __syncthreads() between the two, where all threads of the block pass; __syncwarp() "
                         "is enough if only one warp uses this data";
        case Reach::block:
            return shared ? "put __syncthreads() between the two, where all threads of the block pass"
                          : "put __syncthreads() between the two, or let each thread work on its own elements";
        case Reach::grid:
            break;
    }
    return "blocks run in any order: use atomic functions, or two kernels one after the other; where one block hands "
           "data to another, __threadfence() goes between the data and the atomic that announces it";
}

std::vector<Diagnostic> Findings::take() {
    // A remedy is for all that is found at a line, of whatever kind.
    for (Found& each : found_) {
        if (!each.remedy || !each.diagnostic.hint.empty()) continue;
        RaceRemedy all = *each.remedy;
        bool meets_itself = false;
        for (const Found& other : found_) {
            const SourceSpot &here = each.diagnostic.where, &there = other.diagnostic.where;
            if (!other.remedy || other.remedy->shared != all.shared || there.line != here.line ||
                there.file != here.file)
                continue;
            all.join(*other.remedy);
            meets_itself |= other.remedy->within_line;
        }
        all.both_write |= same_values_.contains(each.place) || same_values_.contains(each.other_place);
        if (all.both_write) all.within_line |= meets_itself;
        each.diagnostic.hint = all.hint();
    }
    std::vector<Diagnostic> told;
    std::vector<std::uint64_t> more;
    for (Found& each : found_) {
        // An inlined or unrolled line is several instructions and one mistake.
        const auto same = std::find_if(told.begin(), told.end(), [&](const Diagnostic& other) {
            return other.code == each.diagnostic.code && other.where.file == each.diagnostic.where.file &&
                   other.where.line == each.diagnostic.where.line;
        });
        if (same == told.end()) {
            told.push_back(std::move(each.diagnostic));
            more.push_back(each.more);
        } else {
            more[static_cast<std::size_t>(same - told.begin())] += each.more + 1;
        }
    }
    // A race explains what else its line shows: that a value was not there yet, or that some of the values were equal.
    const auto is_race = [](const Diagnostic& each) {
        return each.code == "shared-race" || each.code == "global-race";
    };
    const auto has_line = [](const Diagnostic& each, const SourceSpot& where) {
        if (where.line == 0) return false;
        const auto is = [&](const SourceSpot& spot) { return spot.line == where.line && spot.file == where.file; };
        return is(each.where) || std::any_of(each.notes.begin(), each.notes.end(),
                                             [&](const Diagnostic::Note& note) { return is(note.where); });
    };
    for (std::size_t i = told.size(); i-- > 0;) {
        if (told[i].code != "same-value-race" && told[i].code != "uninitialized-read") continue;
        const bool explained = std::any_of(told.begin(), told.end(), [&](const Diagnostic& race) {
            return is_race(race) && has_line(race, told[i].where);
        });
        if (!explained) continue;
        told.erase(told.begin() + static_cast<std::ptrdiff_t>(i));
        more.erase(more.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = 0; i < told.size(); ++i)
        if (more[i] != 0) told[i].notes.push_back(note_of_more(more[i], "at this line in this launch"));
    if (left_out_ != 0 && !told.empty())
        told.back().notes.push_back({"there are further findings, which are not shown", {}});
    found_.clear();
    return told;
}

}  // namespace cudash::virtual_gpu
