// Breakpoints of a client: each request gives all of a source, of functions or of data anew.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "repl/dap/adapter.h"

namespace cudash::dap {

using session::Outcome;

namespace {

constexpr const char* functions = "functions";  // no source has a path like this
constexpr const char* data = "data";

std::string with_condition(std::string command, const json& wanted) {
    const std::string condition = wanted.value("condition", "");
    return condition.empty() ? command : fmt::format("{} if {}", command, condition);
}

/// A text of several lines would be several commands.
std::string on_one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

}  // namespace

/// How often it is passed by, and what it says: why it can't; nullopt: it does.
std::optional<std::string> Adapter::refine(const Breakpoint& breakpoint) {
    const auto tell = [&](std::string_view name, const std::string& argument) -> std::optional<std::string> {
        if (argument.empty()) return std::nullopt;
        const Outcome outcome = command(fmt::format("{} {} {}", name, breakpoint.number, argument));
        return outcome.diagnostics.empty() ? std::nullopt : std::optional(outcome.diagnostics.front().message);
    };
    auto problem = tell("hits", breakpoint.hits);
    return problem ? problem : tell("log", breakpoint.log);
}

void Adapter::set(Breakpoint& breakpoint) {
    breakpoint.told = {{"id", breakpoint.id}, {"verified", false}};
    if (breakpoint.line != 0) breakpoint.told["line"] = static_cast<int>(breakpoint.line) - 1 + line_base_;
    if (!is_live()) {
        breakpoint.told["message"] =
            state_ == State::ended ? "the program has ended" : "it is looked for when the program has been compiled";
        return;
    }
    if (without_debugging_) return;
    const Outcome outcome = command(breakpoint.command);
    if (!outcome.details || outcome.details->breakpoint == 0) {
        breakpoint.told["message"] =
            outcome.diagnostics.empty() ? "it can't be set" : outcome.diagnostics.front().message;
        return;
    }
    breakpoint.number = outcome.details->breakpoint;
    if (const auto problem = refine(breakpoint)) {
        command(fmt::format("delete {}", std::exchange(breakpoint.number, 0)));
        breakpoint.told["message"] = *problem;
        return;
    }
    breakpoint.told["verified"] = true;
    const SourceSpot& at = outcome.details->breakpoint_at;
    if (at.line == 0) return;
    breakpoint.told["line"] = static_cast<int>(at.line) - 1 + line_base_;
    breakpoint.told["source"] = source_of(at);
    // The first line says what was moved, if the answer has two.
    if (const std::size_t end = outcome.text.find('\n'); end + 1 < outcome.text.size())
        breakpoint.told["message"] = outcome.text.substr(0, end);
}

json Adapter::set_all(const std::string& group, std::vector<Breakpoint> wanted) {
    std::vector<Breakpoint>& all = breaks_[group];
    for (const Breakpoint& each : all)
        if (each.number != 0 && is_live()) command(fmt::format("delete {}", each.number));
    all = std::move(wanted);
    json told = json::array();
    for (Breakpoint& each : all) {
        each.id = next_breakpoint_++;
        set(each);
        told.push_back(each.told);
    }
    return {{"breakpoints", std::move(told)}};
}

void Adapter::set_waiting() {
    for (auto& [group, all] : breaks_)
        for (Breakpoint& each : all) {
            set(each);
            then_.emplace_back("breakpoint", json{{"reason", "changed"}, {"breakpoint", each.told}});
        }
}

Adapter::Reply Adapter::set_breakpoints(const json& arguments) {
    const json source = arguments.value("source", json::object());
    const std::string given = source.value("path", source.value("name", ""));
    if (given.empty()) return error("bad-argument", "setBreakpoints needs a source with a path");
    const std::string path = std::filesystem::path(given).lexically_normal().string();
    std::vector<Breakpoint> wanted;
    for (const json& each : arguments.value("breakpoints", json::array())) {
        const int line = each.value("line", line_base_) + 1 - line_base_;
        if (line < 1) return error("bad-argument", "a breakpoint's line is below the first one");
        Breakpoint& made = wanted.emplace_back();
        made.line = static_cast<unsigned>(line);
        made.command = with_condition(fmt::format("break {}:{}", path, line), each);
        made.hits = each.value("hitCondition", "");
        made.log = on_one_line(each.value("logMessage", ""));
    }
    return set_all(path, std::move(wanted));
}

Adapter::Reply Adapter::set_function_breakpoints(const json& arguments) {
    std::vector<Breakpoint> wanted;
    for (const json& each : arguments.value("breakpoints", json::array())) {
        wanted.emplace_back().command = with_condition("break " + each.value("name", ""), each);
        wanted.back().hits = each.value("hitCondition", "");
    }
    return set_all(functions, std::move(wanted));
}

/// An expression and the function that it is of; `dataId` is "THREAD LEVEL EXPRESSION".
Adapter::Reply Adapter::data_breakpoint_info(const json& arguments) {
    const std::string name = arguments.value("name", "");
    const int reference = arguments.value("variablesReference", 0);
    Place place{thread_, 0};
    std::string expression = name;
    if (reference > 0 && static_cast<std::size_t>(reference) <= scopes_.size()) {
        const Scope& scope = scopes_[static_cast<std::size_t>(reference) - 1];
        place = scope.place;
        if (scope.what == Scope::What::parts)
            expression = fmt::format("({}){}{}", scope.expression, name.starts_with('[') ? "" : ".", name);
    } else if (const auto frame = place_of_frame(arguments)) {
        place = *frame;
    }
    if (auto problem = focus(place)) return std::move(*problem);
    const Outcome outcome = command("watch " + expression);
    if (!outcome.details || outcome.details->breakpoint == 0)
        return json{
            {"dataId", nullptr},
            {"description", outcome.diagnostics.empty() ? "it can't be watched" : outcome.diagnostics.front().message}};
    command(fmt::format("delete {}", outcome.details->breakpoint));
    return json{{"dataId", fmt::format("{} {} {}", place.thread, place.level, expression)},
                {"description", expression},
                {"accessTypes", {"write"}}};
}

Adapter::Reply Adapter::set_data_breakpoints(const json& arguments) {
    std::vector<Breakpoint> wanted;
    for (const json& each : arguments.value("breakpoints", json::array())) {
        const std::string id = each.value("dataId", "");
        Place place;
        const char* const end = id.data() + id.size();
        const auto thread = std::from_chars(id.data(), end, place.thread);
        const char* const second = thread.ptr < end ? thread.ptr + 1 : end;
        const auto level = std::from_chars(second, end, place.level);
        if (thread.ec != std::errc() || level.ec != std::errc() || level.ptr >= end)
            return error("bad-argument", "a data breakpoint's dataId comes from dataBreakpointInfo");
        // The expression means what it meant there.
        if (state_ == State::stopped) (void)focus(place);
        wanted.emplace_back().command = fmt::format("watch {}", level.ptr + 1);
    }
    return set_all(data, std::move(wanted));
}

}  // namespace cudash::dap
