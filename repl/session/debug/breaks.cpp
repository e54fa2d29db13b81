// Breakpoints, watchpoints, and who touched what.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <set>
#include <utility>

#include "repl/session/debug/coordinates.h"
#include "repl/session/debug/debug_session.h"
#include "repl/trim.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;
using gpu::Go;

namespace {

Outcome refused_break(Diagnostic problem) {
    Outcome outcome;
    outcome.status = Outcome::Status::stopped;
    outcome.diagnostics.push_back(std::move(problem));
    return outcome;
}

/// The place of ` word ` in the text, outside of parentheses.
std::size_t find_word(std::string_view text, std::string_view word) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        if (depth == 0 && text.substr(at).starts_with(word) && (at == 0 || text[at - 1] == ' ') &&
            (at + word.size() == text.size() || text[at + word.size()] == ' ' || text[at + word.size()] == '('))
            return at;
    }
    return std::string_view::npos;
}

}  // namespace

void DebugSession::mark_sites() {
    conditions_changed_ = true;
    if (!debugger_) return;
    for (std::uint8_t& mark : debugger_->marked) mark &= static_cast<std::uint8_t>(~gpu::Stops::asked);
    for (const Breakpoint& each : breakpoints_)
        for (const std::uint32_t site : each.sites) debugger_->marked[site] |= gpu::Stops::asked;
}

std::optional<Diagnostic> DebugSession::place_breakpoint(std::string_view place, Breakpoint& made,
                                                         std::string& note) const {
    // FILE:LINE; the file of the kernel, where none is said.
    std::string file = debugger_ ? file_name(gpu::location_of(*debugger_->launch().program->functions.front(),
                                                              debugger_->sites().front().stop)
                                                 .file)
                                 : std::string();
    const std::size_t colon = place.rfind(':');
    std::string_view digits = place;
    if (colon != std::string_view::npos && colon > 0 && place[colon - 1] != ':') {
        file = trim(place.substr(0, colon));
        digits = trim(place.substr(colon + 1));
    }
    unsigned line = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
    const bool at_line = failure == std::errc() && end == digits.data() + digits.size() && !digits.empty();
    if (setup_.is_program) return at_line ? place_in_program(file, line, made, note) : place_at_function(place, made);
    const auto& sites = debugger_->sites();
    if (at_line) {
        unsigned nearest = 0;
        const auto in_file = [&](const gpu::StopSite& site) {
            const std::string name = file_name(site.where.file);
            return name == file || name.ends_with("/" + file);
        };
        for (const gpu::StopSite& site : sites)
            if (site.begins_line && in_file(site) && site.where.line >= line &&
                (nearest == 0 || site.where.line < nearest))
                nearest = site.where.line;
        if (nearest == 0)
            return error("no-code", fmt::format("no code of this kernel stands at or after line {} of {}", line, file),
                         "`where` shows the lines of the kernel; `break FUNCTION` stops at a function's beginning");
        if (nearest != line) note = fmt::format("line {} has no code: moved to line {}", line, nearest);
        for (std::uint32_t i = 0; i < sites.size(); ++i)
            if ((sites[i].begins_line || sites[i].begins_round) && in_file(sites[i]) && sites[i].where.line == nearest)
                made.sites.push_back(i);
        made.where = {file, nearest, 0};
        return std::nullopt;
    }
    made.sites = sites_of_function(place);
    made.places = made.sites.size();
    if (!made.sites.empty()) {
        const gpu::StopSite& first = sites[made.sites.front()];
        made.where = {file_name(first.where.file), first.where.line, 0};
        return std::nullopt;
    }
    std::set<std::string> names;
    for (const gpu::StopSite& site : sites) names.insert(function_name(*site.code));
    return error("unknown-name", fmt::format("this kernel calls no function `{}`", place),
                 fmt::format("a breakpoint is at a line or a function; there are {}", fmt::join(names, ", ")));
}

