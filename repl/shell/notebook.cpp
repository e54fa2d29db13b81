#include "repl/shell/notebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <utility>

#include "repl/exit_codes.h"
#include "repl/shell/cell_complete.h"
#include "repl/shell/displayed.h"
#include "repl/shell/main_call.h"
#include "repl/shell/text_check.h"
#include "repl/shell/write_file.h"
#include "repl/view/memory_map.h"
#include "repl/view/picture/report_page.h"
#include "repl/view/table.h"

namespace cudash::shell {

using session::Cell;
using session::Outcome;

namespace {

worker::Observer observe(const view::Display& display, const view::SourceLines& lines, bool capture, const bool& quiet,
                         std::function<void(const Diagnostic&)> note = {}) {
    worker::Observer observer;
    observer.diagnostic = [&display, &lines, &quiet, note = std::move(note)](const Diagnostic& diagnostic) {
        if (quiet) return;
        display.show(diagnostic, lines);
        if (note) note(diagnostic);
    };
    observer.told = [&display, &quiet](const session::TraceLine& told) {
        if (!quiet) display.show(told);
    };
    observer.displayed = [&display, &lines, &quiet](const session::Displayed& displayed,
                                                    const worker::ReadMemory& read) {
        if (!quiet) show_displayed(displayed, read, display, lines);
    };
    if (display.progress)
        observer.progress = [&display](const worker::ProgressReport& p) { display.progress(p.what, p.done, p.all); };
    if (display.events)
        observer.output = [&display](std::string_view text) { display.events->output(text); };
    else if (capture)
        observer.output = [&display](std::string_view text) { display.results(text); };
    return observer;
}

}  // namespace

namespace {

/// What it declared is there, and what it did was done, up to an error. A cell that was stopped might not end again.
bool has_run(const Outcome& outcome) {
    return outcome.sound &&
           (outcome.status == Outcome::Status::faulted || outcome.status == Outcome::Status::device_error);
}

worker::Settings told_of_compiling(worker::Settings settings, const view::Display& display) {
    settings.options.tell_of_compiling = static_cast<bool>(display.progress);
    return settings;
}

}  // namespace

Notebook::Notebook(worker::Settings settings, view::Display display, bool capture)
    : display_(std::move(display)),
      lines_([this](std::string_view file, unsigned number) { return line(file, number); }),
      capture_(capture),
      client_(std::make_unique<worker::Client>(told_of_compiling(std::move(settings), display_), observer())) {}

Notebook::Notebook(worker::Settings settings, view::Display display, ProgramIo program)
    : display_(std::move(display)),
      lines_([this](std::string_view file, unsigned number) { return line(file, number); }),
      capture_(false),
      program_(std::move(program)),
      client_(std::make_unique<worker::Client>(told_of_compiling(std::move(settings), display_), observer())) {}

worker::Observer Notebook::observer() {
    worker::Observer observer =
        observe(display_, lines_, capture_, quiet_, [this](const Diagnostic& each) { note_cited(each); });
    if (program_.output) observer.output = program_.output;
    observer.errors = program_.errors;
    observer.input = program_.input;
    observer.tick = program_.tick;
    return observer;
}

Outcome Notebook::evaluate(std::string_view text, bool more) {
    Cell cell;
    cell.more = more;
    cell.name = next_name();
    const auto call = call_with_arguments(text, accepted_);
    cell.text = call ? *call + "\n" : with_semicolon(text);
    cells_.push_back(cell);
    undone_.clear();
    return evaluate(cell);
}

void Notebook::name_cells(unsigned entry) {
    if (std::exchange(entry_, entry) != entry) part_ = 0;
}

std::string Notebook::next_name() {
    if (!entry_) return fmt::format("cell {}", cells_.size() + 1);
    return ++part_ == 1 ? fmt::format("cell {}", *entry_) : fmt::format("cell {}.{}", *entry_, part_);
}

Outcome Notebook::evaluate(const Cell& cell) {
    return evaluate(cell, [](const Outcome&) { return false; });
}

Outcome Notebook::evaluate(const Cell& cell, const std::function<bool(const Outcome&)>& is_dropped) {
    display_.measure();
    if (display_.events) display_.events->begin(cell.name, cell.text);
    Outcome outcome;
    if (const auto problem = check_text(cell.name, cell.text)) {
        outcome.status = Outcome::Status::compile_error;
        outcome.diagnostics.push_back(*problem);
    } else {
        outcome = client_->evaluate(cell);
    }
    if (display_.progress) display_.progress({}, 0, 0);
    if (!is_dropped(outcome)) display_.show(outcome, cell.name, lines_);
    accept(cell, outcome);
    code_ = exit_code(outcome);
    if (display_.events) display_.events->end(cell.name, session::name_of(outcome.status), code_, outcome.seconds);
    return outcome;
}

void Notebook::accept(Cell cell, const Outcome& outcome) {
    debugged_.reset();
    if (outcome.found && !kept_) last_found_ = outcome.found;
    if (outcome.status == Outcome::Status::stopped) {
        debugged_ = std::move(cell);
        return;
    }
    if (kept_) return end_last();
    if ((outcome.status != Outcome::Status::ok && !has_run(outcome)) || outcome.taken_back) return;
    // Run again, it is a cell as any other.
    if (cell.kind == Cell::Kind::debug) cell.kind = Cell::Kind::code, cell.arguments.clear();
    cell.fails = outcome.status != Outcome::Status::ok;
    accepted_.push_back(std::move(cell));
}

Outcome Notebook::debug(std::string_view text) {
    Cell cell;
    cell.kind = Cell::Kind::debug;
    cell.name = next_name();
    cell.text = with_semicolon(text);
    cell.arguments = {fmt::format("memory={}", settings_.values().debug_memory)};
    cells_.push_back(cell);
    undone_.clear();
    last_debug_command_.clear();
    return evaluate(cell);
}

Outcome Notebook::debug_command(std::string_view line) {
    static constexpr std::array repeated = {"s",  "n",  "si",  "step",         "next",         "stepi",
                                            "rs", "rn", "rsi", "reverse-step", "reverse-next", "reverse-stepi"};
    display_.measure();
    const std::string name(line.substr(0, line.find(' ')));
    if (!line.empty())
        last_debug_command_ = std::ranges::find(repeated, name) == repeated.end() ? "" : std::string(line);
    if (line.empty()) line = last_debug_command_;
    if (line.empty() || !debugged_) return {};
    if (display_.events) display_.events->begin({}, line);
    Cell command{Cell::Kind::debug_command, debugged_->name, std::string(line), {}};
    const Outcome outcome = client_->evaluate(command);
    if (display_.progress) display_.progress({}, 0, 0);
    // Of another session that ends here only what the launch did is of interest.
    if (!kept_ || outcome.status == Outcome::Status::stopped) display_.show(outcome, command.name, lines_);
    accept(*debugged_, outcome);
    code_ = exit_code(outcome);
    if (display_.events) display_.events->end({}, session::name_of(outcome.status), code_, outcome.seconds);
    return outcome;
}

bool Notebook::check_device_code() {
    if (client_->state() != worker::Client::State::ready) return true;
    const Outcome outcome = client_->evaluate({Cell::Kind::compile_device, "device code", {}, {}});
    if (outcome.status == Outcome::Status::ok) return true;
    display_.show(outcome, "device code", lines_);
    code_ = exit_code(outcome);
    return false;
}

bool Notebook::has_word(std::string_view name) const {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    const auto holds = [&](std::string_view text) {
        for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
        }
        return false;
    };
    return !name.empty() && std::ranges::any_of(accepted_, [&](const Cell& cell) { return holds(cell.text); });
}

