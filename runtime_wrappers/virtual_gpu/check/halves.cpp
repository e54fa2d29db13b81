#include "runtime_wrappers/virtual_gpu/check/halves.h"

#include <fmt/format.h>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {
namespace {

struct Side {
    const HalfSeen& half;
    Stamp stamp;
    bool writes = false;

    const AccessSite* site() const { return half.sites.at(stamp.site()); }
    ThreadSpot thread(const Launch& launch) const {
        const Segment& segment = half.order.at(stamp.segment());
        return thread_spot(launch, segment.block, segment.warp, stamp.lane());
    }
    const char* verb() const {
        return !writes ? "reads" : stamp.strength() == Strength::strong ? "changes atomically" : "writes";
    }
    std::string verb_with_it() const {
        return stamp.strength() == Strength::strong && writes ? "changes it atomically" : fmt::format("{} it", verb());
    }
};

void report(const Side& mine, const Side& other, std::uint64_t address, Findings& findings) {
    const AccessSite *here = mine.site(), *there = other.site();
    if (!here || !there) return;
    const auto instruction = [](const AccessSite& site) {
        return &site.code->instructions[site.code->index_of(site.instruction)];
    };
    findings.add("global-race", instruction(*here), instruction(*there), [&] {
        const Launch& launch = findings.launch();
        Diagnostic made =
            error("global-race",
                  fmt::format("race: this thread {} {} while another thread {}", mine.verb(),
                              name_of_place(launch, address), other.verb_with_it()),
                  "blocks run in any order: let each write its own elements, use atomic functions, or two kernels one "
                  "after the other");
        made.where = author_spot(launch, *here->code, here->instruction);
        made.thread = mine.thread(launch);
        const SourceSpot place = author_spot(launch, *there->code, there->instruction);
        made.notes.push_back({fmt::format("the other: {} {}", name_of_thread(other.thread(launch)), other.verb()),
                              {place.file, place.line, 0}});
        return made;
    });
}

}  // namespace

void find_races_between_halves(HalfSeen first, HalfSeen second, Findings& findings) {
    const std::uint32_t floor = first.order.launch_floor(), other_floor = second.order.launch_floor();
    first.races.for_each_common_word(
        floor, second.races, other_floor, [&](std::uint64_t address, const ShadowLine& a, const ShadowLine& b) {
            const auto meet = [&](Stamp earlier, bool earlier_writes, Stamp later, bool later_writes) {
                if (!earlier || !later || (earlier.bytes() & later.bytes()) == 0) return false;
                if (!first.order.is_of_this_launch(earlier.segment()) ||
                    !second.order.is_of_this_launch(later.segment()))
                    return false;
                if (earlier.strength() != Strength::weak && later.strength() != Strength::weak) return false;
                report({second, later, later_writes}, {first, earlier, earlier_writes}, address, findings);
                return true;
            };
            if (meet(a.write, true, b.write, true) || meet(a.read, false, b.write, true) ||
                meet(a.other_read, false, b.write, true) || meet(a.write, true, b.read, false))
                return;
            meet(a.write, true, b.other_read, false);
        });
}

}  // namespace cudash::virtual_gpu
