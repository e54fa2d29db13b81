// The functions that a thread is in, those among them that the compiler put in their callers' place.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "repl/session/debug/debug_session.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;

namespace {

Outcome refused_call(Diagnostic problem) {
    Outcome outcome;
    outcome.status = Outcome::Status::stopped;
    outcome.diagnostics.push_back(std::move(problem));
    return outcome;
}

/// What was inlined, innermost first, and where each is called; file 0: in the file of the function around it.
struct InlinedCall {
    std::string function;
    unsigned file = 0, line = 0;
};

std::vector<InlinedCall> inlined_calls(const DebugInfo& info, const gpu::Code& code, const ptx::Location& where) {
    std::vector<InlinedCall> found;
    if (const DebugFunction* function = info.function(code.name)) {
        for (const DebugScope* each : scopes_at(*function, where.ptx_line))
            if (!each->inlined.empty()) found.push_back({each->inlined, each->call_file, each->call_line});
        return found;
    }
    // Without variables, the lines of the PTX say it.
    const auto& sites = code.source->inline_sites;
    for (int at = where.inlined_at; at >= 0 && static_cast<std::size_t>(at) < sites.size();) {
        const ptx::InlineSite& site = sites[static_cast<std::size_t>(at)];
        found.push_back({site.function, site.file, site.line});
        at = site.parent;
    }
    return found;
}

/// The innermost function that was inlined at this stop; nullptr: none was.
const DebugScope* inlined_at(const DebugInfo& info, const gpu::StopSite& site) {
    const DebugFunction* function = info.function(site.code->name);
    if (!function) return nullptr;
    for (const DebugScope* each : scopes_at(*function, gpu::location_of(*site.code, site.stop).ptx_line))
        if (!each->inlined.empty()) return each;
    return nullptr;
}

bool is_around(const DebugScope* outer, const DebugScope* inner) {
    return !outer || outer == inner || (inner && outer->begin <= inner->begin && inner->end <= outer->end);
}

}  // namespace

std::vector<DebugSession::Call> DebugSession::calls_from(ThreadAt at) const {
    std::vector<Call> calls;
    const auto& files = *debugger_->launch().files;
    const auto is_toolkit = [&](unsigned file) { return file < files.size() && gpu::is_toolkit_file(files[file]); };
    unsigned depth = 0;
    for (; at.frame; at.instruction = at.frame->call, at.frame = at.frame->caller, ++depth) {
        const gpu::Code& code = *at.frame->code;
        const ptx::Location& here = gpu::location_of(code, at.instruction);
        // A line of the toolkit's belongs to the line that uses it.
        const SourceSpot in_program = spot(code, at.instruction);
        const unsigned own_file = code.locations.front().file;
        unsigned file = here.file, line = here.line;
        bool told = false;
        at.inlined = 0;
        const auto add = [&](std::string name, bool is_inlined) {
            const bool foreign = is_toolkit(file) && is_inlined;
            SourceSpot where{file_name(file), line, 0};
            if (!foreign && !std::exchange(told, true)) where = in_program;
            calls.push_back({at, std::move(name), std::move(where), depth, here.ptx_line, is_inlined, foreign});
        };
        for (InlinedCall& each : inlined_calls(unit_->info, code, here)) {
            add(std::move(each.function), true);
            file = each.file == 0 ? own_file : each.file;
            line = each.line;
            ++at.inlined;
        }
        add(function_name(code), false);
    }
    return calls;
}

std::vector<DebugSession::Call> DebugSession::calls_of(unsigned lane) const {
    const auto at = innermost(lane);
    return at ? calls_from(*at) : std::vector<Call>();
}

Result<ThreadAt> DebugSession::thread_of(unsigned lane, unsigned level) const {
    const auto at = innermost(lane);
    if (!at || level == 0) return at;
    const std::vector<Call> calls = calls_from(*at);
    return calls[std::min<std::size_t>(level, calls.size() - 1)].at;
}

void DebugSession::look_from_program() {
    level_ = 0;
    const auto at = innermost(lane_);
    if (!at) return;
    const unsigned depth = gpu::program_place(debugger_->launch(), at->frame, at->instruction).level;
    const std::vector<Call> calls = calls_from(*at);
    for (unsigned level = 0; level < calls.size(); ++level) {
        if (calls[level].depth != depth) continue;
        level_ = level;
        if (!calls[level].is_toolkit) return;
    }
}