void Notebook::note_cited(const Diagnostic& diagnostic) {
    const auto look = [&](std::string_view text) {
        for (std::size_t at = text.find("cell "); at != std::string_view::npos; at = text.find("cell ", at + 1)) {
            const std::size_t end = std::min(text.find_first_not_of("0123456789", at + 5), text.size());
            const std::string_view name = text.substr(at, end - at);
            if (end > at + 5 && (cells_.empty() || name != cells_.back().name)) cited_ = name;
        }
    };
    look(diagnostic.where.file);
    for (const Diagnostic::Note& note : diagnostic.notes) {
        look(note.where.file);
        look(note.message);
    }
}

void Notebook::announce() {
    if (!display_.events) return;
    if (const auto device = client_->wait_ready()) display_.events->session(*device);
}

void Notebook::inspect(std::string_view request) {
    display_.measure();
    Cell cell;
    cell.kind = Cell::Kind::inspect;
    cell.name = fmt::format(":{}", request.substr(0, request.find(' ')));
    cell.text = request;
    Outcome outcome = client_->evaluate(cell);
    code_ = exit_code(outcome);
    if (display_.height > 0) {
        // What is too long for the terminal goes to the pager, and the rest as ever.
        std::string text = outcome.text;
        if (outcome.picture) text += view::draw(*outcome.picture, display_.canvas());
        text += view::print_memory_map(outcome.memory, display_.screen());
        if (outcome.table) text += view::print(*outcome.table, display_.style_of_results, display_.width);
        if (display_.page(text)) {
            outcome.text.clear();
            outcome.table.reset();
            outcome.picture.reset();
        }
    }
    display_.show(outcome, cell.name, lines_);
}

