#include "runtime_wrappers/virtual_gpu/check/race_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/warp.h"

namespace cudash::virtual_gpu {
namespace {

std::uint64_t number_in(const std::byte* bytes, std::uint32_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, std::min<std::size_t>(size, sizeof value));
    return value;
}

std::string text_of(std::uint64_t value, std::uint32_t size) {
    return value_text(reinterpret_cast<const std::byte*>(&value), size);
}

/// Two of the kernel's arguments are one array, of which a thread writes what another reads: "" or a note.
std::string one_array_twice(const Launch& launch, std::uint64_t address) {
    const auto allocation = launch.memory->find(address);
    if (!allocation) return {};
    std::vector<std::uint64_t> inside;
    for (std::size_t at = 0; at + sizeof address <= launch.parameters.size(); at += sizeof address) {
        const std::uint64_t argument = number_in(launch.parameters.data() + at, sizeof address);
        if (!allocation->contains(argument, 1)) continue;
        if (std::ranges::find(inside, argument) != inside.end())
            return "two arguments of the kernel are this array: a result that other blocks must not read yet belongs "
                   "in an array of its own";
        inside.push_back(argument);
    }
    return {};
}

const char* verb(bool writes, bool atomic) {
    return atomic ? "changes atomically" : writes ? "writes" : "reads";
}

struct Sides {
    std::optional<std::uint64_t> mine, others;  ///< what is written
    bool same_instruction = false, same_warp = false, same_block = false, same_line = false;
};

Sides compare_sides(const RaceFound& race, const Order& order, const AccessSite* other_site) {
    const AccessRecord& record = *race.actor->record;
    const Segment& then = order.at(race.other.segment());
    Sides sides;
    sides.same_block = then.block == record.block;
    sides.same_warp = sides.same_block && then.warp == record.warp;
    sides.same_instruction = sides.same_warp && other_site == race.actor->site &&
                             race.other.segment() == race.actor->segment && (record.mask >> race.other.lane() & 1) &&
                             record.address(race.other.lane()) == record.address(race.lane);
    const auto written = [&](unsigned lane) -> std::optional<std::uint64_t> {
        if (!record.values || !race.actor->writes) return std::nullopt;
        return number_in(record.values + lane * record.value_bytes, record.size);
    };
    sides.mine = written(race.lane);
    if (!race.other_writes) return sides;
    sides.others = sides.same_instruction ? written(race.other.lane())
                   : record.size <= 8     ? std::optional(number_in(record.bytes(race.lane), record.size))
                                          : std::nullopt;
    return sides;
}

bool has_barriers(const Code& code) {
    return std::ranges::any_of(code.written, [](const ptx::Instruction* each) {
        return each && (each->mnemonic == "bar" || each->mnemonic == "barrier");
    });
}

/// The program means each thread to write a place of its own, and computes one that others write, too. What is written
/// may be the same, so that no race shows; but other places are not written at all. Within a block of one dimension, a
/// loop whose steps have no barrier between them looks the same.
bool is_lost_index(const Sides& sides, const AccessSite* mine, const AccessSite* theirs, const Dim3& block) {
    if (mine != theirs || sides.same_warp) return false;
    if (!sides.same_block) return mine->by_thread || mine->by_block;
    return mine->by_thread && (block.y > 1 || block.z > 1);
}

std::string message_of(const RaceFound& race, const std::string& place, bool same_value, bool is_atomic,
                       bool other_is_atomic) {
    const char* const what = verb(race.actor->writes, is_atomic);
    if (race.copy_pending) return fmt::format("{} {}, where an asynchronous copy is still under way", what, place);
    if (same_value) return fmt::format("this thread writes {} while another thread writes the same value there", place);
    return fmt::format(
        "race: this thread {} {} while another thread {}", what, place,
        other_is_atomic ? "changes it atomically" : fmt::format("{} it", verb(race.other_writes, other_is_atomic)));
}

/// Where what the two are decides it; otherwise what else is found at the line does.
std::string hint_for(const Sides& sides, const RaceFound& race) {
    if (race.copy_pending)
        return "wait for the copy (cp.async.wait_group, __pipeline_wait_prior, pipe.consumer_wait()), then "
               "__syncthreads() if other threads read it";
    if (sides.same_instruction)
        return "several threads write to one place in one instruction, and which value stays is left open: let one of "
               "them write, or use an atomic function";
    return {};
}

}  // namespace

