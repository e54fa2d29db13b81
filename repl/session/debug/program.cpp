// The launches of a program under the debugger, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "repl/session/debug/debug_session.h"
#include "repl/trim.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;
using gpu::Go;

void DebugSession::read_unit() {
    if (unit_) return;
    ptx_ = setup_.ptx();
    unit_ = std::make_unique<DebugUnit>(ptx_ ? setup_.read(*ptx_) : DebugInfo{});
    if (setup_.is_program && ptx_) lines_ = read_code_lines(*ptx_);
}

void DebugSession::before_program() {
    read_unit();
    Outcome reply = text_reply({});
    while (const auto line = setup_.ask(reply)) {
        reply = text_reply({});
        if (trim(*line).empty()) continue;
        Answer answered = answer(*line);
        if (std::holds_alternative<Go>(answered)) return;
        reply = std::move(std::get<Outcome>(answered));
    }
}

Outcome DebugSession::end_program() {
    Outcome ended;
    ended.status = Outcome::Status::exited;
    ended.text = "the program was ended\n";
    return ended;
}

DebugSession::Answer DebugSession::next_launch(std::string_view) {
    if (!setup_.is_program) {
        Outcome outcome = text_reply({});
        outcome.diagnostics.push_back(error("bad-argument", "only the first launch of a cell is debugged",
                                            "`continue` ends it; `cudash debug FILE.cu` debugs all launches"));
        return outcome;
    }
    stops_at_launch_ = true;
    return Go{};
}

DebugSession::Answer DebugSession::next_finding(std::string_view) {
    if (!setup_.is_program) {
        Outcome outcome = text_reply({});
        outcome.diagnostics.push_back(error("bad-argument", "only the first launch of a cell is debugged",
                                            "`:debug last` opens the launch of the last finding"));
        return outcome;
    }
    seeks_ = true;
    return Go{.breakpoints = false};
}

std::string DebugSession::launch_text() const {
    const gpu::Launch& launch = debugger_->launch();
    return fmt::format("launch {}: {}<<<{}, {}>>>", launches_, function_name(*launch.program->functions.front()),
                       gpu::coordinates(launch.grid), gpu::coordinates(launch.block));
}

void DebugSession::begin_launch() {
    ++launches_;
    repeat_ = 0;
    forget_question();
    told_of_lost_ = told_finding_ = false;
    other_access_.reset();
    block_ = 0, warp_ = 0, lane_ = 0, level_ = 0;
    for (Breakpoint& each : breakpoints_) each.sites = sites_of(each), each.compiled.clear(), each.counted.clear();
    mark_sites();
    // Shared and local memory end with their launch.
    for (std::size_t i = watched_.size(); i-- > 0;)
        if (watched_[i].space != ptx::Space::global) {
            watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(i));
            watches_.erase(watches_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    debugger_->watches = std::move(watched_);
    debugger_->watches_births = watches_nan_.has_value();
    watched_.clear();
}

void DebugSession::launch_ends() {
    if (!debugger_) return;
    watched_ = debugger_->watches;
    debugger_ = nullptr;
}

std::vector<std::uint32_t> DebugSession::sites_of(const Breakpoint& breakpoint) const {
    if (!breakpoint.function.empty()) return sites_of_function(breakpoint.function);
    std::vector<std::uint32_t> found;
    const auto& sites = debugger_->sites();
    for (std::uint32_t i = 0; i < sites.size(); ++i) {
        const gpu::StopSite& site = sites[i];
        if ((site.begins_line || site.begins_round) && site.where.line == breakpoint.where.line &&
            file_name(site.where.file) == breakpoint.where.file)
            found.push_back(i);
    }
    return found;
}

std::optional<Diagnostic> DebugSession::place_in_program(std::string_view given, unsigned line, Breakpoint& made,
                                                         std::string& note) const {
    std::string file = given.empty() ? std::string() : shown_file(std::string(given));
    const auto is_in = [&](const CodeLine& each) {
        return file.empty() || each.file == file ||
               (each.file.ends_with(file) && each.file[each.file.size() - file.size() - 1] == '/');
    };
    const CodeLine* nearest = nullptr;
    for (const CodeLine& each : lines_) {
        if (!is_in(each)) continue;
        // Without a name, the file of the first kernel is meant.
        if (file.empty()) file = each.file;
        if (each.line >= line && (!nearest || each.line < nearest->line)) nearest = &each;
    }
    if (!nearest)
        return error("no-code",
                     file.empty() || std::ranges::none_of(lines_, is_in)
                         ? fmt::format("no kernel has code in {}", file.empty() ? "this program" : file)
                         : fmt::format("no kernel has code at or after line {} of {}", line, file),
                     "a breakpoint is at a line of device code, or at a function: `break FUNCTION`");
    if (nearest->line != line) note = fmt::format("line {} has no device code: moved to line {}", line, nearest->line);
    made.where = {nearest->file, nearest->line, 0};
    if (debugger_) made.sites = sites_of(made);
    return std::nullopt;
}

std::optional<Diagnostic> DebugSession::place_at_function(std::string_view name, Breakpoint& made) const {
    std::set<std::string> all;
    std::size_t places = 0;
    for (const DebugFunction& each : unit_->info.functions) {
        all.insert(each.name);
        // Where the function has code, if it has any.
        const auto note_place = [&](const DebugScope& begin) {
            const auto first = std::ranges::find_if(lines_, [&](const CodeLine& line) {
                return line.symbol == each.symbol &&
                       (&begin == &each.scope || (begin.begin <= line.ptx_line && line.ptx_line < begin.end));
            });
            if (first != lines_.end() && places++ == 0) made.where = {first->file, first->line, 0};
        };
        const std::function<void(const DebugScope&)> find = [&](const DebugScope& scope) {
            for (const DebugScope& inner : scope.inner) {
                if (is_called(inner.inlined, name)) note_place(inner);
                find(inner);
            }
        };
        if (is_called(each.name, name) || each.symbol == name) note_place(each.scope);
        find(each.scope);
    }
    if (places != 0) {
        made.function = name;
        made.places = places;
        if (debugger_) made.sites = sites_of(made);
        return std::nullopt;
    }
    return error("unknown-name", fmt::format("the program has no device function `{}`", name),
                 fmt::format("a breakpoint is at a line or a function; there are {}", fmt::join(all, ", ")));
}

}  // namespace cudash::session::debug
