// What a cell shows, as messages to the clients: the display of a kernel's session.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/notebook/publisher.h"
#include "repl/notebook/text_pieces.h"
#include "repl/shell/notebook.h"

namespace cudash::notebook {

class Outputs {
public:
    explicit Outputs(Publisher& publisher) : publisher_(publisher) {}

    /// For the notebook; this object outlives it.
    view::Display display();
    shell::ProgramIo program();
    /// What comes until leave() belongs to this execution. Of a silent one nothing is shown.
    void begin(int execution_count, bool silent, bool may_ask);
    /// Its output is complete.
    void end();
    void leave() { silent_ = false; }
    /// What waits to be sent goes out.
    void flush();
    /// The first error since begin().
    const std::optional<Diagnostic>& first_error() const { return first_error_; }
    /// A sentence beside the results.
    void note(std::string_view text);

    /// Front ends show what ends a cell once, as its error: a finding that comes while `may_end_cell` says so is kept
    /// for that, with the notes that follow it, until something else is shown or the cell has run on for a while.
    void keep_findings_if(std::function<bool()> may_end_cell) { may_end_cell_ = std::move(may_end_cell); }
    /// The cell's error: what is kept or, if nothing is, its name and value. The traceback that was sent.
    std::vector<std::string> error(const std::string& name, const std::string& value);
    /// The cell goes on: what is kept are results as others.
    void show_kept();

    /// While it lives, results are collected, and nothing is sent.
    class Collector {
    public:
        explicit Collector(Outputs& outputs) : outputs_(outputs) { outputs_.collected_.emplace(); }
        ~Collector() { outputs_.collected_.reset(); }
        Collector(const Collector&) = delete;
        Collector& operator=(const Collector&) = delete;
        const std::string& text() const { return *outputs_.collected_; }

    private:
        Outputs& outputs_;
    };

private:
    enum class Kind { output, errors, results, notes };
    using Clock = std::chrono::steady_clock;

    bool is_quiet() const { return silent_ || collected_; }
    void add(Kind kind, std::string_view text);
    void add_output(Kind kind, TextPieces& pieces, std::string_view bytes);
    void show(const view::Rich& rich);
    void publish(const view::Rich& rich);
    void keep(const view::Rich& rich);
    void show(const Diagnostic& finding, const view::Rich& rich);
    void show_progress(std::string_view what, std::uint64_t done, std::uint64_t all);
    worker::Input ask();

    Publisher& publisher_;
    int execution_count_ = 0;
    bool silent_ = false, may_ask_ = false;
    Kind kind_ = Kind::output;  ///< of what waits
    std::string waiting_;
    Clock::time_point sent_, begun_;
    TextPieces output_, errors_;
    std::optional<Diagnostic> first_error_;
    std::function<bool()> may_end_cell_;
    std::vector<view::Rich> kept_;
    Clock::time_point kept_since_;
    std::optional<std::string> collected_;
    std::string progress_;  ///< identity of the display that shows it; empty: none does
    unsigned progresses_ = 0;
    Clock::time_point progress_sent_;
};

}  // namespace cudash::notebook