void RaceReporter::report(const RaceFound& race, bool shared) const {
    const AccessRecord& record = *race.actor->record;
    const AccessSite* mine = race.actor->site;
    const AccessSite* theirs = sites.at(race.other.site());
    if (!theirs) return;
    const Sides sides = compare_sides(race, order, theirs);
    const bool same_value =
        !race.copy_pending && race.actor->writes && race.other_writes && sides.mine && sides.mine == sides.others;
    const void* const instruction = &mine->code->instructions[mine->code->index_of(mine->instruction)];
    const bool lost_index = race.actor->writes && race.other_writes && !shared &&
                            is_lost_index(sides, mine, theirs, findings.launch().block);
    const bool told_by_default = same_value && lost_index && selection.has(Checker::global_race);
    if (same_value && !told_by_default && !selection.has(Checker::same_value))
        return findings.note_same_value(instruction);
    if (!same_value && !selection.has(shared ? Checker::shared_race : Checker::global_race)) return;
    const char* const code = race.copy_pending ? "copy-not-waited-for"
                             : same_value      ? "same-value-race"
                             : shared          ? "shared-race"
                                               : "global-race";
    const void* const other_instruction = &theirs->code->instructions[theirs->code->index_of(theirs->instruction)];
    using Reach = RaceRemedy::Reach;
    // Of the threads that change a place atomically the shadow keeps the last: those of other warps are there, too.
    const bool is_atomic = record.kind == AccessKind::atomic;
    const bool other_is_atomic = race.other_writes && race.other.strength() == Strength::strong;
    const bool in_warp =
        sides.same_warp && (is_atomic == other_is_atomic || findings.launch().block_threads() <= warp_size);
    const RaceRemedy remedy{
        .reach = in_warp            ? Reach::warp
                 : sides.same_block ? Reach::block
                                    : Reach::grid,
        .shared = shared,
        .within_line = false,
        .both_write = race.actor->writes && race.other_writes,
        .one_store = race.actor->writes && race.other_writes && mine == theirs && !is_atomic && !other_is_atomic,
        .many_warps = findings.launch().block_threads() > warp_size,
        .lost_index = lost_index};
    const Segment& segment = order.at(race.other.segment());
    const std::uint64_t address = record.address(race.lane);
    const OtherAccess party{.block = segment.block,
                            .warp = segment.warp,
                            .lane = race.other.lane(),
                            .writes = race.other_writes,
                            .in_shared = shared,
                            .address = shared ? address & 0xFFFFFF : address,
                            .bytes = record.size};
    findings.add_race(code, instruction, other_instruction, remedy, party, [&](RaceRemedy& known) {
        const Launch& launch = findings.launch();
        Diagnostic made = error(code, "");
        if (same_value) made.severity = Diagnostic::Severity::warning;
        made.where = author_spot(launch, *mine->code, mine->instruction);
        made.thread = thread_spot(launch, record.block, record.warp, race.lane);
        const ThreadSpot other = thread_spot(launch, party.block, party.warp, party.lane);
        const SourceSpot there = author_spot(launch, *theirs->code, theirs->instruction);
        const bool is_exact = has_own_line(*theirs->code, theirs->instruction);
        const bool same_line = made.where.line == there.line && made.where.file == there.file && is_exact &&
                               has_own_line(*mine->code, mine->instruction);
        const std::string place = shared ? name_of_shared_place(launch, record.address(race.lane) & 0xFFFFFF)
                                         : name_of_place(launch, record.address(race.lane));
        const std::string before = verb(race.other_writes, other_is_atomic);
        made.message = message_of(race, place, same_value, is_atomic, other_is_atomic);
        if (sides.mine && !race.copy_pending)
            made.notes.push_back({fmt::format("this thread writes {}", text_of(*sides.mine, record.size)), {}});
        std::string note =
            fmt::format("the other: {} {}", name_of_thread(other), race.copy_pending ? "copies" : before);
        if (sides.others && !race.copy_pending) note += fmt::format(" {}", text_of(*sides.others, record.size));
        if (!is_exact) note += " (where, the compiler says only roughly)";
        // Without its column: the line is told as a place, not as a compiler's message.
        made.notes.push_back({note, {there.file, there.line, 0}});
        known.has_barriers = has_barriers(*mine->code);
        known.within_line = same_line && race.actor->writes != race.other_writes && !is_atomic;
        made.hint = hint_for(sides, race);
        if (!shared && !race.copy_pending && race.actor->writes != race.other_writes)
            if (std::string twice = one_array_twice(launch, record.address(race.lane)); !twice.empty()) {
                made.notes.push_back({std::move(twice), {}});
                if (made.hint.empty()) made.hint = RaceRemedy{.reach = Reach::grid, .within_line = true}.hint();
            }
        return made;
    });
}

}  // namespace cudash::virtual_gpu
