// What happens when threads come to a breakpoint: hits are counted, some are passed by, and texts are noted instead of
// a stop. A launch can go back, so a hit is known by its moment: it has the same number whenever the launch comes
// there.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "repl/session/debug/debug_session.h"
#include "repl/trim.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;

namespace {

Outcome refused_hits(std::string message, std::string hint) {
    Outcome outcome;
    outcome.status = Outcome::Status::stopped;
    outcome.diagnostics.push_back(error("bad-argument", std::move(message), std::move(hint)));
    return outcome;
}

/// Texts between two stops.
constexpr std::uint64_t most_noted = 1000;

/// The number in front.
std::optional<std::uint64_t> take_count(std::string_view& text) {
    text = trim(text);
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc()) return std::nullopt;
    text = trim(text.substr(static_cast<std::size_t>(end - text.data())));
    return value;
}

}  // namespace

bool DebugSession::HitRule::holds(std::uint64_t hit) const {
    switch (how) {
        case How::from:
            return hit >= count;
        case How::only:
            return hit == count;
        case How::each:
            return hit % count == 0;
    }
    return true;
}

bool DebugSession::counts(Breakpoint& breakpoint, const gpu::Arrival& arrival) const {
    if (!breakpoint.rule) return true;
    auto& hits = breakpoint.counted;
    const auto place = std::ranges::lower_bound(hits, arrival.moment);
    const auto number = static_cast<std::uint64_t>(place - hits.begin()) + 1;
    if (place == hits.end() || *place != arrival.moment) {
        // What no move has passed has no number; and those after one that is new are counted again when they come.
        if (!debugger_->goes_forward()) return false;
        hits.erase(place, hits.end());
        hits.push_back(arrival.moment);
    }
    return breakpoint.rule->holds(number);
}

bool DebugSession::breaks(const gpu::Arrival& arrival) {
    // A line is come to where it begins; the rounds of a loop come back to the middle of its line.
    if (!arrival.site.begins_line && !arrival.new_round) return false;
    bool stops = false;
    for (Breakpoint& each : breakpoints_) {
        if (std::ranges::find(each.sites, arrival.number) == each.sites.end()) continue;
        const std::uint32_t lanes = lanes_that_break(each, arrival);
        if (lanes == 0 || !counts(each, arrival)) continue;
        if (each.log.empty())
            stops = true;
        else if (debugger_->goes_forward())
            note(each, arrival, lanes);
    }
    return stops;
}

/// The text with the values of what stands in braces, in the first of the lanes.
void DebugSession::note(Breakpoint& breakpoint, const gpu::Arrival& arrival, std::uint32_t lanes) {
    ++breakpoint.hits;
    if (++noted_ > most_noted) return;
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const Evaluator evaluator(*unit_, *debugger_, {&arrival.warp, lane, arrival.warp.frame, arrival.site.stop});
    std::string_view rest = breakpoint.log;
    std::string text;
    while (!rest.empty()) {
        const std::size_t open = std::min(rest.find('{'), rest.size()), close = rest.find('}', open);
        text += rest.substr(0, close == std::string_view::npos ? rest.size() : open);
        if (close == std::string_view::npos) break;
        const auto expression = parse_expression(rest.substr(open + 1, close - open - 1));
        const auto value = expression ? evaluator.evaluate(*expression) : expression.error();
        text += value ? evaluator.text(*value) : "<" + value.error().message + ">";
        rest.remove_prefix(close + 1);
    }
    const int others = std::popcount(lanes) - 1;
    log_ += fmt::format("{}{}: {}\n", thread_text(arrival.warp.block->number, arrival.warp.index, lane),
                        others > 0 ? fmt::format(" (and {} more of its warp)", others) : "", text);
}

std::string DebugSession::take_log() {
    std::string text = std::exchange(log_, {});
    if (noted_ > most_noted) text += fmt::format("... and {} more\n", noted_ - most_noted);
    noted_ = 0;
    return text;
}

DebugSession::Breakpoint* DebugSession::breakpoint_of(std::string_view& argument) {
    const auto number = take_count(argument);
    const auto found =
        std::ranges::find_if(breakpoints_, [&](const Breakpoint& each) { return number && each.number == *number; });
    return found == breakpoints_.end() ? nullptr : &*found;
}

DebugSession::Answer DebugSession::ignore(std::string_view argument) {
    Breakpoint* const breakpoint = breakpoint_of(argument);
    if (!breakpoint) return refused_hits("there is no such breakpoint", "`info breaks` lists them; `ignore 1 10`");
    const auto count = take_count(argument);
    if (!count || !argument.empty())
        return refused_hits("expected how many hits are passed by", "`ignore 1 10` stops at the 11th hit from now");
    breakpoint->rule = HitRule{HitRule::How::from, breakpoint->counted.size() + *count + 1};
    return text_reply(fmt::format("breakpoint {} stops after {} more hits", breakpoint->number, *count));
}

DebugSession::Answer DebugSession::hits(std::string_view argument) {
    Breakpoint* const breakpoint = breakpoint_of(argument);
    if (!breakpoint) return refused_hits("there is no such breakpoint", "`info breaks` lists them; `hits 1 >= 10`");
    HitRule rule;
    const std::string_view text = argument;
    const auto takes = [&](std::string_view sign) {
        if (!argument.starts_with(sign)) return false;
        argument.remove_prefix(sign.size());
        return true;
    };
    const bool more = !takes(">=") && takes(">");
    if (!more && (takes("==") || takes("="))) rule.how = HitRule::How::only;
    if (!more && takes("%")) rule.how = HitRule::How::each;
    const auto count = take_count(argument);
    if (!count || !argument.empty() || (*count == 0 && rule.how != HitRule::How::from))
        return refused_hits(fmt::format("can't read '{}' as a number of hits", text),
                            "`hits 1 >= 10`, `hits 1 == 10`, `hits 1 % 10`");
    rule.count = *count + (more ? 1 : 0);
    breakpoint->rule = rule;
    return text_reply(fmt::format("breakpoint {} stops at hits {}", breakpoint->number, text));
}

DebugSession::Answer DebugSession::log(std::string_view argument) {
    Breakpoint* const breakpoint = breakpoint_of(argument);
    if (!breakpoint)
        return refused_hits("there is no such breakpoint", "`info breaks` lists them; `log 1 i is {i}, of {n}`");
    breakpoint->log = argument;
    return text_reply(argument.empty() ? fmt::format("breakpoint {} stops", breakpoint->number)
                                       : fmt::format("breakpoint {} notes its text and goes on", breakpoint->number));
}

}  // namespace cudash::session::debug
