#include "repl/session/debug/debug_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>

#include "repl/trim.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;

Outcome text_reply(std::string text) {
    Outcome outcome;
    outcome.status = Outcome::Status::stopped;
    outcome.text = std::move(text);
    if (!outcome.text.empty() && outcome.text.back() != '\n') outcome.text += '\n';
    return outcome;
}

namespace {

Outcome refusal(Diagnostic problem) {
    Outcome outcome;
    outcome.status = Outcome::Status::stopped;
    outcome.diagnostics.push_back(std::move(problem));
    return outcome;
}

bool has_name(std::string_view names, std::string_view name) {
    while (!names.empty()) {
        const std::size_t end = std::min(names.find(' '), names.size());
        if (names.substr(0, end) == name) return true;
        names.remove_prefix(std::min(names.size(), end + 1));
    }
    return false;
}

}  // namespace

std::span<const DebugSession::Row> DebugSession::table() {
    using S = DebugSession;
    static constexpr std::array rows = {
        Row{"step s", "[N]", "goes to the warp's next line, into functions", &S::step},
        Row{"next n", "[N]", "goes to the next line of this function", &S::next},
        Row{"stepi si", "[N]", "goes to the warp's next PTX instruction", &S::step_instruction},
        Row{"finish fin", "", "goes on until this function returns", &S::finish},
        Row{"until u", "LINE", "goes on until the warp reaches this line", &S::until},
        Row{"continue c cont run r", "", "goes on to the next breakpoint, or to the end and out", &S::go_on, true},
        Row{"launch", "", "goes on to the next launch of a program", &S::next_launch, true},
        Row{"finding", "", "goes on to what the checks find next in a program's launches", &S::next_finding, true},
        Row{"reverse-step rs", "[N]", "goes back to the line before", &S::reverse_step},
        Row{"reverse-next rn", "[N]", "goes back to the line before, over calls", &S::reverse_next},
        Row{"reverse-stepi rsi", "[N]", "goes back to the PTX instruction before", &S::reverse_instruction},
        Row{"reverse-continue rc", "", "goes back to the last breakpoint before now", &S::reverse_continue},
        Row{"goto", "MOMENT|start|end", "goes to a moment, forwards or back", &S::go_to},
        Row{"when", "", "says which moment this is", &S::when},
        Row{"break b", "LINE|FUNCTION [block B] [thread T] [warp W] [if EXPR]", "stops threads there", &S::set_break,
            true},
        Row{"ignore", "N COUNT", "passes by the next hits of breakpoint N", &S::ignore, true},
        Row{"hits", "N >= COUNT", "stops at these hits of breakpoint N alone; == COUNT, % COUNT", &S::hits, true},
        Row{"log", "N TEXT", "notes a text at breakpoint N instead of stopping; values stand in {}", &S::log, true},
        Row{"watch", "EXPR", "stops when these bytes change; `watch nan`: where a NaN is made of numbers", &S::watch},
        Row{"delete d", "[N]", "removes a breakpoint or watchpoint, or all", &S::delete_break, true},
        Row{"info i", "breaks|checkpoints|registers", "lists them", &S::info, true},
        Row{"who", "wrote|reads EXPR",
            "goes back to the last write or read of these bytes; `who made nan [first]`: to the "
            "instruction that made the last (the launch's first) NaN of numbers",
            &S::who},
        Row{"history", "EXPR", "lists all writes of these bytes so far", &S::history},
        Row{"other", "", "goes from a race's one access to the other, and back", &S::other},
        Row{"where w list l", "", "shows the source and the warp's lanes", &S::where},
        Row{"focus", "[block (X,Y,Z)] [thread (X,Y,Z) | warp W lane L]", "looks at another thread", &S::focus},
        Row{"threads", "", "counts the threads at each line", &S::threads},
        Row{"locals", "", "lists the variables of this function", &S::locals},
        Row{"print p", "EXPR", "shows a value in this thread", &S::print},
        Row{"lanes", "EXPR", "shows the values in all lanes of the warp", &S::lanes},
        Row{"backtrace bt", "", "lists the calls that led here", &S::backtrace},
        Row{"up", "", "looks at the function that called this one", &S::up},
        Row{"down", "", "looks at the function that this one called", &S::down},
        Row{"frame f", "N", "looks at the function with this number in `backtrace`", &S::frame},
        Row{"members", "EXPR [from N] [count N]", "lists the members, or the elements, of a value", &S::members},
        Row{"show", "", "shows the block's shared memory", &S::show},
        Row{"ptx", "[FIRST LAST]", "shows the PTX at this place, or these lines of it", &S::ptx},
        Row{"abort quit q kill", "", "ends the launch: memory is as it was before it; ends a program", &S::abort, true},
        Row{"help h", "", "lists these commands", &S::help, true},
    };
    return rows;
}

