// The debugger's commands that move the launch.
#include <fmt/format.h>

#include <charconv>

#include "repl/session/debug/debug_session.h"
#include "repl/trim.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;
using gpu::Arrival;
using gpu::Go;

namespace {

Outcome refused_move(std::string message, std::string hint = {}) {
    Outcome outcome;
    outcome.status = Outcome::Status::stopped;
    outcome.diagnostics.push_back(error("can't-move", std::move(message), std::move(hint)));
    return outcome;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

std::function<bool(const Arrival&)> DebugSession::of_warp(std::function<bool(const Arrival&)> wanted) const {
    return [block = block_, warp = warp_, wanted = std::move(wanted)](const Arrival& arrival) {
        return arrival.warp.index == warp && arrival.warp.block->number == block && !arrival.site.prologue &&
               wanted(arrival);
    };
}

DebugSession::Answer DebugSession::counted(Go go, std::string_view argument) {
    std::uint64_t count = 1;
    if (!argument.empty()) {
        const auto given = whole_number(argument);
        if (!given || *given == 0)
            return refused_move(fmt::format("expected how often, got '{}'", argument), "`step 3` makes three steps");
        count = *given;
    }
    if (go.how == Go::How::forward && !debugger_->stopped().warp)
        return refused_move("the kernel has ended", "`continue` leaves; `reverse-step` goes back");
    if (go.how == Go::How::backward) {
        Answer answered = backward(std::move(go));
        if (auto* made = std::get_if<Go>(&answered)) repeated_ = *made, repeat_ = count;
        return answered;
    }
    go.stop_at_end = true;
    repeat_ = count;
    repeated_ = go;
    return go;
}

DebugSession::Answer DebugSession::backward(Go go) const {
    if (const char* why = debugger_->why_not_back())
        return refused_move(fmt::format("this launch can't go back: {}", why));
    if (debugger_->stopped().moment <= debugger_->first_moment() && !go.touches)
        return refused_move("this is the beginning of the launch");
    go.how = Go::How::backward;
    return go;
}

DebugSession::Answer DebugSession::step(std::string_view argument) {
    const bool by_lane = argument == "lane";
    Go go{.warp = focused_warp()};
    go.wanted = of_warp([by_lane, lane = lane_](const Arrival& arrival) {
        return arrival.new_line && (!by_lane || (arrival.warp.mask >> lane & 1) != 0);
    });
    return counted(std::move(go), by_lane ? std::string_view() : argument);
}

DebugSession::Answer DebugSession::next(std::string_view argument) {
    Go go{.warp = focused_warp()};
    go.wanted = of_warp(
        [outside = in_no_inner_call()](const Arrival& arrival) { return arrival.new_line_here && outside(arrival); });
    return counted(std::move(go), argument);
}

DebugSession::Answer DebugSession::step_instruction(std::string_view argument) {
    Go go{.warp = focused_warp()};
    go.wanted = [block = block_, warp = warp_](const Arrival& arrival) {
        return arrival.warp.index == warp && arrival.warp.block->number == block;
    };
    return counted(std::move(go), argument);
}

DebugSession::Answer DebugSession::finish(std::string_view) {
    const auto at = thread();
    if (!at) return refused_move(at.error().message, at.error().hint);
    Go go{.warp = focused_warp()};
    if (Wanted behind = behind_this_call()) go.wanted = of_warp(std::move(behind));
    return counted(std::move(go), {});
}

DebugSession::Answer DebugSession::until(std::string_view argument) {
    const auto line = whole_number(argument);
    if (!line) return refused_move(fmt::format("expected a line number, got '{}'", argument));
    bool is_there = false;
    for (const gpu::StopSite& site : debugger_->sites()) is_there |= site.where.line == *line && !site.prologue;
    if (!is_there) return refused_move(fmt::format("line {} has no code", *line), "`where` shows the lines");
    Go go{.warp = focused_warp()};
    go.wanted =
        of_warp([line](const Arrival& arrival) { return arrival.site.where.line == *line && arrival.new_line; });
    return counted(std::move(go), {});
}

DebugSession::Answer DebugSession::go_on(std::string_view) {
    if (debugger_ && !debugger_->stopped().warp) return Go{.how = Go::How::leave};
    return Go{};
}

DebugSession::Answer DebugSession::reverse_step(std::string_view argument) {
    forget_question();
    Go go{.how = Go::How::backward, .breakpoints = false, .warp = focused_warp()};
    go.wanted = of_warp([](const Arrival& arrival) { return arrival.new_line; });
    return counted(std::move(go), argument);
}

DebugSession::Answer DebugSession::reverse_next(std::string_view argument) {
    forget_question();
    Go go{.how = Go::How::backward, .breakpoints = false, .warp = focused_warp()};
    go.wanted = of_warp(
        [outside = in_no_inner_call()](const Arrival& arrival) { return arrival.new_line_here && outside(arrival); });
    return counted(std::move(go), argument);
}

DebugSession::Answer DebugSession::reverse_instruction(std::string_view argument) {
    forget_question();
    Go go{.how = Go::How::backward, .breakpoints = false, .warp = focused_warp()};
    go.wanted = [block = block_, warp = warp_](const Arrival& arrival) {
        return arrival.warp.index == warp && arrival.warp.block->number == block;
    };
    return counted(std::move(go), argument);
}

DebugSession::Answer DebugSession::reverse_continue(std::string_view) {
    forget_question();
    return backward(Go{.how = Go::How::backward});
}

DebugSession::Answer DebugSession::go_to(std::string_view argument) {
    Go go{.how = Go::How::moment, .breakpoints = false, .stop_at_end = true};
    if (argument == "end") {
        if (!debugger_->stopped().warp) return refused_move("this is the end of the launch");
        go.how = Go::How::forward;
        return go;
    }
    const auto moment = argument == "start" ? std::optional(debugger_->first_moment()) : whole_number(argument);
    if (!moment) return refused_move(fmt::format("expected a moment, got '{}'", argument), "`goto 120`, `goto start`");
    if (*moment < debugger_->stopped().moment)
        if (const char* why = debugger_->why_not_back())
            return refused_move(fmt::format("this launch can't go back: {}", why));
    if (!debugger_->stopped().warp && *moment >= debugger_->stopped().moment)
        return refused_move(fmt::format("the launch ends at moment {}", debugger_->stopped().moment));
    go.moment = *moment;
    return go;
}

DebugSession::Answer DebugSession::abort(std::string_view) {
    if (setup_.is_program) return end_program();
    abandoned_ = true;
    return Go{.how = Go::How::abandon};
}

}  // namespace cudash::session::debug
