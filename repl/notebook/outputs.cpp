#include "repl/notebook/outputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <utility>

#include "repl/notebook/html_text.h"
#include "repl/session/base64.h"
#include "repl/view/progress_bar.h"

namespace cudash::notebook {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_waiting = 256 << 10;  ///< bytes of the program's output that wait for a tick
constexpr auto output_interval = 40ms;           ///< between messages of the program's output
constexpr auto longest_kept = 1s;                ///< a finding, while its cell goes on
constexpr auto progress_begins = 500ms, progress_interval = 200ms;

/// Columns: what a page of a notebook has room for.
constexpr unsigned page_width = 100;

std::string_view without_line_end(std::string_view text) {
    return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
}

view::Rich note_of(std::string_view text) {
    return {.plain = std::string(text),
            .html = fmt::format("<div style=\"border-left:3px solid #8c8c8c;padding-left:.6em\">{}</div>",
                                html_text(without_line_end(text)))};
}

}  // namespace

view::Display Outputs::display() {
    view::Display display;
    display.results = [this](std::string_view text) { add(Kind::results, text); };
    display.messages = [this](std::string_view text) { add(Kind::notes, text); };
    display.rich = [this](const view::Rich& rich) { show(rich); };
    display.finding = [this](const Diagnostic& finding, const view::Rich& rich) { show(finding, rich); };
    display.progress = [this](std::string_view what, std::uint64_t done, std::uint64_t all) {
        show_progress(what, done, all);
    };
    display.value = [this](const session::Value& value) {
        show_kept();
        flush();
        if (!is_quiet())
            publisher_.result(execution_count_, {{"text/plain", fmt::format("({}) {}", value.type, value.text)}});
    };
    display.terminal = {.colour_of_results = false, .colour_of_messages = true, .utf8 = true, .width = page_width};
    display.width_of_messages = page_width;
    display.use({});
    return display;
}

shell::ProgramIo Outputs::program() {
    shell::ProgramIo program;
    program.output = [this](std::string_view bytes) { add_output(Kind::output, output_, bytes); };
    program.errors = [this](std::string_view bytes) { add_output(Kind::errors, errors_, bytes); };
    program.input = [this] { return ask(); };
    program.tick = [this] {
        if (!waiting_.empty() && Clock::now() - sent_ >= output_interval) flush();
        if (!kept_.empty() && Clock::now() - kept_since_ >= longest_kept) show_kept();
    };
    return program;
}

void Outputs::begin(int execution_count, bool silent, bool may_ask) {
    flush();
    execution_count_ = execution_count;
    silent_ = silent;
    may_ask_ = may_ask && !silent;
    first_error_.reset();
    kept_.clear();
    begun_ = Clock::now();
}

void Outputs::end() {
    show_progress({}, 0, 0);
    add(Kind::output, output_.rest());
    add(Kind::errors, errors_.rest());
    flush();
}

void Outputs::flush() {
    if (waiting_.empty()) return;
    std::string text;
    std::swap(text, waiting_);
    sent_ = Clock::now();
    switch (kind_) {
        case Kind::output:
            return publisher_.stream("stdout", text);
        case Kind::errors:
            return publisher_.stream("stderr", text);
        case Kind::results:
            return publisher_.display({{"text/plain", without_line_end(text)}});
        case Kind::notes:
            return publish(note_of(text));
    }
}

void Outputs::add(Kind kind, std::string_view text) {
    if (collected_) {
        if (kind == Kind::results) *collected_ += text;
        return;
    }
    if (silent_ || text.empty()) return;
    if (kind == Kind::notes && !kept_.empty()) return kept_.push_back(note_of(text));
    show_kept();
    if (kind != kind_) flush();
    kind_ = kind;
    waiting_ += text;
    const bool streams = kind == Kind::output || kind == Kind::errors;
    if (streams && (waiting_.size() >= most_waiting || Clock::now() - sent_ >= output_interval)) flush();
}

void Outputs::add_output(Kind kind, TextPieces& pieces, std::string_view bytes) {
    add(kind, pieces.take(bytes));
}

void Outputs::note(std::string_view text) {
    add(Kind::notes, fmt::format("{}\n", text));
}

void Outputs::show(const view::Rich& rich) {
    if (collected_) *collected_ += rich.plain;
    if (is_quiet()) return;
    show_kept();
    flush();
    publish(rich);
}

void Outputs::publish(const view::Rich& rich) {
    json data{{"text/plain", without_line_end(rich.plain)}};
    if (!rich.html.empty()) data["text/html"] = rich.html;
    if (!rich.svg.empty()) data["image/svg+xml"] = rich.svg;
    // nbconvert 6.5 cleans SVG so thoroughly that nothing is drawn, and takes HTML before it.
    if (!rich.svg.empty() && rich.html.empty()) data["text/html"] = rich.svg;
    if (!rich.png.empty()) data["image/png"] = session::to_base64(std::as_bytes(std::span(rich.png)));
    publisher_.display(std::move(data));
}

void Outputs::show(const Diagnostic& finding, const view::Rich& rich) {
    if (finding.severity == Diagnostic::Severity::error && !first_error_) first_error_ = finding;
    if (is_quiet()) return;
    if (finding.severity == Diagnostic::Severity::error && may_end_cell_ && may_end_cell_())
        keep(rich);
    else
        show(rich);
}

void Outputs::keep(const view::Rich& rich) {
    if (kept_.empty()) kept_since_ = Clock::now();
    kept_.push_back(rich);
}

std::vector<std::string> Outputs::error(const std::string& name, const std::string& value) {
    flush();
    std::vector<std::string> traceback;
    for (const view::Rich& each : std::exchange(kept_, {})) traceback.emplace_back(without_line_end(each.plain));
    if (traceback.empty()) traceback.push_back(view::Style{.colour = true}.red(name) + ": " + value);
    if (!is_quiet()) publisher_.error(name, value, traceback);
    return traceback;
}

void Outputs::show_kept() {
    for (const view::Rich& each : std::exchange(kept_, {})) show(each);
}

void Outputs::show_progress(std::string_view what, std::uint64_t done, std::uint64_t all) {
    const auto now = Clock::now();
    if (what.empty()) {
        if (!progress_.empty()) publisher_.display({{"text/plain", ""}}, progress_, true);
        progress_.clear();
        return;
    }
    if (is_quiet() || now - begun_ < progress_begins || now - progress_sent_ < progress_interval) return;
    flush();
    const bool first = progress_.empty();
    if (first) progress_ = fmt::format("cudash-progress-{}-{}", getpid(), ++progresses_);
    progress_sent_ = now;
    const std::string plain = all == 0 ? fmt::format("{} ...", what) : view::progress_bar(what, done, all, 70);
    const std::string bar =
        all == 0 ? "<progress></progress>" : fmt::format("<progress value=\"{}\" max=\"{}\"></progress>", done, all);
    publisher_.display({{"text/plain", plain}, {"text/html", bar + " " + escape_html(what)}}, progress_, !first);
}

worker::Input Outputs::ask() {
    show_kept();
    flush();
    if (!may_ask_) return {worker::Input::Kind::none, {}};
    worker::Input input = publisher_.ask();
    sent_ = {};
    if (input.kind != worker::Input::Kind::text) return input;
    if (input.text == ":eof") return {worker::Input::Kind::end, {}};
    input.text += '\n';
    return input;
}

}  // namespace cudash::notebook
