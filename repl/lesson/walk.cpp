#include "repl/lesson/walk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "repl/exit_codes.h"
#include "repl/lesson/choices.h"
#include "repl/lesson/progress_table.h"
#include "repl/shell/commands.h"
#include "repl/shell/commands/debug.h"
#include "repl/shell/document_cells.h"
#include "repl/shell/input/history.h"
#include "repl/shell/line_completion.h"
#include "repl/shell/split_input.h"
#include "repl/trim.h"
#include "repl/view/markdown.h"
#include "repl/view/note.h"
#include "repl/view/wrap.h"

namespace cudash::lesson {

using session::Outcome;

namespace {

constexpr std::size_t most_recorded = 8 * 1024;  ///< bytes of a cell's output that the record keeps

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// The display, with everything kept in `shown` too, and nothing shown while `quiet`. No pager: what a demonstration
/// shows stays on the screen, above the words about it.
view::Display tee(const view::Display& display, std::string& shown, const bool& quiet) {
    view::Display result = display;
    result.terminal.height = result.height = 0;
    const auto through = [&shown, &quiet](const std::function<void(std::string_view)>& target) {
        return [&shown, &quiet, target](std::string_view text) {
            if (shown.size() < most_recorded) shown += text.substr(0, most_recorded - shown.size());
            if (!quiet) target(text);
        };
    };
    result.results = through(display.results);
    result.messages = through(display.messages);
    result.fresh_line = [&shown, &quiet, target = display.fresh_line] {
        if (!shown.empty() && shown.back() != '\n') shown += '\n';
        if (!quiet && target) target();
    };
    return result;
}

/// What counts as an answer.
std::string wanted(const Question& question) {
    switch (question.kind) {
        case Question::Kind::number:
            return "a number";
        case Question::Kind::choice:
            return question.choices.size() == 2 ? "1 or 2" : fmt::format("1 to {}", question.choices.size());
        case Question::Kind::expression:
            return "an expression";
    }
    return {};
}

}  // namespace

Walk::Walk(Lesson lesson, worker::Settings settings, worker::Settings checks, const view::Display& display,
           bool in_shell)
    : lesson_(std::move(lesson)),
      checks_(std::move(checks)),
      display_(display),
      workspace_(lesson_.name, is_review()             ? ""
                               : lesson_.header.puzzle ? "puzzles"
                                                       : "lessons"),
      in_shell_(in_shell),
      input_(shell::standard_input(
          display_, {.history_file = shell::default_history_file(),
                     .history_size = settings::Values{}.history_size,
                     .complete = [this](std::string_view text) { return shell::complete(notebook_, text); },
                     .editor = [this] { return notebook_.settings().values().editor; }})),
      notebook_(
          [&] {
              settings.no_input = !input_->is_terminal();
              return std::move(settings);
          }(),
          tee(display_, shown_, quiet_), true) {
    shuffle_choices(lesson_, student_name());
}

int Walk::run() {
    notebook_.client().start();
    resume();
    while (true) {
        // What happened in the folder before the prompt is seen now: our own files there need no second prompt.
        if (input_->is_terminal()) saved();
        const shell::Entry entry = input_->read(prompt());
        if (entry.kind == shell::Entry::Kind::end) {
            line("");
            quit({});
            return 0;
        }
        if (entry.kind == shell::Entry::Kind::text && take(entry)) return 0;
    }
}

// Showing.

void Walk::say(std::string_view markdown) const {
    display_.results(view::print_markdown(markdown, display_.style_of_results, display_.width));
}

void Walk::line(std::string_view text) const {
    for (const std::string& each : view::wrap(text, display_.width, 0, {}, view::LongWords::kept))
        display_.results(each + "\n");
}

void Walk::blank() const {
    display_.results("\n");
}

void Walk::show_heading() const {
    blank();
    say(fmt::format("{} {}", at_.section == 0 ? "#" : "##", section().title));
    blank();
}

std::string Walk::prompt() const {
    std::string what;
    const Step* here = step();
    if (!here) {
        what = at_end() ? "the end; Enter leaves" : "Enter: next section";
    } else if (std::holds_alternative<Demonstration>(*here)) {
        what = "Enter runs it";
    } else if (is_settled()) {
        what = "Enter goes on";
    } else if (const auto* exercise = std::get_if<Exercise>(here)) {
        what = fmt::format("{}: :edit or :check", exercise->file_name());
    } else {
        what = "your answer: " + wanted(std::get<Question>(*here));
    }
    if (is_review()) return fmt::format("review [{}]> ", what);
    if (lesson_.header.puzzle) return fmt::format("{} [{}]> ", lesson_.name, what);
    return fmt::format("lesson {}/{} [{}]> ", at_.section + 1, lesson_.sections.size(), what);
}

// Moving.

const Step* Walk::step() const {
    const auto& steps = section().steps;
    return at_.step < steps.size() ? &steps[at_.step] : nullptr;
}

bool Walk::at_end() const {
    return !step() && at_.section + 1 == lesson_.sections.size();
}

/// A question that is answered, an exercise that is solved, or either skipped.
bool Walk::is_settled() const {
    const Step* here = step();
    std::string name;
    if (here)
        if (const auto* question = std::get_if<Question>(here)) name = question->id;
    if (here)
        if (const auto* exercise = std::get_if<Exercise>(here)) name = exercise->name;
    const auto found = at_.items.find(name);
    return found != at_.items.end() && found->second.state != ItemProgress::State::open;
}

void Walk::resume() {
    LoadedProgress loaded;
    if (!workspace_.folder().empty()) loaded = load_progress(workspace_.progress_file());
    if (loaded.problem) display_.show(*loaded.problem, {});
    keeps_ = loaded.keep;
    at_ = std::move(loaded.progress);
    // The lesson may have changed since: a section that is gone is looked for by the title of the last one with an
    // action.
    if (at_.section >= lesson_.sections.size() && !at_.actions.empty()) {
        const auto last = std::ranges::find(lesson_.sections, at_.actions.back().section, &Section::title);
        if (last != lesson_.sections.end()) at_.section = last - lesson_.sections.begin();
        at_.step = 0;
    }
    at_.section = std::min(at_.section, lesson_.sections.size() - 1);
    at_.step = std::min(at_.step, section().steps.size());
    if (!loaded.found || (at_.section == 0 && at_.step == 0)) {
        line(fmt::format("Enter goes on, :help lists what else there is, :quit leaves; {}.",
                         is_review()                   ? "what you answer decides when a question comes again"
                         : workspace_.folder().empty() ? "nothing is kept, because neither CUDASH_HOME nor HOME is set"
                                                       : "your place is kept in " + readable(workspace_.folder())));
        go_on();
        return;
    }
    line(fmt::format("{}: you were in section {} of {}; :back goes back, `:reset lesson` begins again.", lesson_.title,
                     at_.section + 1, lesson_.sections.size()));
    replay();
    if (at_.step > 0) show_heading();
    show_way();
    go_on();
}

/// The text and the cells before the step where the student left, as far back as they need to be understood.
void Walk::show_way() const {
    constexpr std::ptrdiff_t enough = 8;  // lines of text
    const auto& steps = section().steps;
    std::size_t from = at_.step;
    std::ptrdiff_t lines = 0;
    for (std::size_t i = at_.step; i-- > 0 && lines < enough;)
        if (const auto* text = std::get_if<Text>(&steps[i])) {
            lines += std::ranges::count(text->markdown, '\n');
            from = i;
        }
    for (std::size_t i = from; i < at_.step; ++i) {
        if (i > from && !std::holds_alternative<Question>(steps[i])) blank();
        if (const auto* text = std::get_if<Text>(&steps[i])) say(text->markdown);
        if (const auto* cell = std::get_if<Demonstration>(&steps[i])) {
            say("```cuda\n" + cell->code + "```\n");
            display_.results(shown_by(*cell));
        }
    }
}

/// What a demonstration printed when the student ran it; empty: they did not.
std::string Walk::shown_by(const Demonstration& cell) const {
    const auto action = std::find_if(at_.actions.rbegin(), at_.actions.rend(), [&](const Action& each) {
        return each.kind == Action::Kind::demonstration && each.text == cell.code;
    });
    // Colors of another terminal may not be this one's.
    const bool fits = action != at_.actions.rend() &&
                      (display_.style_of_results.colour || action->result.find('\x1b') == std::string::npos);
    return fits ? action->result : std::string();
}

/// Shows what comes until a step waits for the student.
void Walk::go_on() {
    file_watch_.set({});
    while (true) {
        const Step* here = step();
        if (here && at_.step == 0) show_heading();
        if (!here) {
            if (at_end()) finish();
            break;
        }
        const auto* text = std::get_if<Text>(here);
        if (!text) {
            present(*here);
            break;
        }
        if (at_.step > 0) blank();
        say(text->markdown);
        ++at_.step;
    }
    save();
}

void Walk::step_on() {
    if (step()) {
        ++at_.step;
    } else if (!at_end()) {
        ++at_.section;
        at_.step = 0;
    }
    go_on();
}

void Walk::present(const Step& step) {
    if (at_.step > 0) blank();
    asked_for_solution_ = reminded_ = false;
    if (const auto* cell = std::get_if<Demonstration>(&step)) {
        say("```cuda\n" + cell->code + "```\n");
    } else if (const auto* question = std::get_if<Question>(&step)) {
        say("**Question.** " + question->ask);
        std::string choices;
        for (std::size_t i = 0; i < question->choices.size(); ++i)
            choices += fmt::format("{}. {}\n", i + 1, question->choices[i]);
        if (!choices.empty()) {
            blank();
            say(choices);
        }
    } else if (const auto* exercise = std::get_if<Exercise>(&step)) {
        exercise_begins_ = notebook_.accepted();
        say("**Exercise.** " + exercise->task);
        blank();
        if (const auto problem = workspace_.place(*exercise)) {
            display_.show(*problem, {});
            if (exercise->exercise.text.empty()) return;
            line("You can type your answer at the prompt instead: `:check cells` checks what you typed. This is what");
            line("you begin with:");
            say("```cuda\n" + exercise->exercise.text + "```\n");
        } else {
            line(fmt::format("Your file: {}", readable(workspace_.file_of(*exercise))));
            line(":edit opens it, :check checks it; it is also checked whenever you save it.");
            checked_ = workspace_.read(*exercise) ? *workspace_.read(*exercise) : std::string();
            watch();
        }
    }
}

void Walk::finish() {
    std::string open;
    for (const Section& section : lesson_.sections)
        for (const Step& each : section.steps) {
            std::string name;
            if (const auto* question = std::get_if<Question>(&each)) name = question->id;
            if (const auto* exercise = std::get_if<Exercise>(&each)) name = exercise->name;
            if (!name.empty() && item(name).state == ItemProgress::State::open)
                open += (open.empty() ? "" : ", ") + name;
        }
    at_.finished = open.empty();
    blank();
    const std::string_view what = is_review() ? "review" : lesson_.header.puzzle ? "puzzle" : "lesson";
    const std::string state = read_to_the_end(lesson_, at_);
    line(!open.empty()     ? fmt::format("That was the {}. Still open: {} (:back, :progress).", what, open)
         : state == "done" ? fmt::format("That was the {}.", what)
                           : fmt::format("That was the {}: {} solved.", what, state));
    if (!lesson_.notes.empty()) line("`:notes` has remarks about the texts that it follows.");
}

void Walk::save() {
    if (!keeps_ || workspace_.folder().empty()) return;
    auto problem = save_progress(workspace_.progress_file(), at_);
    if (problem && !std::exchange(told_that_not_saved_, true)) {
        problem->severity = Diagnostic::Severity::warning;
        problem->hint = "the lesson goes on, but your place in it is not kept; CUDASH_HOME can name another folder";
        display_.show(*problem, {});
    }
    if (!problem && std::exchange(told_that_not_saved_, false)) line("Your place is kept again.");
}

void Walk::note(Action action) {
    action.section = section().title;
    at_.actions.push_back(std::move(action));
}

// What is entered.

bool Walk::take(const shell::Entry& entry) {
    if (is_blank(entry.text)) {
        if (at_end()) return quit({});
        enter();
        return false;
    }
    const auto pieces = shell::split_input(entry.text);
    for (const shell::InputPiece& piece : pieces) {
        if (!entry.shown) input_->show(prompt(), piece.text);
        input_->remember(piece.text);
        if (notebook_.debugging() && !(piece.is_command && find_walk_command(trim(piece.text).substr(1)))) {
            (void)shell::debug_line(notebook_, piece.text);
        } else if (piece.is_command) {
            if (run_command(piece.text)) return true;
        } else if (pieces.size() > 1 || piece.text.find('\n') < piece.text.size() - 1) {
            run_code(piece.text, Origin::typed);
        } else if (!answer(piece.text)) {
            // `hint` is the command, as `help` is, unless a cell has made something of that name.
            const std::string_view word = trim(piece.text);
            const bool is_command = find_walk_command(word) && !notebook_.has_word(word);
            if (is_command && run_command(fmt::format(":{}", word))) return true;
            if (!is_command) run_code(piece.text, Origin::typed);
        }
        if (notebook_.code() == exit_codes::interrupted) break;
    }
    return false;
}

/// The walk's commands go before the shell's of the same name.
bool Walk::run_command(std::string_view text) {
    const std::string typed = shell::as_command(text);
    text = typed;
    const std::string_view name = text.substr(1, text.find_first_of(" \t") - 1);
    std::string_view argument = text.substr(std::min(text.size(), name.size() + 1));
    while (!argument.empty() && std::isspace(static_cast<unsigned char>(argument.front()))) argument.remove_prefix(1);
    if (const WalkCommand* command = find_walk_command(name)) {
        if (!argument.empty() && command->argument.empty()) {
            display_.show(error("bad-argument", fmt::format(":{} takes no argument", name)), {});
            return false;
        }
        return (this->*command->run)(argument);
    }
    const std::size_t before = notebook_.accepted();
    const bool leave = shell::run_command(notebook_, text).has_value();
    keep_up(before);
    return leave;
}

/// A command of the shell may take cells back (:undo) or bring others (:redo, :open, :edit): the record follows.
void Walk::keep_up(std::size_t before) {
    const std::vector<session::Cell>& cells = notebook_.accepted_cells();
    for (std::size_t i = cells.size(); i < before; ++i) {
        const auto last = std::find_if(at_.actions.rbegin(), at_.actions.rend(), [](const Action& action) {
            return action.ok && (action.kind == Action::Kind::demonstration || action.kind == Action::Kind::cell);
        });
        if (last != at_.actions.rend()) last->ok = false;
    }
    for (std::size_t i = before; i < cells.size(); ++i) note({Action::Kind::cell, {}, {}, cells[i].text, {}, true});
    if (cells.size() != before) save();
}

void Walk::enter() {
    const Step* here = step();
    if (here)
        if (const auto* cell = std::get_if<Demonstration>(here)) {
            run_demonstration(*cell);
            step_on();
            return;
        }
    if (here && !is_settled()) {
        const auto* question = std::get_if<Question>(here);
        line(question
                 ? fmt::format("Type {}; :hint helps, :skip gives the answer, :help lists the rest.", wanted(*question))
                 : ":edit opens your file, :check checks it; :hint, :skip and :help are there too.");
        return;
    }
    // What was just solved need not be followed by another stop.
    if (here && at_.step + 1 == section().steps.size() && at_.section + 1 < lesson_.sections.size()) ++at_.step;
    step_on();
}

}  // namespace cudash::lesson
