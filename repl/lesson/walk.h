// A student's walk through a lesson: section by section, step by step, with the whole shell at every point.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "repl/lesson/answers.h"
#include "repl/lesson/file_watch.h"
#include "repl/lesson/lesson.h"
#include "repl/lesson/progress.h"
#include "repl/lesson/workspace.h"
#include "repl/shell/input/input.h"
#include "repl/shell/notebook.h"

namespace cudash::lesson {

class Walk {
public:
    /// `settings`: of the lesson's session. `checks`: of the workers that check exercises. `in_shell`: :lesson began
    /// it.
    Walk(Lesson lesson, worker::Settings settings, worker::Settings checks, const view::Display& display,
         bool in_shell = false);

    /// Called once for each question: `right` if the first answer was, and no hint was needed.
    void on_answer(std::function<void(const std::string& question, bool right)> told) { told_ = std::move(told); }

    /// Until the student leaves, or the input ends. Returns the exit code.
    int run();

    // What the commands do (walk_commands.cpp). They return true if the walk ends.
    bool next(std::string_view);
    bool back(std::string_view);
    bool hint(std::string_view);
    bool check(std::string_view argument);
    bool edit(std::string_view);
    bool skip(std::string_view);
    bool reset(std::string_view argument);
    bool solution(std::string_view);
    bool picture(std::string_view);
    bool progress(std::string_view);
    bool review(std::string_view);
    bool glossary(std::string_view argument);
    bool notes(std::string_view);
    bool quit(std::string_view);
    bool help(std::string_view);

private:
    // Showing.
    void say(std::string_view markdown) const;
    void line(std::string_view text) const;
    void blank() const;
    void show_heading() const;
    void show_way() const;
    std::string shown_by(const Demonstration& cell) const;
    void show_cell_number(const std::string& code) const;
    std::string prompt() const;

    // Moving.
    const Section& section() const { return lesson_.sections[at_.section]; }
    const Step* step() const;
    template <class T>
    const T* step_as() const {
        const Step* here = step();
        return here ? std::get_if<T>(here) : nullptr;
    }
    bool at_end() const;
    ItemProgress& item(const std::string& name) { return at_.items[name]; }
    bool is_settled() const;
    void resume();
    void go_on();
    void step_on();
    void present(const Step& step);
    void finish();
    bool is_review() const { return lesson_.folder.empty(); }
    void save();

    // What is entered.
    bool take(const shell::Entry& entry);
    bool run_command(std::string_view text);
    void keep_up(std::size_t before);
    void enter();
    void run_demonstration(const Demonstration& cell);
    void run_debugging(const Demonstration& cell);

    // Code.
    enum class Origin { demonstration, typed };
    session::Outcome::Status run_code(const std::string& code, Origin origin);
    void after(const session::Outcome& outcome);
    void replay();

    // Questions.
    bool answer(const std::string& text);
    void judge_value(const Question& question, const std::string& text, const session::Value& value);
    void remind_of_kind(const Question& question);
    void remind(std::string_view words);
    void judge(const Question& question, const Answer& answer);
    void reveal(const Question& question);
    ValueOf value_of();

    // Exercises.
    void watch();
    std::string saved();
    bool check_file();
    std::string typed_cells();
    void check_text(const Exercise& exercise, const std::string& text);
    void draw(const Exercise& exercise, const std::string& text);
    void note(Action action);

    Lesson lesson_;
    worker::Settings checks_;
    view::Display display_;
    Workspace workspace_;
    bool in_shell_;
    std::function<void(const std::string&, bool)> told_;
    Progress at_;
    std::unique_ptr<shell::Input> input_;
    FileWatch file_watch_;
    std::string shown_;   ///< of a cell, for the record
    bool quiet_ = false;  ///< while cells of earlier are run again
    bool keeps_ = true;   ///< progress may be saved
    bool told_that_not_saved_ = false;
    std::string checked_;              ///< the text of the exercise's file when it was last looked at
    std::size_t exercise_begins_ = 0;  ///< as many cells had been accepted
    bool asked_for_solution_ = false, reminded_ = false;  ///< at this step
    shell::Notebook notebook_;                            ///< uses the members above
};

/// The walk's own commands, one row each, beside the shell's.
struct WalkCommand {
    std::string_view name, argument, help;
    bool (Walk::*run)(std::string_view argument);
};
/// The row of that name, or nullptr.
const WalkCommand* find_walk_command(std::string_view name);
std::string list_walk_commands(unsigned width);

}  // namespace cudash::lesson
