// Values with their parts, and the threads of a block, for programs that show them as trees and lists.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "repl/session/debug/debug_session.h"
#include "repl/trim.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;

namespace {

Outcome refused_part(Diagnostic problem) {
    Outcome outcome;
    outcome.status = Outcome::Status::stopped;
    outcome.diagnostics.push_back(std::move(problem));
    return outcome;
}

/// Takes ` word NUMBER` off the end of the text.
std::optional<std::uint64_t> take_option(std::string_view& text, std::string_view word) {
    const std::string sought = fmt::format(" {} ", word);
    const std::size_t at = text.rfind(sought);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view digits = trim(text.substr(at + sought.size()));
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    text = trim(text.substr(0, at));
    return value;
}

bool is_name(std::string_view text) {
    return std::ranges::all_of(text,
                               [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

}  // namespace

std::string_view name_of(gpu::LaneState state) {
    constexpr std::array<std::string_view, 7> names = {
        "runs", "diverged", "waits to reconverge", "waits at a barrier", "waits for a warp-level call", "finished", ""};
    return names[static_cast<std::size_t>(state)];
}

std::uint64_t Evaluator::elements_behind(const DebugValue& pointer) const {
    const std::uint64_t size = unit_.types[unit_.types[pointer.type].target].bytes;
    if (size == 0) return 0;
    const auto first = pointed_at(pointer, 0);
    if (!first || !first->place || !load(*first)) return 0;
    const std::uint64_t at = first->place->address;
    std::uint64_t end = at + size;
    if (first->place->space == ptx::Space::global) {
        if (const auto found = debugger_.launch().memory->find(at)) end = found->begin + found->size;
    } else if (first->place->space == ptx::Space::shared) {
        for (const gpu::SharedVariable& each : debugger_.launch().program->shared_variables)
            if (at >= each.begin && at < std::uint64_t{each.begin} + each.bytes) end = each.begin + each.bytes;
    }
    return std::max<std::uint64_t>(1, (end - at) / size);
}

DebugPart DebugSession::part(const Evaluator& evaluator, std::string name, std::string expression,
                             const DebugValue& value) const {
    const DebugType& type = unit_->types[value.type];
    DebugPart made{std::move(name), evaluator.type_name(value), evaluator.text(value), std::move(expression)};
    if (type.kind == DebugType::Kind::record) made.parts = type.members.size();
    if (type.kind == DebugType::Kind::array) made.parts = type.count, made.is_indexed = true;
    if (type.kind == DebugType::Kind::pointer) made.parts = evaluator.elements_behind(value), made.is_indexed = true;
    return made;
}

DebugSession::Answer DebugSession::members(std::string_view argument) {
    const auto count = take_option(argument, "count"), from = take_option(argument, "from");
    const auto expression = parse_expression(argument);
    if (!expression) return refused_part(expression.error());
    const auto at = thread();
    if (!at) return refused_part(at.error());
    const Evaluator evaluator(*unit_, *debugger_, *at);
    const auto value = evaluator.evaluate(*expression);
    if (!value) return refused_part(value.error());
    const DebugPart whole = part(evaluator, std::string(argument), std::string(argument), *value);
    if (whole.parts == 0)
        return refused_part(
            error("bad-argument", fmt::format("`{}` has no members: its type is `{}`", argument, whole.type)));
    constexpr std::uint64_t most = 1000, usual = 64;
    const std::uint64_t first = std::min(from.value_or(0), whole.parts),
                        last = std::min(whole.parts, first + std::min(count.value_or(usual), most));
    const std::string base = is_name(argument) ? std::string(argument) : fmt::format("({})", argument);
    const DebugType type = unit_->types[value->type];
    Outcome outcome = text_reply({});
    DebugDetails& details = outcome.details.emplace();
    Table table{{whole.is_indexed ? "element" : "member", "type", "value"}, {}};
    for (std::uint64_t i = first; i < last; ++i) {
        const std::string name = whole.is_indexed ? fmt::format("[{}]", i) : type.members[i].name;
        // A base class has no name that an expression could say: its members are those of the object.
        const std::string inner = whole.is_indexed ? base + name : base + "." + name;
        const auto parsed = parse_expression(inner);
        const auto element = parsed ? evaluator.evaluate(*parsed) : parsed.error();
        if (element)
            details.parts.push_back(part(evaluator, name, inner, *element));
        else
            details.parts.push_back({name, "", element.error().message});
        table.rows.push_back({name, details.parts.back().type, details.parts.back().value});
    }
    outcome.table = std::move(table);
    if (last < whole.parts) outcome.text = fmt::format("{} to {} of {}\n", first, last - 1, whole.parts);
    return outcome;
}

std::vector<DebugThread> DebugSession::threads_of_block() const {
    std::vector<DebugThread> found;
    const gpu::Block* const block = block_in_focus();
    if (!block) return found;
    for (const gpu::Warp& warp : block->warps) {
        const auto places = gpu::lane_places(warp, debugger_->standing());
        for (unsigned lane = 0; lane < gpu::warp_size; ++lane) {
            const gpu::LanePlace& place = places[lane];
            if (place.state == gpu::LaneState::none) continue;
            DebugThread& made = found.emplace_back();
            made.number = warp.index * gpu::warp_size + lane;
            made.thread = gpu::thread_at(warp, lane);
            made.warp = warp.index, made.lane = lane;
            made.state = name_of(place.state);
            if (place.frame) made.where = spot(*place.frame->code, place.instruction);
            made.in_focus = warp.index == warp_ && lane == lane_;
        }
    }
    return found;
}

}  // namespace cudash::session::debug
