// What a cell shows, as messages to the clients: the display of a kernel's session.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

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
    /// What comes until end() belongs to this execution. Of a silent one nothing is shown.
    void begin(int execution_count, bool silent, bool may_ask);
    void end();
    /// What waits to be sent goes out.
    void flush();
    /// The first error since begin().
    const std::optional<Diagnostic>& first_error() const { return first_error_; }
    /// A sentence beside the results.
    void note(std::string_view text);
    void error(const std::string& name, const std::string& value);

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
    std::optional<std::string> collected_;
    std::string progress_;  ///< identity of the display that shows it; empty: none does
    unsigned progresses_ = 0;
    Clock::time_point progress_sent_;
};

}  // namespace cudash::notebook