DebugSession::Answer DebugSession::help(std::string_view) {
    std::string text;
    for (const Row& row : table()) {
        const std::string form = fmt::format("{} {}", row.names.substr(0, row.names.find(' ')), row.argument);
        const std::size_t space = row.names.find(' ');
        text += fmt::format("{}\n    {}{}\n", form.substr(0, form.find_last_not_of(' ') + 1), row.help,
                            space == std::string_view::npos ? "" : fmt::format(" ({})", row.names.substr(space + 1)));
    }
    return text_reply(std::move(text));
}

DebugSession::Answer DebugSession::answer(std::string_view line) {
    line = trim(line);
    if (line.starts_with(':')) line = trim(line.substr(1));
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view name = line.substr(0, end), argument = trim(line.substr(end));
    const auto rows = table();
    const auto row = std::ranges::find_if(rows, [&](const Row& each) { return has_name(each.names, name); });
    if (row == rows.end())
        return refusal(error("unknown-command", fmt::format("the debugger has no command `{}`", name),
                             "`help` lists its commands; `continue` or `abort` gives the session back"));
    if (!argument.empty() && row->argument.empty())
        return refusal(
            error("bad-argument", fmt::format("{} takes no argument", row->names.substr(0, row->names.find(' ')))));
    if (argument.empty() && !row->argument.empty() && row->argument.front() != '[')
        return refusal(error("bad-argument", fmt::format("{} needs {}", name, row->argument)));
    if (!debugger_ && !row->before_launch)
        return refusal(error("not-here", "the program has not launched a kernel yet",
                             "`break LINE` and `continue`, or `launch`, which goes to the first launch"));
    return (this->*row->handler)(argument);
}

gpu::Go DebugSession::converse(gpu::Debugger& debugger, const gpu::Stopped& at) {
    debugger_ = &debugger;
    read_unit();
    gpu::Stopped stopped = at;
    if (stopped.why == gpu::Stopped::Why::begun && setup_.is_program) {
        begin_launch();
        if (setup_.was_interrupted && setup_.was_interrupted())
            stopped.why = gpu::Stopped::Why::interrupt;
        else if (breaks({*stopped.warp, debugger.sites()[stopped.site], stopped.site, stopped.moment}))
            stopped.why = gpu::Stopped::Why::breakpoint;
        else if (!stops_at_launch_ && !debugger.seeks_finding())
            return {};
        stops_at_launch_ = false;
    }
    if (auto next = seek(stopped)) return std::move(*next);
    if (stopped.why == gpu::Stopped::Why::wanted && repeat_ > 1) {
        --repeat_;
        return repeated_;
    }
    repeat_ = 0;
    Outcome reply;
    if (stopped.why == gpu::Stopped::Why::collected && asked_) {
        reply = told_history();
    } else {
        std::string why = why_at_finding();
        const bool found = !why.empty();
        if (!found) why = why_stopped(stopped);
        focus_on(stopped);
        reply = stop_reply(std::move(why));
        name_kind(stopped, *reply.stop);
        ++stops_;
        reply.text = take_log();
        if (stopped.fault) reply.diagnostics.push_back(*stopped.fault);
        if (found && debugger.finding() && !std::exchange(told_finding_, true))
            reply.diagnostics.push_back(debugger.finding()->diagnostic);
    }
    if (condition_failed_) reply.diagnostics.push_back(*std::exchange(condition_failed_, std::nullopt));
    if (const char* why = debugger.why_not_back(); why && !std::exchange(told_of_lost_, true))
        reply.diagnostics.push_back([&] {
            Diagnostic lost = error("no-way-back", fmt::format("this launch can't go back: {}", why),
                                    "`continue` and `step` work; `abort` leaves memory as it is now");
            lost.severity = Diagnostic::Severity::warning;
            return lost;
        }());
    while (true) {
        const auto line = setup_.ask(reply);
        if (!line) {
            abandoned_ = true;
            return {.how = gpu::Go::How::abandon};
        }
        if (trim(*line).empty()) {
            reply = text_reply({});
            continue;
        }
        Answer answered = answer(*line);
        if (auto* go = std::get_if<gpu::Go>(&answered)) {
            if (setup_.forget_interrupt) setup_.forget_interrupt();
            return std::move(*go);
        }
        reply = std::move(std::get<Outcome>(answered));
    }
}

