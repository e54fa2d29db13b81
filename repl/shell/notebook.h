// The cells of one session: numbered, evaluated in a worker, shown, and kept for a replay.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/settings/settings.h"
#include "repl/view/display.h"
#include "repl/worker/client.h"
#include "runtime_wrappers/result.h"

namespace cudash::shell {

/// What the program has instead of a terminal; as members of worker::Observer.
struct ProgramIo {
    std::function<void(std::string_view)> output{}, errors{};
    std::function<worker::Input()> input{};
    std::function<void()> tick{};
};

class Notebook {
public:
    /// With `capture`, the program's output goes to the display's results.
    Notebook(worker::Settings settings, view::Display display, bool capture = false);
    Notebook(worker::Settings settings, view::Display display, ProgramIo program);

    /// Evaluates the next cell, "cell N", and shows what it came to. `more`: others follow at once, and
    /// check_device_code() follows them.
    session::Outcome evaluate(std::string_view text, bool more = false);
    /// Tells of device code that does not compile, which nothing has launched. False: there is some.
    bool check_device_code();
    session::Outcome evaluate(const session::Cell& cell);
    /// The same, but an outcome for which `is_dropped` holds is not shown.
    session::Outcome evaluate(const session::Cell& cell,
                              const std::function<bool(const session::Outcome&)>& is_dropped);
    /// The same of a cell whose first launch is to stop in the debugger.
    session::Outcome debug(std::string_view text);
    /// Opens the launch that had the last finding, at that moment, in a session of its own: this one stays as it is.
    void debug_last();
    /// A launch stands in the debugger: what is entered goes to debug_command().
    bool debugging() const { return debugged_.has_value(); }
    /// An empty line: the last command that moved the launch, once more.
    session::Outcome debug_command(std::string_view line);
    /// What the next cells are called: "cell 7", then "cell 7.2", ..., instead of being counted.
    void name_cells(unsigned entry);
    /// With events: says which device they will be about, once the worker is ready.
    void announce();

    /// A command went wrong: shows why. Its code is 1, which ends a batch.
    std::nullopt_t fail(const Diagnostic& problem);
    /// The exit code of the last command or cell; 0: it went well.
    int code() const { return code_; }
    void begin_command() {
        code_ = 0;
        display_.measure();
    }
    void set_code(int code) { code_ = code; }
    /// Results of any length: with a terminal that is too small for them, by a pager.
    void page(std::string_view text);

    /// Asks the session about itself and shows the answer; `request` as session/inspect.h has it.
    void inspect(std::string_view request);
    /// With --profile, at the end of a program or of its cells: what its kernels did, as a message.
    /// With --report, as that file; false: it is not written.
    bool say_profile();

    /// Takes back the last accepted cell: the others run again in a new worker, and what they print is not shown. Those
    /// from the first that is not accepted again are taken back too. The cell, or nullopt if there is none.
    std::optional<session::Cell> undo();
    /// Evaluates the cell that undo took back last; nullopt if there is none.
    std::optional<session::Outcome> redo();
    /// Gives the accepted cells to a new worker. False, with the rest dropped, at the first that is not accepted again.
    bool replay();
    /// A new worker on another device, and a replay; the device as it is called. Where it can't be had, or a cell is
    /// not accepted there, the session stays as it was.
    Result<std::string> set_device(std::string device);
    /// A new worker and no cells.
    void reset();

    /// What the user has set, for `:set`, and what it says of how things look.
    void use(settings::Settings settings);
    /// What `:lesson` does; without them it says why it does nothing.
    struct Lessons {
        std::function<int(std::string_view name)> walk;  ///< an empty name lists them; returns an exit code
        std::function<std::vector<std::string>()> names;
        /// `:lesson answer ...`, `exercise ...`, `check`, ...: lessons in notebooks (lesson/notebook_lesson.h).
        /// nullopt: the words are none of these.
        std::function<std::optional<int>(Notebook&, std::string_view words)> in_cells;
        /// What stands in one cell between `:lesson exercise` and `:lesson check`: it is checked, and does not run
        /// here.
        std::function<void(std::string code)> exercise_code;
    };
    void set_lessons(Lessons lessons) { lessons_ = std::move(lessons); }
    const Lessons& lessons() const { return lessons_; }
    settings::Settings& settings() { return settings_; }

    worker::Client& client() { return *client_; }
    const view::Display& display() const { return display_; }
    const view::SourceLines& lines() const { return lines_; }
    /// The last cell that findings named besides the one that they came from; "" if none did.
    const std::string& cited() const { return cited_; }
    /// All cells so far, as typed.
    const std::vector<session::Cell>& cells() const { return cells_; }
    /// The accepted cells and what they printed, as a transcript (repl/lesson/transcript.h).
    std::string transcript();
    /// Whether an accepted cell has `name` as a word.
    bool has_word(std::string_view name) const;
    std::size_t accepted() const { return accepted_.size(); }
    const std::vector<session::Cell>& accepted_cells() const { return accepted_; }

private:
    void accept(session::Cell cell, const session::Outcome& outcome);
    void note_cited(const Diagnostic& diagnostic);
    bool write_report(const std::string& path);
    bool run_again();
    session::Outcome::Status run_unseen(session::Cell cell);
    std::optional<std::string> line(std::string_view file, unsigned line);

    settings::Settings settings_;
    Lessons lessons_;
    view::Display display_;
    view::SourceLines lines_;
    std::vector<session::Cell> cells_, accepted_, undone_;
    std::optional<session::Outcome> run_for_last(const session::FoundInLaunch& found);
    void end_last();

    std::optional<session::FoundInLaunch> last_found_;
    std::unique_ptr<worker::Client> kept_;   ///< the session's, while another one is in the debugger at a finding
    std::optional<session::Cell> debugged_;  ///< whose launch stands in the debugger
    std::string last_debug_command_;
    std::string next_name();
    std::optional<unsigned> entry_;  ///< of the next cell's name; without one cells are counted
    unsigned part_ = 0;
    std::string cited_;
    int code_ = 0;
    bool quiet_ = false;                                     ///< a replay: nothing of it is shown
    std::map<std::string, std::string, std::less<>> files_;  ///< read for the lines that diagnostics show
    bool capture_;
    ProgramIo program_;
    worker::Observer observer();
    std::unique_ptr<worker::Client> client_;
};

/// The exit code that an outcome gives to `run`, -e and batch input.
int exit_code(const session::Outcome& outcome);

}  // namespace cudash::shell