std::optional<Diagnostic> DebugSession::check_condition(const Breakpoint& made) const {
    std::vector<std::string> names;
    made.condition->names(names);
    const CodeLine* const at = setup_.is_program ? line_at(lines_, made.where.file, made.where.line) : nullptr;
    if (!at && made.sites.empty()) return std::nullopt;
    const std::string symbol = at ? at->symbol : debugger_->sites()[made.sites.front()].code->name;
    const DebugFunction* function = unit_->info.function(symbol);
    const std::function<bool(const DebugScope&, const std::string&)> holds = [&](const DebugScope& scope,
                                                                                 const std::string& name) -> bool {
        return std::ranges::any_of(scope.variables, [&](const auto& each) { return each.name == name; }) ||
               std::ranges::any_of(scope.inner, [&](const auto& each) { return holds(each, name); });
    };
    static const std::set<std::string_view> builtins = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    for (const std::string& name : names) {
        if (builtins.contains(name) || (function && holds(function->scope, name))) continue;
        if (std::ranges::any_of(unit_->info.globals, [&](const auto& each) { return each.name == name; })) continue;
        if (std::ranges::any_of(unit_->info.types, [&](const DebugType& type) {
                return std::ranges::any_of(type.enumerators, [&](const auto& each) { return each.first == name; });
            }))
            continue;
        return error("unknown-name", fmt::format("there is no `{}` in {}", name, function ? function->name : symbol),
                     "`locals` lists the variables");
    }
    return std::nullopt;
}

Result<DebugSession::Breakpoint> DebugSession::breakpoint(std::string_view text, std::string& note) const {
    Breakpoint made;
    made.text = text;
    if (const std::size_t at = find_word(text, "if"); at != std::string_view::npos) {
        auto condition = parse_expression(text.substr(at + 2));
        if (!condition) return condition.error();
        made.condition = std::move(*condition);
        text = trim(text.substr(0, at));
    }
    const gpu::Launch* const launch = debugger_ ? &debugger_->launch() : nullptr;
    for (const std::string_view word : {"block", "thread", "warp"}) {
        const std::size_t at = find_word(text, word);
        if (at == std::string_view::npos) continue;
        const std::string_view rest = text.substr(at + word.size());
        std::size_t used = 0;
        const auto given = read_coordinates(rest, used);
        if (!given) return error("bad-argument", fmt::format("expected a number or (x,y,z) after {}", word));
        if (!launch && !given->linear)
            return error("bad-argument", fmt::format("(x,y,z) of a {} needs a launch, and none has begun", word),
                         "`break LINE if threadIdx.x == 5`; `launch` goes to the first launch");
        const Dim3 shape = !launch ? Dim3{~0u, 1, 1} : word == "block" ? launch->grid : launch->block;
        const std::uint64_t all = word == "warp" && launch
                                      ? (launch->block_threads() + gpu::warp_size - 1) / gpu::warp_size
                                      : std::uint64_t{shape.x} * shape.y * shape.z;
        const auto number = word == "warp" ? given->linear : linear_of(*given, shape);
        if (!number || *number >= all)
            return error("bad-argument",
                         fmt::format("there is no {} {}: the launch has {} of them{}", word, trim(rest.substr(0, used)),
                                     all, word == "block" ? "" : " in a block"));
        if (word == "block") made.block = *number;
        if (word == "thread") made.thread = static_cast<std::uint32_t>(*number);
        if (word == "warp") made.warp = static_cast<std::uint32_t>(*number);
        const std::string left = std::string(text.substr(0, at)) + std::string(rest.substr(used));
        // The rest is read again from a text of its own.
        auto inner = breakpoint(left, note);
        if (!inner) return inner;
        if (!inner->block) inner->block = made.block;
        if (!inner->thread) inner->thread = made.thread;
        if (!inner->warp) inner->warp = made.warp;
        inner->condition = made.condition;
        inner->text = made.text;
        return inner;
    }
    if (auto problem = place_breakpoint(trim(text), made, note)) return *problem;
    return made;
}

