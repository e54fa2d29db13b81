// The debugger's commands that look at a launch which stands still.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "repl/session/debug/coordinates.h"
#include "repl/session/debug/debug_session.h"
#include "repl/trim.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;

namespace {

Outcome refused_look(Diagnostic problem) {
    Outcome outcome;
    outcome.status = Outcome::Status::stopped;
    outcome.diagnostics.push_back(std::move(problem));
    return outcome;
}

/// Of a table the beginning of a long value; `print` shows all of it.
std::string shortened(std::string text) {
    constexpr std::size_t most = 120;
    if (text.size() <= most) return text;
    const std::size_t comma = text.rfind(", ", most);
    return text.substr(0, comma == std::string::npos ? most : comma + 2) + "...";
}

std::string thread_ranges(std::vector<std::uint32_t> threads) {
    constexpr std::size_t most = 3;
    std::ranges::sort(threads);
    std::string text;
    std::size_t told = 0;
    for (std::size_t i = 0; i < threads.size();) {
        std::size_t last = i;
        while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1) ++last;
        if (told++ == most) return text + ", ...";
        text += (text.empty() ? "" : ", ") +
                (last == i ? fmt::format("{}", threads[i]) : fmt::format("{}-{}", threads[i], threads[last]));
        i = last + 1;
    }
    return text;
}

}  // namespace

DebugSession::Answer DebugSession::where(std::string_view) {
    return stop_reply({});
}

DebugSession::Answer DebugSession::when(std::string_view) {
    return text_reply(fmt::format("moment {}: {} instructions of warps have been executed", debugger_->stopped().moment,
                                  debugger_->stopped().moment));
}

DebugSession::Answer DebugSession::focus(std::string_view argument) {
    if (argument.empty()) return stop_reply({});
    std::uint64_t block = block_;
    std::uint32_t warp = warp_, lane = lane_;
    const gpu::Launch& launch = debugger_->launch();
    while (!argument.empty()) {
        const std::size_t end = std::min(argument.find_first_of(" ("), argument.size());
        const std::string_view word = argument.substr(0, end);
        std::size_t used = 0;
        const auto given = read_coordinates(argument.substr(end), used);
        const auto bad = [&](std::string message) {
            return refused_look(
                error("bad-argument", std::move(message), "`focus block (3,0) thread 37`, `focus warp 1 lane 5`"));
        };
        if (!given) return bad(fmt::format("can't read '{}'", argument));
        if (word == "block") {
            const auto number = linear_of(*given, launch.grid);
            if (!number) return bad("the grid has no such block");
            block = *number;
        } else if (word == "thread") {
            const auto number = linear_of(*given, launch.block);
            if (!number) return bad("a block has no such thread");
            warp = static_cast<std::uint32_t>(*number / gpu::warp_size);
            lane = static_cast<std::uint32_t>(*number % gpu::warp_size);
        } else if (word == "warp" && given->linear) {
            if (*given->linear * gpu::warp_size >= launch.block_threads()) return bad("a block has no such warp");
            warp = static_cast<std::uint32_t>(*given->linear);
        } else if (word == "lane" && given->linear && *given->linear < gpu::warp_size) {
            lane = static_cast<std::uint32_t>(*given->linear);
        } else {
            return bad(fmt::format("can't read '{}'", argument));
        }
        argument = trim(argument.substr(std::min(argument.size(), end + used)));
    }
    if (std::uint64_t{warp} * gpu::warp_size + lane >= launch.block_threads())
        return refused_look(error("bad-argument", "the last warp of a block has no such lane"));
    const bool runs =
        std::ranges::any_of(debugger_->blocks(), [&](const gpu::Block* each) { return each->number == block; });
    if (!runs)
        return refused_look(error(
            "not-here", fmt::format("block {} does not run at this moment", gpu::coordinates(launch.block_at(block))),
            fmt::format("blocks run one after the other: `break LINE block {}` stops in it", block)));
    block_ = block, warp_ = warp, lane_ = lane;
    look_from_program();
    return stop_reply({});
}