std::string DebugSession::why_stopped(const gpu::Stopped& stopped) {
    using Why = gpu::Stopped::Why;
    switch (stopped.why) {
        case Why::breakpoint:
            for (Breakpoint& each : breakpoints_)
                if (std::ranges::find(each.sites, stopped.site) != each.sites.end()) {
                    ++each.hits;
                    return fmt::format("breakpoint {}", each.number);
                }
            return "breakpoint";
        case Why::watchpoint: {
            if (!stopped.touch) return "before a write to watched bytes";
            const Watch& watched = watches_[stopped.touch->watched];
            const Target target{debugger_->watches[stopped.touch->watched], watched.type, watched.text};
            return fmt::format("watchpoint {}: {}", watched.number, told(*stopped.touch, target));
        }
        case Why::touched:
            return stopped.touch && asked_ ? told(*stopped.touch, *asked_) : std::string();
        case Why::born:
            if (!stopped.touch) return {};
            return (watches_nan_ && !asked_nan_ ? fmt::format("watchpoint {}: ", *watches_nan_) : "") +
                   made_nan(*stopped.touch);
        case Why::beginning:
            return asked_nan_ ? std::string("no instruction before this moment made a NaN of numbers")
                   : asked_   ? fmt::format("nothing before this moment touched {}", asked_->text)
                   : stopped.moment > debugger_->first_moment()
                       ? std::string(
                             "this warp has executed no line before this one: `goto start` goes to the "
                             "beginning of the launch")
                       : std::string("the beginning of the launch");
        case Why::finding:
            return {};
        case Why::fault:
            return "before the instruction that ends the launch";
        case Why::block_over:
            return fmt::format("block {} has ended: this is the next that runs",
                               gpu::coordinates(debugger_->launch().block_at(block_)));
        case Why::interrupt:
            return "interrupted";
        case Why::end:
            return stopped.warp ? "the last instruction of the launch: `continue` ends it, `reverse-step` goes back"
                                : "the kernel has ended: `continue` leaves";
        case Why::begun:
            return setup_.is_program ? launch_text() : std::string();
        case Why::wanted:
        case Why::moment:
        case Why::collected:
            break;
    }
    return {};
}

/// For programs, what why_stopped() says.
void DebugSession::name_kind(const gpu::Stopped& stopped, DebugStop& stop) const {
    using Why = gpu::Stopped::Why;
    stop.kind = [&]() -> std::string_view {
        switch (stopped.why) {
            case Why::begun:
                return "launch";
            case Why::breakpoint:
                return "breakpoint";
            case Why::watchpoint:
            case Why::born:
                return "watchpoint";
            case Why::fault:
            case Why::finding:
                return "finding";
            case Why::interrupt:
                return "interrupt";
            case Why::end:
                return "end";
            default:
                return {};
        }
    }();
    if (stopped.why == Why::watchpoint && stopped.touch) stop.breakpoint = watches_[stopped.touch->watched].number;
    if (stopped.why == Why::born && watches_nan_) stop.breakpoint = *watches_nan_;
    if (stopped.why == Why::breakpoint)
        for (const Breakpoint& each : breakpoints_)
            if (stop.breakpoint == 0 && std::ranges::find(each.sites, stopped.site) != each.sites.end())
                stop.breakpoint = each.number;
}

void DebugSession::focus_on(const gpu::Stopped& stopped) {
    level_ = 0;
    if (!stopped.warp) return;
    choose_lane(stopped);
    look_from_program();
}

void DebugSession::choose_lane(const gpu::Stopped& stopped) {
    const gpu::Warp& warp = *stopped.warp;
    const bool same = block_ == warp.block->number && warp_ == warp.index;
    block_ = warp.block->number;
    warp_ = warp.index;
    std::uint32_t preferred = warp.mask;
    if (stopped.touch && (stopped.why == gpu::Stopped::Why::touched || stopped.why == gpu::Stopped::Why::born))
        preferred = stopped.touch->lanes;
    if (stopped.touch && stopped.why == gpu::Stopped::Why::watchpoint) {
        // Who wrote is of interest, and not who runs next.
        block_ = stopped.touch->block;
        warp_ = stopped.touch->warp;
        lane_ = static_cast<std::uint32_t>(std::countr_zero(stopped.touch->lanes));
        if (warp_in_focus() && (warp_in_focus()->live >> lane_ & 1) != 0) return;
        block_ = warp.block->number;
        warp_ = warp.index;
    }
    if (stopped.why == gpu::Stopped::Why::fault && stopped.fault && stopped.fault->thread)
        for (unsigned lane = 0; lane < gpu::warp_size; ++lane)
            if (warp.mask >> lane & 1 && gpu::thread_at(warp, lane) == stopped.fault->thread->thread)
                preferred = 1u << lane;
    if (stopped.why == gpu::Stopped::Why::breakpoint) {
        const gpu::Arrival arrival{*stopped.warp, debugger_->sites()[stopped.site], stopped.site, stopped.moment};
        for (Breakpoint& each : breakpoints_)
            if (std::ranges::find(each.sites, stopped.site) != each.sites.end())
                if (const std::uint32_t held = lanes_that_break(each, arrival); held != 0) preferred = held;
    }
    if (!same || !(preferred >> lane_ & 1)) lane_ = static_cast<std::uint32_t>(std::countr_zero(preferred));
    if (lane_wanted_) lane_ = *std::exchange(lane_wanted_, std::nullopt);
    lane_ &= gpu::warp_size - 1;
}

