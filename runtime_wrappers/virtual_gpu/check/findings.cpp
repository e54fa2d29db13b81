#include "runtime_wrappers/virtual_gpu/check/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::size_t most_findings = 10;

/// Headers of the toolkit and what NVRTC builds in are nobody's own source.
bool is_foreign(const std::string& file) {
    return file.find("include/") != std::string::npos || file.find("__nv_nvrtc") != std::string::npos ||
           file.find("cooperative_groups") != std::string::npos || file == "PTX" || file.empty();
}

}  // namespace

SourceSpot author_spot(const Launch& launch, const Code& code, const Instruction* at) {
    std::vector<Diagnostic::Note> callers;
    SourceSpot where = source_spot(launch, code, at, &callers);
    for (std::size_t i = 0; i < callers.size() && is_foreign(where.file); ++i) where = callers[i].where;
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
    for (Found& each : other.found_) {
        if (Found* known = find(each.code, each.place, each.other_place))
            known->more += each.more + 1;
        else if (found_.size() == most_findings)
            ++left_out_;
        else
            found_.push_back(std::move(each));
    }
    other.found_.clear();
}

void Findings::add(std::string_view code, const void* place, const void* other_place,
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
}

std::vector<Diagnostic> Findings::take() {
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
        if (told[i].code != "same-value-race" && told[i].code != "uninitialised-read") continue;
        const bool explained = std::any_of(told.begin(), told.end(), [&](const Diagnostic& race) {
            return is_race(race) && has_line(race, told[i].where);
        });
        if (!explained) continue;
        told.erase(told.begin() + static_cast<std::ptrdiff_t>(i));
        more.erase(more.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = 0; i < told.size(); ++i)
        if (more[i] != 0)
            told[i].notes.push_back(
                {fmt::format("{} more time{} at this line in this launch", more[i], more[i] == 1 ? "" : "s"), {}});
    if (left_out_ != 0 && !told.empty())
        told.back().notes.push_back({"there are further findings, which are not shown", {}});
    found_.clear();
    return told;
}

}  // namespace cudash::virtual_gpu