DebugSession::Answer DebugSession::threads(std::string_view) {
    struct Group {
        std::vector<std::uint32_t> threads;
        std::uint64_t block = 0;
    };
    std::map<std::tuple<std::uint64_t, std::string, unsigned, gpu::LaneState>, Group> groups;
    const std::string own_file = file_name(debugger_->sites().front().where.file);
    std::uint64_t begun = 0;
    for (const gpu::Block* block : debugger_->blocks()) {
        ++begun;
        for (const gpu::Warp& warp : block->warps) {
            const auto places = gpu::lane_places(warp, debugger_->standing());
            for (unsigned lane = 0; lane < gpu::warp_size; ++lane) {
                const gpu::LanePlace& place = places[lane];
                if (place.state == gpu::LaneState::none) continue;
                SourceSpot where;
                if (place.frame) {
                    const gpu::CallPlace call = gpu::program_place(debugger_->launch(), place.frame, place.instruction);
                    where = spot(*call.frame->code, call.instruction);
                }
                const gpu::LaneState state = place.state;
                Group& group = groups[{block->number, where.file, where.line, state}];
                group.block = block->number;
                group.threads.push_back(warp.index * gpu::warp_size + lane);
            }
        }
    }
    Outcome outcome = text_reply({});
    Table table{{"threads", "place", "state", "block", "which"}, {}};
    for (const auto& [key, group] : groups) {
        const auto& [block, file, line, state] = key;
        table.rows.push_back({fmt::format("{}", group.threads.size()), line ? fmt::format("{}:{}", file, line) : "",
                              std::string(name_of(state)), gpu::coordinates(debugger_->launch().block_at(block)),
                              thread_ranges(group.threads)});
    }
    const std::uint64_t all = debugger_->launch().grid_blocks();
    if (all > begun)
        outcome.text = fmt::format("{} of {} blocks run; the others have ended or not begun\n", begun, all);
    outcome.table = std::move(table);
    outcome.details.emplace().threads = threads_of_block();
    return outcome;
}

DebugSession::Answer DebugSession::locals(std::string_view) {
    const auto at = thread();
    if (!at) return refused_look(at.error());
    const Evaluator evaluator(*unit_, *debugger_, *at);
    Table table{{"name", "type", "value"}, {}};
    DebugDetails details;
    for (const DebugVariable* each : evaluator.variables()) {
        const auto value = evaluator.value_of(*each);
        details.parts.push_back(value ? part(evaluator, each->name, each->name, *value)
                                      : DebugPart{each->name, unit_->types.name(each->type), "not here"});
        table.rows.push_back({each->name, unit_->types.name(each->type), shortened(details.parts.back().value)});
    }
    if (table.rows.empty()) return text_reply("no variables");
    Outcome outcome = text_reply({});
    outcome.details = std::move(details);
    outcome.table = std::move(table);
    return outcome;
}

DebugSession::Answer DebugSession::print(std::string_view argument) {
    const auto expression = parse_expression(argument);
    if (!expression) return refused_look(expression.error());
    const auto at = thread();
    if (!at) return refused_look(at.error());
    const Evaluator evaluator(*unit_, *debugger_, *at);
    const auto value = evaluator.evaluate(*expression);
    if (!value) return refused_look(value.error());
    auto text = evaluator.checked_text(*value);
    if (!text) return refused_look(text.error());
    Outcome outcome = text_reply({});
    outcome.details.emplace().parts.push_back(part(evaluator, std::string(argument), std::string(argument), *value));
    outcome.value = Value{evaluator.type_name(*value), std::move(*text)};
    return outcome;
}

