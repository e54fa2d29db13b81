// Conditions of breakpoints: which lanes they hold of, and what they look at.
#include <algorithm>
#include <bit>
#include <utility>

#include "repl/session/debug/debug_session.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;

std::uint32_t DebugSession::lanes_asked_about(const Breakpoint& breakpoint, const gpu::Warp& warp) {
    if (breakpoint.block && *breakpoint.block != warp.block->number) return 0;
    if (breakpoint.warp && *breakpoint.warp != warp.index) return 0;
    std::uint32_t mask = warp.mask;
    if (breakpoint.thread) {
        if (*breakpoint.thread / gpu::warp_size != warp.index) return 0;
        mask &= 1u << *breakpoint.thread % gpu::warp_size;
    }
    return mask;
}

std::uint32_t DebugSession::lanes_that_break(Breakpoint& breakpoint, const gpu::Arrival& arrival) {
    const std::uint32_t mask = lanes_asked_about(breakpoint, arrival.warp);
    if (!breakpoint.condition || mask == 0) return mask;
    return lanes_that_hold(breakpoint, arrival, mask);
}

bool DebugSession::may_break(const gpu::Arrival& arrival, gpu::Stops::Look& look) {
    for (Breakpoint& each : breakpoints_) {
        if (std::ranges::find(each.sites, arrival.number) == each.sites.end()) continue;
        look.differs |= each.warp || each.thread;
        const std::uint32_t mask = lanes_asked_about(each, arrival.warp);
        if (mask == 0) continue;
        // What a condition reads that nobody knows yet may not be there.
        if (!each.condition || (reads_.registers && !each.compiled.contains(arrival.number))) return true;
        const auto& compiled = each.compiled[arrival.number];
        look.bring(compiled ? compiled->registers() : nullptr);
        look.differs |= !compiled || !compiled->reads_registers_alone();
        if (lanes_that_hold(each, arrival, mask) != 0) return true;
    }
    return false;
}

const gpu::ConditionReads& DebugSession::read_by_conditions() {
    if (!std::exchange(conditions_changed_, false)) return reads_;
    std::vector<gpu::FrameRegister> registers;
    bool any = false;
    reads_.memory = false;
    for (const Breakpoint& each : breakpoints_) {
        if (!each.condition || each.sites.empty()) continue;
        any |= each.compiled.empty();
        for (const auto& [site, compiled] : each.compiled) {
            const auto* read = compiled ? compiled->registers() : nullptr;
            any |= !read;
            if (!read) continue;
            reads_.memory |= compiled->reads_memory();
            registers.insert(registers.end(), read->begin(), read->end());
        }
    }
    reads_.memory |= any;
    reads_.registers = any ? std::nullopt : std::optional(std::move(registers));
    return reads_;
}

void DebugSession::compile_conditions(const gpu::Stopped& stopped) {
    if (!stopped.warp || stopped.warp->mask == 0) return;
    gpu::Frame* const frame = stopped.warp->frame;
    const auto lane = static_cast<unsigned>(std::countr_zero(stopped.warp->mask));
    for (Breakpoint& each : breakpoints_) {
        if (!each.condition) continue;
        for (const std::uint32_t number : each.sites) {
            const gpu::StopSite& site = debugger_->sites()[number];
            if (site.code != frame->code || each.compiled.contains(number)) continue;
            auto made =
                WarpCondition::compile(*each.condition, *unit_, *debugger_, {stopped.warp, lane, frame, site.stop});
            if (!made || !made->registers()) continue;
            each.compiled.emplace(number, std::move(made));
            conditions_changed_ = true;
        }
    }
}

std::uint32_t DebugSession::lanes_that_hold(Breakpoint& breakpoint, const gpu::Arrival& arrival, std::uint32_t mask) {
    const auto at_lane = [&](unsigned lane) {
        return ThreadAt{&arrival.warp, lane, arrival.warp.frame, arrival.site.stop};
    };
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    auto& compiled = breakpoint.compiled[arrival.number];
    if (!compiled) {
        compiled = WarpCondition::compile(*breakpoint.condition, *unit_, *debugger_, at_lane(first));
        conditions_changed_ = true;
    }
    WarpCondition::Lanes lanes =
        compiled ? compiled->of(arrival.warp, arrival.site.stop, mask) : WarpCondition::Lanes{0, mask};
    for (; lanes.failed != 0; lanes.failed &= lanes.failed - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes.failed));
        const auto truth = Evaluator(*unit_, *debugger_, at_lane(lane)).truth(*breakpoint.condition);
        if (!truth) {
            // Better one stop too many than a condition that never tells.
            condition_failed_ = truth.error();
            condition_failed_->message = "the condition can't be computed: " + condition_failed_->message;
            return mask;
        }
        lanes.held |= std::uint32_t{*truth} << lane;
    }
    return lanes.held;
}

}  // namespace cudash::session::debug
