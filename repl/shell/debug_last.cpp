// `:debug last`: the cells up to the one with the finding run again in a worker of their own, and its launch is opened
// there. The session's own worker keeps all that it has.
#include <fmt/format.h>

#include <algorithm>

#include "repl/shell/notebook.h"

namespace cudash::shell {

using session::Cell;
using session::Outcome;

void Notebook::debug_last() {
    if (!last_found_) {
        fail(error("no-finding", "no launch of this session has had a finding",
                   "`:debug k<<<1, 32>>>(p)` runs a launch and stops in it"));
        return;
    }
    const session::FoundInLaunch found = *last_found_;
    last_debug_command_.clear();
    // What the cells print and find has been told.
    worker::Observer silent;
    silent.diagnostic = [](const Diagnostic&) {};
    silent.told = [](const session::TraceLine&) {};
    if (display_.progress)
        silent.progress = [this](const worker::ProgressReport& p) { display_.progress(p.what, p.done, p.all); };
    kept_ = std::exchange(client_, std::make_unique<worker::Client>(client_->settings(), std::move(silent)));
    const auto outcome = run_for_last(found);
    if (display_.progress) display_.progress({}, 0, 0);
    if (outcome && outcome->status == Outcome::Status::stopped) {
        display_.show(*outcome, found.cell, lines_);
        code_ = 0;
        return;
    }
    if (kept_) client_ = std::move(kept_);
    if (!outcome) return;
    for (const Diagnostic& each : outcome->diagnostics)
        if (each.code != "nothing-to-debug") display_.show(each, lines_);
    fail(error("not-again", fmt::format("{} ran again and did not come to the launch with the finding", found.cell),
               "a cell that reads a clock, a file or the input can go another way the second time"));
}

/// The session's cells before the finding's, and that one with its launch in the debugger. nullopt: why not is told.
std::optional<Outcome> Notebook::run_for_last(const session::FoundInLaunch& found) {
    const auto named = std::ranges::find(cells_, found.cell, &Cell::name);
    if (named == cells_.end() || (named->kind != Cell::Kind::code && named->kind != Cell::Kind::debug)) {
        fail(error("no-finding", fmt::format("{} can't be run again by itself", found.cell),
                   "`:debug k<<<1, 32>>>(p)` runs a launch and stops in it"));
        return std::nullopt;
    }
    Cell last = *named;
    for (Cell cell : accepted_) {
        if (std::ranges::find(cells_, cell.name, &Cell::name) >= named) break;
        cell.quiet = true;
        const Outcome outcome = client_->evaluate(cell);
        if (outcome.status == Outcome::Status::ok || cell.fails) continue;
        display_.show(outcome, cell.name, lines_);
        fail(error("not-again", fmt::format("{} does not run again as it did", cell.name),
                   "`:debug k<<<1, 32>>>(p)` debugs a launch in this session"));
        return std::nullopt;
    }
    last.kind = Cell::Kind::debug;
    last.quiet = true;
    last.arguments = {fmt::format("memory={}", settings_.values().debug_memory), fmt::format("launch={}", found.launch),
                      "code=" + found.code, "file=" + found.where.file, fmt::format("line={}", found.where.line)};
    Outcome outcome = client_->evaluate(last);
    if (outcome.status == Outcome::Status::stopped) debugged_ = std::move(last);
    return outcome;
}

void Notebook::end_last() {
    client_ = std::move(kept_);
    display_.results("the session is as it was before `:debug last`\n");
}

}  // namespace cudash::shell