DebugSession::Answer DebugSession::set_break(std::string_view argument) {
    std::string note;
    auto made = breakpoint(argument, note);
    if (!made) return refused_break(made.error());
    if (made->condition)
        if (auto problem = check_condition(*made)) return refused_break(*problem);
    made->number = next_number_++;
    if (!note.empty()) note += '\n';
    made->text = argument;
    breakpoints_.push_back(std::move(*made));
    mark_sites();
    const Breakpoint& set = breakpoints_.back();
    Outcome outcome =
        text_reply(fmt::format("{}breakpoint {} at {}:{}{}", note, set.number, set.where.file, set.where.line,
                               set.places > 1 ? fmt::format(", in {} places", set.places) : ""));
    DebugDetails& details = outcome.details.emplace();
    details.breakpoint = set.number;
    details.breakpoint_at = set.where;
    return outcome;
}

DebugSession::Answer DebugSession::delete_break(std::string_view argument) {
    if (argument.empty()) {
        const std::size_t count = breakpoints_.size() + watches_.size() + watches_nan_.has_value();
        breakpoints_.clear();
        watches_.clear();
        watches_nan_.reset();
        if (debugger_) debugger_->watches.clear(), debugger_->watches_births = false;
        mark_sites();
        return text_reply(fmt::format("{} removed", count));
    }
    unsigned number = 0;
    std::from_chars(argument.data(), argument.data() + argument.size(), number);
    if (watches_nan_ && *watches_nan_ == number) {
        watches_nan_.reset();
        if (debugger_) debugger_->watches_births = false;
        return text_reply(fmt::format("removed {}", number));
    }
    const std::size_t before = breakpoints_.size() + watches_.size();
    std::erase_if(breakpoints_, [&](const Breakpoint& each) { return each.number == number; });
    for (std::size_t i = watches_.size(); i-- > 0;)
        if (watches_[i].number == number) {
            watches_.erase(watches_.begin() + static_cast<std::ptrdiff_t>(i));
            if (debugger_) debugger_->watches.erase(debugger_->watches.begin() + static_cast<std::ptrdiff_t>(i));
        }
    mark_sites();
    if (breakpoints_.size() + watches_.size() == before)
        return refused_break(
            error("bad-argument", fmt::format("there is no breakpoint {}", argument), "`info breaks` lists them"));
    return text_reply(fmt::format("removed {}", number));
}

DebugSession::Answer DebugSession::info(std::string_view argument) {
    Outcome outcome = text_reply({});
    if (!debugger_ && !argument.starts_with("b"))
        return refused_break(error("not-here", "the program has not launched a kernel yet", "`launch` goes to one"));
    if (std::string_view("checkpoints").starts_with(argument)) {
        outcome.text = fmt::format("{} checkpoints, {} bytes of memory saved\n", debugger_->checkpoints(),
                                   debugger_->checkpoint_bytes());
        return outcome;
    }
    if (std::string_view("registers").starts_with(argument)) {
        const auto at = thread();
        if (!at) return refused_break(at.error());
        Table table{{"register", "bytes", "value"}, {}};
        std::vector<std::pair<std::string, gpu::DebugPlace>> all(at->frame->code->debug->places.begin(),
                                                                 at->frame->code->debug->places.end());
        std::ranges::sort(all, {}, [](const auto& each) { return std::pair(each.first.size(), each.first); });
        for (const auto& [name, place] : all) {
            if (place.space != ptx::Space::reg || place.bytes > 8) continue;
            std::uint64_t value = 0;
            if (place.bytes == 0) {
                std::uint32_t mask = 0;
                std::memcpy(&mask, at->frame->registers + place.offset, sizeof mask);
                value = mask >> at->lane & 1;
            } else {
                std::memcpy(&value, at->frame->registers + place.offset + std::size_t{at->lane} * place.bytes,
                            place.bytes);
            }
            table.rows.push_back({name, fmt::format("{}", place.bytes), fmt::format("{:#x}", value)});
        }
        outcome.table = std::move(table);
        return outcome;
    }
    if (!argument.starts_with("b"))
        return refused_break(error("bad-argument", fmt::format("can't list '{}'", argument),
                                   "`info breaks`, `info checkpoints`, `info registers`"));
    if (breakpoints_.empty() && watches_.empty() && !watches_nan_) return text_reply("no breakpoints");
    Table table{{"number", "kind", "what", "hits"}, {}};
    for (const Breakpoint& each : breakpoints_)
        table.rows.push_back({fmt::format("{}", each.number), "break", each.text, fmt::format("{}", each.hits)});
    for (const Watch& each : watches_) table.rows.push_back({fmt::format("{}", each.number), "watch", each.text, ""});
    if (watches_nan_) table.rows.push_back({fmt::format("{}", *watches_nan_), "watch", "nan", ""});
    outcome.table = std::move(table);
    return outcome;
}

