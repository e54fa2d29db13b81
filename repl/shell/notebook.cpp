#include "repl/shell/notebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "repl/shell/text_check.h"
#include "repl/view/table.h"

namespace cudash::shell {

using session::Cell;
using session::Outcome;

namespace {

worker::Observer observe(const view::Display& display, const view::SourceLines& lines, bool capture) {
    worker::Observer observer;
    observer.diagnostic = [&display, &lines](const Diagnostic& diagnostic) { display.show(diagnostic, lines); };
    if (display.progress)
        observer.progress = [&display](const worker::Progress& p) { display.progress(p.what, p.done, p.all); };
    if (capture) observer.output = [&display](std::string_view text) { display.results(text); };
    return observer;
}

}  // namespace

Notebook::Notebook(worker::Settings settings, view::Display display, bool capture)
    : display_(std::move(display)),
      lines_([this](std::string_view file, unsigned number) { return line(file, number); }),
      client_(std::move(settings), observe(display_, lines_, capture)) {}

Outcome Notebook::evaluate(std::string_view text) {
    Cell cell;
    cell.name = fmt::format("cell {}", cells_.size() + 1);
    cell.text = text;
    cells_.push_back(cell);
    if (const auto problem = check_text(cell.name, text)) {
        Outcome outcome;
        outcome.status = Outcome::Status::compile_error;
        outcome.diagnostics.push_back(*problem);
        display_.show(outcome, cell.name, lines_);
        return outcome;
    }
    return evaluate(cell);
}

Outcome Notebook::evaluate(const Cell& cell) {
    const Outcome outcome = client_.evaluate(cell);
    if (display_.progress) display_.progress({}, 0, 0);
    display_.show(outcome, cell.name, lines_);
    if (outcome.status == Outcome::Status::ok) accepted_.push_back(cell);
    return outcome;
}

void Notebook::inspect(std::string_view request) {
    Cell cell;
    cell.kind = Cell::Kind::inspect;
    cell.name = fmt::format(":{}", request.substr(0, request.find(' ')));
    cell.text = request;
    display_.show(client_.evaluate(cell), cell.name, lines_);
}

void Notebook::say_profile() {
    if (!client_.settings().options.profile || client_.state() != worker::Client::State::ready) return;
    for (const char* request : {"profile", "profile lines"}) {
        const Outcome outcome = client_.evaluate({Cell::Kind::inspect, ":profile", request, {}});
        for (const Diagnostic& diagnostic : outcome.diagnostics) display_.show(diagnostic, lines_);
        display_.messages(outcome.text);
        if (!outcome.table) return;
        display_.messages(view::print(*outcome.table, display_.style, 0));
    }
}

bool Notebook::replay() {
    client_.stop();
    const std::vector<Cell> cells = std::exchange(accepted_, {});
    for (const Cell& cell : cells) {
        if (evaluate(cell).status != Outcome::Status::ok) return false;
        if (display_.fresh_line) display_.fresh_line();
    }
    return true;
}

bool Notebook::set_device(std::string device) {
    client_.stop();
    client_.set_device(std::move(device));
    return replay();
}

void Notebook::reset() {
    client_.stop();
    cells_.clear();
    accepted_.clear();
    client_.start();
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
        case Outcome::Status::exited:
        case Outcome::Status::device_error:
            return outcome.exit_code;
        case Outcome::Status::interrupted:
            return outcome.exit_code ? outcome.exit_code : worker::exit_signal_base + SIGINT;
        case Outcome::Status::compile_error:
        case Outcome::Status::faulted:
        case Outcome::Status::lost:
            return outcome.exit_code ? outcome.exit_code : 1;
    }
    return 1;
}

}  // namespace cudash::shell