DebugSession::Answer DebugSession::backtrace(std::string_view) {
    const auto at = innermost(lane_);
    if (!at) return refused_call(at.error());
    Table table{{"#", "function", "place"}, {}};
    DebugDetails details;
    unsigned level = 0;
    for (const Call& each : calls_from(*at)) {
        std::string name = each.is_inlined ? fmt::format("{} (inlined)", each.function) : each.function;
        details.frames.push_back({name, {each.where.file, each.where.line, 0}, level, each.is_inlined, each.ptx_line});
        table.rows.push_back({fmt::format("{}{}", level == level_ ? "*" : "", level), std::move(name),
                              fmt::format("{}:{}", each.where.file, each.where.line)});
        ++level;
    }
    Outcome outcome = text_reply({});
    outcome.details = std::move(details);
    outcome.table = std::move(table);
    return outcome;
}

DebugSession::Answer DebugSession::up(std::string_view) {
    const auto at = innermost(lane_);
    if (!at) return refused_call(at.error());
    if (level_ + 1 >= calls_from(*at).size())
        return refused_call(error("bad-argument", "this is the kernel: nothing of the device called it"));
    ++level_;
    return stop_reply({});
}

DebugSession::Answer DebugSession::down(std::string_view) {
    if (level_ == 0) return refused_call(error("bad-argument", "this is the innermost function"));
    --level_;
    return stop_reply({});
}

DebugSession::Answer DebugSession::frame(std::string_view argument) {
    unsigned level = 0;
    const auto [end, failure] = std::from_chars(argument.data(), argument.data() + argument.size(), level);
    if (failure != std::errc() || end != argument.data() + argument.size())
        return refused_call(error("bad-argument", fmt::format("expected the number of a function, got '{}'", argument),
                                  "`backtrace` numbers them"));
    const auto at = innermost(lane_);
    if (!at) return refused_call(at.error());
    if (level >= calls_from(*at).size())
        return refused_call(error("bad-argument", fmt::format("there is no function {} here", level),
                                  "`backtrace` lists the functions"));
    level_ = level;
    return stop_reply({});
}

const DebugScope* DebugSession::inlined_in_focus() const {
    const auto at = thread();
    const DebugFunction* const function = at ? unit_->info.function(at->frame->code->name) : nullptr;
    if (!function) return nullptr;
    unsigned left = at->inlined;
    for (const DebugScope* each : scopes_at(*function, gpu::location_of(*at->frame->code, at->instruction).ptx_line))
        if (!each->inlined.empty() && left-- == 0) return each;
    return nullptr;
}

DebugSession::Wanted DebugSession::in_no_inner_call() const {
    const auto at = thread();
    return [this, focus = inlined_in_focus(), depth = at ? at->frame->depth : 0](const gpu::Arrival& arrival) {
        if (arrival.depth != depth) return arrival.depth < depth;
        const DebugScope* there = inlined_at(unit_->info, arrival.site);
        return there == focus || !is_around(focus, there);
    };
}

DebugSession::Wanted DebugSession::behind_this_call() const {
    const auto at = thread();
    const DebugScope* const focus = inlined_in_focus();
    const std::uint32_t depth = at ? at->frame->depth : 0;
    if (depth == 0 && !focus) return {};
    return [this, focus, depth](const gpu::Arrival& arrival) {
        if (arrival.depth != depth || !focus) return arrival.depth < depth;
        return !is_around(focus, inlined_at(unit_->info, arrival.site));
    };
}

std::vector<std::uint32_t> DebugSession::sites_of_function(std::string_view name) const {
    std::vector<std::uint32_t> found;
    const gpu::Code* before = nullptr;
    std::set<const DebugScope*> entered;
    const auto& sites = debugger_->sites();
    for (std::uint32_t i = 0; i < sites.size(); ++i) {
        const gpu::StopSite& site = sites[i];
        if (!site.begins_line) continue;
        const gpu::Code& code = *site.code;
        const DebugScope* scope = inlined_at(unit_->info, site);
        const bool enters = scope && is_called(scope->inlined, name) && entered.insert(scope).second;
        const bool begins = before != &code && (is_called(function_name(code), name) || code.name == name);
        before = &code;
        if (enters || begins) found.push_back(i);
    }
    return found;
}

}  // namespace cudash::session::debug