void Notebook::use(settings::Settings settings) {
    settings_ = std::move(settings);
    view::Look look = settings_.values().look();
    look.plain = display_.look.plain;
    display_.use(std::move(look));
}

std::nullopt_t Notebook::fail(const Diagnostic& problem) {
    code_ = 1;
    display_.show(problem, lines_);
    return std::nullopt;
}

void Notebook::page(std::string_view text) {
    if (!display_.page(text)) display_.results(text);
}

std::optional<Cell> Notebook::undo() {
    if (accepted_.empty()) return std::nullopt;
    Cell taken = std::move(accepted_.back());
    accepted_.pop_back();
    undone_.push_back(taken);
    client_->stop();
    quiet_ = true;
    for (std::size_t i = 0; i < accepted_.size(); ++i) {
        Cell cell = accepted_[i];
        cell.quiet = true;
        const Outcome outcome = client_->evaluate(cell);
        if (display_.progress) display_.progress({}, 0, 0);
        if (outcome.status == Outcome::Status::ok || (cell.fails && has_run(outcome))) continue;
        quiet_ = false;
        display_.show(outcome, cell.name, lines_);
        code_ = 1;
        // It and what came after it are for :redo.
        for (; accepted_.size() > i; accepted_.pop_back()) undone_.push_back(std::move(accepted_.back()));
    }
    quiet_ = false;
    return taken;
}

std::optional<Outcome> Notebook::redo() {
    if (undone_.empty()) return std::nullopt;
    const Cell cell = std::move(undone_.back());
    undone_.pop_back();
    return evaluate(cell);
}

bool Notebook::say_profile() {
    const std::string& report = client_->settings().report;
    if (!client_->settings().options.profile) return true;
    if (client_->state() != worker::Client::State::ready) return report.empty();
    if (!report.empty()) return write_report(report);
    for (const char* request : {"profile", "profile lines"}) {
        const Outcome outcome = client_->evaluate({Cell::Kind::inspect, ":profile", request, {}});
        for (const Diagnostic& diagnostic : outcome.diagnostics) display_.show(diagnostic, lines_);
        display_.messages(outcome.text);
        if (!outcome.table) break;
        display_.messages(view::print(*outcome.table, display_.style, display_.width_of_messages));
    }
    return true;
}

bool Notebook::write_report(const std::string& path) {
    const char* const form = path.ends_with(".csv") ? "profile report csv" : "profile report";
    const Outcome outcome = client_->evaluate({Cell::Kind::inspect, ":profile", form, {}});
    for (const Diagnostic& diagnostic : outcome.diagnostics) display_.show(diagnostic, lines_);
    const std::string text = outcome.report ? view::html(*outcome.report) : outcome.text;
    if (text.empty()) return false;
    const std::string why = write_file(path, text);
    if (!why.empty())
        display_.show(error("report-not-written", fmt::format("the report can't be written to {}: {}", path, why),
                            "does the folder exist, and may it be written to?"),
                      lines_);
    return why.empty();
}

bool Notebook::replay() {
    client_->stop();
    return run_again();
}

/// A cell whose errors have been told. ok: it ran as it did.
Outcome::Status Notebook::run_unseen(Cell cell) {
    cell.quiet = true;
    quiet_ = true;
    const Outcome outcome = client_->evaluate(cell);
    quiet_ = false;
    if (display_.progress) display_.progress({}, 0, 0);
    if (outcome.status != Outcome::Status::ok && !has_run(outcome)) {
        display_.show(outcome, cell.name, lines_);
        return outcome.status;
    }
    cell.quiet = false;
    accepted_.push_back(std::move(cell));
    return Outcome::Status::ok;
}