const gpu::Block* DebugSession::block_in_focus() const {
    for (const gpu::Block* each : debugger_->blocks())
        if (each->number == block_) return each;
    return nullptr;
}

const gpu::Warp* DebugSession::warp_in_focus() const {
    const gpu::Block* block = block_in_focus();
    return block && warp_ < block->warps.size() ? &block->warps[warp_] : nullptr;
}

std::string DebugSession::lane_letters(const gpu::Warp& warp) const {
    constexpr std::string_view letters = "adjbcfn";
    std::string made;
    for (const gpu::LanePlace& place : gpu::lane_places(warp, debugger_->standing()))
        made += letters[static_cast<std::size_t>(place.state)];
    return made;
}

Result<ThreadAt> DebugSession::innermost(unsigned lane) const {
    const gpu::Warp* warp = warp_in_focus();
    if (!warp)
        return error("not-here",
                     debugger_->stopped().warp ? "the block in focus has ended, or has not begun"
                                               : "the launch has ended: no thread is left",
                     debugger_->stopped().warp ? "`where` shows who runs; `focus block B` looks at another block"
                                               : "`reverse-step` goes back");
    const gpu::LanePlace place = gpu::lane_places(*warp, debugger_->standing())[lane];
    if (!place.frame)
        return error("not-here",
                     place.state == gpu::LaneState::none ? "the block has no such thread" : "the thread has ended",
                     "`threads` shows where threads are; `goto` goes back to when it ran");
    return ThreadAt{warp, lane, place.frame, place.instruction};
}

std::string DebugSession::file_name(unsigned file) const {
    const auto& files = *debugger_->launch().files;
    if (file >= files.size()) return {};
    // NVRTC makes a path of the name of a cell.
    std::string name = std::filesystem::path(files[file]).filename().string();
    return name.starts_with("cell ") ? name : shown_file(files[file]);
}

SourceSpot DebugSession::spot(const gpu::Code& code, const gpu::Instruction* instruction) const {
    const ptx::Location where =
        gpu::program_line(debugger_->launch(), code, instruction).value_or(gpu::location_of(code, instruction));
    return {file_name(where.file), where.line, where.column};
}

std::string DebugSession::function_name(const gpu::Code& code) const {
    const DebugFunction* function = unit_->info.function(code.name);
    return function && !function->name.empty() ? function->name : gpu::readable_kernel(code.name);
}

std::string DebugSession::thread_text(std::uint64_t block, std::uint32_t warp, unsigned lane) const {
    const gpu::Launch& launch = debugger_->launch();
    const std::uint32_t thread = warp * gpu::warp_size + lane;
    const Dim3 at{thread % launch.block.x, thread / launch.block.x % launch.block.y,
                  thread / launch.block.x / launch.block.y};
    return fmt::format("thread {} of block {}", gpu::coordinates(at), gpu::coordinates(launch.block_at(block)));
}

Outcome DebugSession::stop_reply(std::string why) const {
    Outcome outcome;
    outcome.status = Outcome::Status::stopped;
    DebugStop& stop = outcome.stop.emplace();
    stop.why = std::move(why);
    stop.moment = debugger_->stopped().moment;
    const gpu::Warp* warp = warp_in_focus();
    if (!debugger_->stopped().warp || !warp) return outcome;
    stop.block = warp->block->id;
    stop.warp = warp_;
    stop.lane = lane_;
    stop.thread = gpu::thread_at(*warp, lane_);
    stop.lanes = lane_letters(*warp);
    if (const std::vector<Call> calls = calls_of(lane_); !calls.empty()) {
        const Call& call = calls[std::min<std::size_t>(level_, calls.size() - 1)];
        stop.function = call.function;
        stop.where = call.where;
    } else {
        stop.function = function_name(*debugger_->launch().program->functions.front());
        stop.with_source = false;
    }
    return outcome;
}

}  // namespace cudash::session::debug