DebugSession::Answer DebugSession::lanes(std::string_view argument) {
    const auto expression = parse_expression(argument);
    if (!expression) return refused_look(expression.error());
    const gpu::Warp* warp = warp_in_focus();
    if (!warp) return refused_look(thread().error());
    Outcome outcome = text_reply({});
    DebugLanes& made = outcome.lanes.emplace();
    made.expression = argument;
    made.lanes = lane_letters(*warp);
    made.lane = lane_;
    made.values.resize(gpu::warp_size);
    std::optional<Diagnostic> problem;
    for (unsigned lane = 0; lane < gpu::warp_size; ++lane) {
        const auto at = thread_of(lane, level_);
        if (!at) continue;
        const Evaluator evaluator(*unit_, *debugger_, *at);
        const auto value = evaluator.evaluate(*expression);
        auto text = value ? evaluator.checked_text(*value) : value.error();
        if (!text) {
            if (!problem) problem = text.error();
            continue;
        }
        made.type = evaluator.type_name(*value);
        made.values[lane] = std::move(*text);
    }
    if (made.type.empty()) return refused_look(problem ? *problem : error("not-here", "no lane of the warp is left"));
    return outcome;
}

DebugSession::Answer DebugSession::show(std::string_view) {
    const auto at = thread();
    if (!at) return refused_look(at.error());
    const Evaluator evaluator(*unit_, *debugger_, *at);
    Table table{{"shared", "type", "bytes", "value"}, {}};
    DebugDetails details;
    for (const gpu::SharedVariable& each : debugger_->launch().program->shared_variables) {
        std::string type, text;
        std::string_view symbol;
        const std::function<bool(const DebugScope&)> find = [&](const DebugScope& scope) -> bool {
            for (const DebugVariable& variable : scope.variables)
                for (const VariablePlace& place : variable.places) {
                    if (place.address_class != VariablePlace::Class::shared || !is_same(each, variable, place, symbol))
                        continue;
                    type = unit_->types.name(variable.type);
                    const DebugValue value{variable.type, {}, gpu::Watched{ptx::Space::shared, each.begin, 0, block_}};
                    text = shortened(evaluator.text(value));
                    details.parts.push_back(part(evaluator, each.name, each.name, value));
                    return true;
                }
            return std::ranges::any_of(scope.inner, find);
        };
        for (const DebugFunction& function : unit_->info.functions) {
            symbol = function.symbol;
            if (find(function.scope)) break;
        }
        table.rows.push_back({each.name, type, each.bytes ? fmt::format("{}", each.bytes) : "of the launch", text});
    }
    if (table.rows.empty()) return text_reply("the kernel has no shared variables");
    Outcome outcome = text_reply({});
    outcome.details = std::move(details);
    outcome.table = std::move(table);
    return outcome;
}

DebugSession::Answer DebugSession::ptx(std::string_view argument) {
    const auto at = thread();
    if (!at) return refused_look(at.error());
    const ptx::Location& here = gpu::location_of(*at->frame->code, at->instruction);
    constexpr unsigned before = 3, after = 6;
    unsigned first = here.ptx_line > before ? here.ptx_line - before : 1, last = here.ptx_line + after;
    if (!argument.empty()) {
        const std::size_t space = std::min(argument.find(' '), argument.size());
        const std::string_view second = trim(argument.substr(space));
        const auto number = [](std::string_view text, unsigned& value) {
            const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
            return failure == std::errc() && end == text.data() + text.size();
        };
        if (!number(argument.substr(0, space), first) || !number(second, last) || last < first)
            return refused_look(error("bad-argument", fmt::format("expected two lines of PTX, got '{}'", argument),
                                      "`ptx 100 120`; `ptx` alone shows the lines around this place"));
    }
    Outcome outcome = text_reply({});
    DebugDetails& details = outcome.details.emplace();
    details.ptx_line = first;
    std::string_view rest = *ptx_;
    for (unsigned line = 1; !rest.empty() && line <= last; ++line) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        if (line >= first) {
            details.ptx.emplace_back(trim(rest.substr(0, end)));
            outcome.text += fmt::format("{} {:5} {}\n", line == here.ptx_line ? '>' : ' ', line, details.ptx.back());
        }
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    return outcome;
}

}  // namespace cudash::session::debug