bool Notebook::run_again() {
    const std::vector<Cell> cells = std::exchange(accepted_, {});
    for (const Cell& cell : cells) {
        const Outcome::Status status = cell.fails ? run_unseen(cell) : evaluate(cell).status;
        if (status != Outcome::Status::ok) return false;
        if (display_.fresh_line) display_.fresh_line();
    }
    return true;
}

Result<std::string> Notebook::set_device(std::string device) {
    worker::Settings settings = client_->settings();
    settings.options.device = std::move(device);
    auto next = std::make_unique<worker::Client>(std::move(settings), observer());
    auto ready = next->wait_ready();
    if (!ready) return ready;
    const std::vector<Cell> cells = accepted_;
    std::swap(client_, next);
    if (run_again()) return ready;
    // The session goes on where it was.
    std::swap(client_, next);
    accepted_ = cells;
    code_ = 1;
    return error("device-refused", fmt::format("a cell does not run on {}", *ready),
                 fmt::format("the session stays on {}, as it was", client_->device()));
}

void Notebook::reset() {
    client_->stop();
    cells_.clear();
    accepted_.clear();
    undone_.clear();
    client_->start();
}

std::string Notebook::transcript() {
    // What the cells printed went straight to the terminal: they run once more, in a worker of their own.
    std::string output;
    view::Display display;
    display.results = display.messages = [&output](std::string_view text) { output += text; };
    display.fresh_line = [&output] {
        if (!output.empty() && output.back() != '\n') output += '\n';
    };
    const bool loud = false;
    worker::Client client(client_->settings(), observe(display, lines_, true, loud));
    std::string text =
        fmt::format("DEVICE: {}\n\n",
                    client_->settings().options.device == "auto" ? "virtual" : client_->settings().options.device);
    for (const Cell& cell : accepted_) {
        output.clear();
        display.show(client.evaluate(cell), cell.name, lines_);
        std::string_view code = cell.text;
        while (code.ends_with('\n')) code.remove_suffix(1);
        for (const char* prompt = ">>"; !code.empty(); prompt = "..") {
            const std::size_t end = std::min(code.size(), code.find('\n'));
            text += fmt::format("{}{}{}\n", prompt, end ? " " : "", code.substr(0, end));
            code.remove_prefix(std::min(code.size(), end + 1));
        }
        std::string_view rest = output;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.size(), rest.find('\n'));
            const std::string_view line = rest.substr(0, end);
            // A line that would be read as a prompt or an elision is taken as it is.
            const bool special =
                line.starts_with(">>") || line.starts_with("..") || line.starts_with('\\') || line.starts_with('#');
            text += fmt::format("{}{}\n", special ? "\\" : "", line);
            rest.remove_prefix(std::min(rest.size(), end + 1));
        }
    }
    return text;
}

std::optional<std::string> Notebook::line(std::string_view file, unsigned number) {
    const auto cell = std::find_if(cells_.begin(), cells_.end(), [&](const Cell& c) { return c.name == file; });
    std::string_view text;
    if (cell != cells_.end()) {
        text = cell->text;
    } else {
        auto found = files_.find(file);
        if (found == files_.end()) {
            std::error_code ignored;
            const std::string path(file);
            std::string contents;
            if (std::filesystem::is_regular_file(path, ignored))
                if (auto read = read_file(path)) contents = std::move(*read);
            found = files_.emplace(path, std::move(contents)).first;
        }
        text = found->second;
    }
    for (; number > 1; --number) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        text.remove_prefix(end + 1);
    }
    return std::string(text.substr(0, text.find_first_of("\r\n")));
}

int exit_code(const Outcome& outcome) {
    switch (outcome.status) {
        case Outcome::Status::ok:
            return 0;
        case Outcome::Status::stopped:
            return outcome.diagnostics.empty() || outcome.stop ? 0 : 1;
        case Outcome::Status::exited:
        case Outcome::Status::device_error:
            return outcome.exit_code;
        case Outcome::Status::interrupted:
            return outcome.exit_code ? outcome.exit_code : exit_codes::signal_base + SIGINT;
        case Outcome::Status::compile_error:
        case Outcome::Status::faulted:
        case Outcome::Status::lost:
            return outcome.exit_code ? outcome.exit_code : 1;
    }
    return 1;
}

}  // namespace cudash::shell