Result<DebugSession::Target> DebugSession::target(std::string_view text) const {
    const auto at = thread();
    if (!at) return at.error();
    const auto expression = parse_expression(text);
    if (!expression) return expression.error();
    const Evaluator evaluator(*unit_, *debugger_, *at);
    const auto value = evaluator.evaluate(*expression);
    if (!value) return value.error();
    if (!value->place || value->place->space == ptx::Space::param)
        return error("not-in-memory", fmt::format("`{}` is not in memory: it is in a register, or computed", text),
                     "`break LINE if EXPR` stops where a variable has a value");
    Target made{*value->place, value->type, std::string(text)};
    made.bytes.bytes = unit_->types[value->type].bytes;
    constexpr std::uint64_t most = 4096;
    if (made.bytes.bytes == 0 || made.bytes.bytes > most)
        return error("bad-argument",
                     fmt::format("`{}` has {} bytes: up to {} can be watched", text, made.bytes.bytes, most),
                     "name one element");
    if (debugger_->read(made.bytes).empty()) return error("bad-address", fmt::format("`{}` is not in memory", text));
    return made;
}

DebugSession::Answer DebugSession::watch_nan() {
    if (!watches_nan_) watches_nan_ = next_number_++;
    if (debugger_) debugger_->watches_births = true;
    Outcome outcome = text_reply(fmt::format("watchpoint {} on the birth of a NaN", *watches_nan_));
    outcome.details.emplace().breakpoint = *watches_nan_;
    return outcome;
}

DebugSession::Answer DebugSession::watch(std::string_view argument) {
    if (argument == "nan") return watch_nan();
    auto made = target(argument);
    if (!made) return refused_break(made.error());
    watches_.push_back({next_number_++, made->text, made->type});
    debugger_->watches.push_back(made->bytes);
    Outcome outcome = text_reply(fmt::format("watchpoint {} on {}", watches_.back().number, made->text));
    outcome.details.emplace().breakpoint = watches_.back().number;
    return outcome;
}

DebugSession::Answer DebugSession::who(std::string_view argument) {
    const std::size_t space = std::min(argument.find(' '), argument.size());
    const std::string_view verb = argument.substr(0, space);
    if (verb == "made") return who_made_nan(trim(argument.substr(space)));
    const bool writes = verb == "wrote" || verb == "writes", reads = verb == "reads" || verb == "read";
    if (!writes && !reads)
        return refused_break(error("bad-argument", "expected `who wrote EXPR`, `who reads EXPR` or `who made nan`"));
    auto made = target(trim(argument.substr(space)));
    if (!made) return refused_break(made.error());
    Answer answered = backward(Go{.breakpoints = false,
                                  .touches = writes ? gpu::AccessKind::store : gpu::AccessKind::load,
                                  .watched = made->bytes});
    forget_question();
    asked_ = std::move(*made);
    return answered;
}

