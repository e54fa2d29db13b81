// Requests that look at a launch which stands still.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>

#include "repl/dap/adapter.h"

namespace cudash::dap {

using session::DebugFrame;
using session::DebugPart;
using session::DebugThread;
using session::Outcome;

namespace {

Diagnostic why_not(const Outcome& outcome) {
    return outcome.diagnostics.empty() ? error("no-answer", "the debugger gave no answer")
                                       : outcome.diagnostics.front();
}

std::string address_of(unsigned ptx_line) {
    return fmt::format("{:#x}", ptx_line);
}

}  // namespace

json Adapter::source_of(const SourceSpot& where) {
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::absolute(where.file, ignored);
    return {{"name", path.filename().string()}, {"path", path.string()}};
}

int Adapter::reference_to(Scope scope) {
    scopes_.push_back(std::move(scope));
    return static_cast<int>(scopes_.size());
}

std::optional<Diagnostic> Adapter::focus(const Place& place) {
    const Outcome at = command(fmt::format("focus thread {}", place.thread - 1));
    if (!at.stop) return why_not(at);
    if (place.level == 0) return std::nullopt;
    const Outcome frame = command(fmt::format("frame {}", place.level));
    return frame.stop ? std::nullopt : std::optional(why_not(frame));
}

std::optional<Adapter::Place> Adapter::place_of_frame(const json& arguments) const {
    const int frame = arguments.value("frameId", 0);
    if (frame < 1 || static_cast<std::size_t>(frame) > frames_.size()) return std::nullopt;
    return frames_[static_cast<std::size_t>(frame) - 1];
}

/// The lanes of the warp in focus, and a thread of each other warp of its block.
Adapter::Reply Adapter::threads(const json&) {
    json listed = json::array();
    if (state_ == State::stopped) {
        const Outcome outcome = command("threads");
        std::vector<DebugThread> all = outcome.details ? outcome.details->threads : std::vector<DebugThread>();
        std::uint32_t warp = ~0u;
        for (const DebugThread& each : all)
            if (each.in_focus) warp = each.warp;
        std::set<std::uint32_t> seen;
        for (const DebugThread& each : all) {
            if (each.warp != warp && (each.where.line == 0 || !seen.insert(each.warp).second)) continue;
            std::string name = fmt::format("thread ({},{},{}), warp {} lane {}: {}", each.thread.x, each.thread.y,
                                           each.thread.z, each.warp, each.lane, each.state);
            if (each.where.line != 0) name += fmt::format(", line {}", each.where.line);
            listed.push_back({{"id", static_cast<int>(each.number) + 1}, {"name", std::move(name)}});
        }
    }
    // A client wants one at least.
    if (listed.empty()) listed.push_back({{"id", thread_}, {"name", "no thread of a kernel"}});
    return json{{"threads", std::move(listed)}};
}

Adapter::Reply Adapter::stack_trace(const json& arguments) {
    const int thread = arguments.value("threadId", thread_);
    json listed = json::array();
    const auto problem = focus({thread, 0});
    const Outcome outcome = problem ? Outcome() : command("backtrace");
    const std::vector<DebugFrame> all = outcome.details ? outcome.details->frames : std::vector<DebugFrame>();
    const std::size_t first = std::min<std::size_t>(arguments.value("startFrame", 0u), all.size());
    const std::size_t most = arguments.value("levels", 0u);
    const std::size_t last = most == 0 ? all.size() : std::min(all.size(), first + most);
    for (std::size_t i = first; i < last; ++i) {
        const DebugFrame& frame = all[i];
        frames_.push_back({thread, frame.level});
        listed.push_back({{"id", frames_.size()},
                          {"name", frame.function},
                          {"source", source_of(frame.where)},
                          {"line", static_cast<int>(frame.where.line) - 1 + line_base_},
                          {"column", 0},
                          {"instructionPointerReference", address_of(frame.ptx_line)}});
    }
    return json{{"stackFrames", std::move(listed)}, {"totalFrames", all.size()}};
}

Adapter::Reply Adapter::scopes(const json& arguments) {
    const auto place = place_of_frame(arguments);
    if (!place) return error("bad-argument", "there is no such frame any more");
    using What = Scope::What;
    struct Listed {
        const char* name;
        What what;
        bool expensive;
    };
    json listed = json::array();
    for (const Listed& each :
         {Listed{"Locals", What::locals, false}, Listed{"Shared memory", What::shared, false},
          Listed{"Built-in variables", What::built_in, false}, Listed{"Registers (PTX)", What::registers, true}}) {
        listed.push_back({{"name", each.name},
                          {"variablesReference", reference_to({each.what, *place})},
                          {"expensive", each.expensive}});
        if (each.what == What::locals) listed.back()["presentationHint"] = "locals";
        if (each.what == What::registers) listed.back()["presentationHint"] = "registers";
    }
    return json{{"scopes", std::move(listed)}};
}

json Adapter::shown(const DebugPart& part, const Place& place) {
    json made = {{"name", part.name}, {"value", part.value}, {"type", part.type}, {"variablesReference", 0}};
    if (!part.expression.empty()) made["evaluateName"] = part.expression;
    if (part.parts == 0 || part.expression.empty()) return made;
    made["variablesReference"] = reference_to({Scope::What::parts, place, part.expression});
    made[part.is_indexed ? "indexedVariables" : "namedVariables"] = part.parts;
    return made;
}

Adapter::Reply Adapter::variables(const json& arguments) {
    const int reference = arguments.value("variablesReference", 0);
    if (reference < 1 || static_cast<std::size_t>(reference) > scopes_.size())
        return error("bad-argument", "there are no such variables any more");
    const Scope scope = scopes_[static_cast<std::size_t>(reference) - 1];
    if (auto problem = focus(scope.place)) return std::move(*problem);
    using What = Scope::What;
    std::vector<std::string> lines;
    if (scope.what == What::locals) lines = {"locals"};
    if (scope.what == What::shared) lines = {"show"};
    if (scope.what == What::registers) lines = {"info registers"};
    if (scope.what == What::built_in)
        for (const char* name : {"threadIdx", "blockIdx", "blockDim", "gridDim"})
            lines.push_back(fmt::format("print {}", name));
    if (scope.what == What::parts) {
        constexpr unsigned most = 1000;
        const unsigned count = arguments.value("count", 0u);
        lines = {fmt::format("members {} from {} count {}", scope.expression, arguments.value("start", 0u),
                             count == 0 ? most : count)};
    }
    json listed = json::array();
    for (const std::string& line : lines) {
        const Outcome outcome = command(line);
        if (scope.what == What::parts && !outcome.details) return why_not(outcome);
        if (scope.what == What::registers && outcome.table)
            for (const auto& row : outcome.table->rows)
                listed.push_back({{"name", row[0]}, {"value", row[2]}, {"variablesReference", 0}});
        else if (outcome.details)
            for (const DebugPart& part : outcome.details->parts) listed.push_back(shown(part, scope.place));
    }
    return json{{"variables", std::move(listed)}};
}

/// In the editor's console, what is not an expression is a command of the debugger: `lanes i`, `who wrote s[3]`.
Adapter::Reply Adapter::evaluate(const json& arguments) {
    const std::string expression = arguments.value("expression", "");
    const bool at_console = arguments.value("context", "") == "repl";
    const auto frame = place_of_frame(arguments);
    const Place place = frame.value_or(Place{thread_, 0});
    if (frame && state_ == State::stopped)
        if (auto problem = focus(place)) return std::move(*problem);
    Outcome looked;
    if (!expression.starts_with(':') && state_ == State::stopped) {
        looked = command("print " + expression);
        if (looked.value && looked.details && !looked.details->parts.empty()) {
            json made = shown(looked.details->parts.front(), place);
            made["result"] = made["value"];
            made.erase("value");
            return made;
        }
    }
    if (!at_console) return why_not(looked);
    incoming_.set_running(true);
    const Outcome outcome = command(expression);
    incoming_.set_running(false);
    const bool is_unknown = !outcome.diagnostics.empty() && outcome.diagnostics.front().code == "unknown-command";
    if (is_unknown && !looked.diagnostics.empty()) return why_not(looked);
    std::string text;
    view::Display collects;
    collects.results = collects.messages = [&text](std::string_view part) { text += part; };
    collects.use({});
    if (outcome.status != Outcome::Status::stopped) {
        end_program(outcome);
        return json{{"result", ""}, {"variablesReference", 0}};
    }
    collects.show(outcome, "main", notebook_->lines());
    if (outcome.stop) {
        // The launch has moved, or another thread is looked at: the client is to show that.
        state_ = State::stopped;
        frames_.clear();
        scopes_.clear();
        thread_ = static_cast<int>(outcome.stop->warp * 32 + outcome.stop->lane) + 1;
        then_.emplace_back("stopped",
                           json{{"reason", "goto"},
                                {"description", outcome.stop->why.empty() ? "debugger command" : outcome.stop->why},
                                {"threadId", thread_},
                                {"allThreadsStopped", true}});
    }
    return json{{"result", std::move(text)}, {"variablesReference", 0}};
}

Adapter::Reply Adapter::exception_info(const json&) {
    if (!finding_) return error("bad-argument", "the launch has not stopped at a finding");
    std::string text = finding_->message;
    for (const Diagnostic::Note& note : finding_->notes) text += "\n" + note.message;
    if (!finding_->hint.empty()) text += "\nhint: " + finding_->hint;
    return json{{"exceptionId", finding_->code}, {"description", std::move(text)}, {"breakMode", "always"}};
}

/// An instruction's address is its line in the PTX text.
Adapter::Reply Adapter::disassemble(const json& arguments) {
    const std::string reference = arguments.value("memoryReference", "");
    const std::string_view digits =
        reference.starts_with("0x") ? std::string_view(reference).substr(2) : std::string_view();
    std::int64_t line = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), line, 16).ec != std::errc())
        return error("bad-argument", "memoryReference is that of a stack frame: an address in PTX");
    constexpr std::int64_t most = 4096, farthest = 1 << 20;
    const std::int64_t count = std::clamp<std::int64_t>(arguments.value("instructionCount", 1), 1, most);
    line += std::clamp<std::int64_t>(arguments.value("instructionOffset", std::int64_t{0}), -farthest, farthest) +
            std::clamp<std::int64_t>(arguments.value("offset", std::int64_t{0}), -farthest, farthest);
    const std::int64_t first = std::max<std::int64_t>(1, line), last = line + count - 1;
    std::vector<std::string> text;
    if (last >= first) {
        const Outcome outcome = command(fmt::format("ptx {} {}", first, last));
        if (!outcome.details) return why_not(outcome);
        text = outcome.details->ptx;
    }
    json listed = json::array();
    for (std::int64_t at = line; at <= last; ++at) {
        const std::int64_t index = at - first;
        const bool is_there = index >= 0 && index < static_cast<std::int64_t>(text.size());
        listed.push_back({{"address", fmt::format("{:#x}", std::max<std::int64_t>(0, at))},
                          {"instruction", is_there ? text[static_cast<std::size_t>(index)] : ""}});
        if (!is_there) listed.back()["presentationHint"] = "invalid";
    }
    return json{{"instructions", std::move(listed)}};
}

}  // namespace cudash::dap