DebugSession::Answer DebugSession::who_made_nan(std::string_view argument) {
    const bool first = argument == "nan first";
    if (argument != "nan" && !first)
        return refused_break(
            error("bad-argument", fmt::format("can't look for who made '{}'", argument),
                  "`who made nan` goes to the last one before now, `who made nan first` to the first"));
    forget_question();
    asked_nan_ = true;
    return backward(Go{.breakpoints = false, .births = first ? Go::Births::first : Go::Births::last});
}

std::string DebugSession::made_nan(const gpu::Touch& birth) const {
    const auto lane = static_cast<unsigned>(std::countr_zero(birth.lanes));
    const auto count = std::popcount(birth.lanes);
    std::string who = thread_text(birth.block, birth.warp, lane);
    if (count > 1) who += fmt::format(" and {} more of its warp", count - 1);
    if (birth.moment != debugger_->stopped().moment)
        return fmt::format("{} ha{} just made a NaN: no input of that instruction was one", who,
                           count > 1 ? "ve" : "s");
    return fmt::format("{} make{} a NaN here: no input of the next instruction is one", who, count > 1 ? "" : "s");
}

DebugSession::Answer DebugSession::history(std::string_view argument) {
    auto made = target(argument);
    if (!made) return refused_break(made.error());
    if (const char* why = debugger_->why_not_back())
        return refused_break(error("no-way-back", fmt::format("this launch can't go back: {}", why)));
    Go go{.how = Go::How::collect, .breakpoints = false, .watched = made->bytes};
    forget_question();
    asked_ = std::move(*made);
    return go;
}

std::string DebugSession::text_of(const Target& target, const std::vector<std::byte>& bytes) const {
    if (bytes.empty()) return "?";
    const Evaluator evaluator(*unit_, *debugger_, {});
    return evaluator.text({target.type, bytes, {}});
}

std::string DebugSession::told(const gpu::Touch& touch, const Target& target) const {
    const auto lane = static_cast<unsigned>(std::countr_zero(touch.lanes));
    const auto count = std::popcount(touch.lanes);
    std::string who = thread_text(touch.block, touch.warp, lane);
    if (count > 1) who += fmt::format(" and {} more of its warp", count - 1);
    const SourceSpot where = spot(touch);
    // "thread (0,0,0) reads", "thread (0,0,0) and 31 more read"
    const std::string_view ending = count > 1 ? "" : "s";
    if (touch.kind == gpu::AccessKind::load)
        return fmt::format("{} read{} {} at {}:{}: {}", who, ending, target.text, where.file, where.line,
                           text_of(target, touch.before));
    return fmt::format("{} {}{} {} at {}:{}: {} -> {}", who, touch.kind == gpu::AccessKind::atomic ? "update" : "write",
                       ending, target.text, where.file, where.line, text_of(target, touch.before),
                       text_of(target, touch.after));
}

Outcome DebugSession::told_history() const {
    const auto& touches = debugger_->collected();
    if (touches.empty()) return text_reply(fmt::format("nothing has written {} so far", asked_->text));
    Outcome outcome = text_reply({});
    Table table{{"moment", "thread", "place", "old", "new"}, {}};
    for (const gpu::Touch& touch : touches) {
        const auto lane = static_cast<unsigned>(std::countr_zero(touch.lanes));
        const SourceSpot where = spot(touch);
        std::string who = thread_text(touch.block, touch.warp, lane);
        if (const auto more = std::popcount(touch.lanes) - 1; more > 0) who += fmt::format(" and {} more", more);
        table.rows.push_back({fmt::format("{}", touch.moment), who, fmt::format("{}:{}", where.file, where.line),
                              text_of(*asked_, touch.before), text_of(*asked_, touch.after)});
    }
    outcome.table = std::move(table);
    return outcome;
}

}  // namespace cudash::session::debug
