#include "repl/lesson/notebook_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "repl/grade/check_runner.h"
#include "repl/grade/report_text.h"
#include "repl/lesson/answers.h"
#include "repl/lesson/lesson.h"
#include "repl/lesson/lessons_folder.h"
#include "repl/trim.h"
#include "repl/view/markdown.h"

namespace cudash::lesson {
namespace {

struct CellWord {
    std::string_view name, argument;
    int (NotebookLesson::*run)(shell::Notebook&, std::string_view argument);
};
constexpr std::array cell_words = {
    CellWord{"answer", "LESSON/QUESTION TEXT", &NotebookLesson::answer},
    CellWord{"hint", "LESSON/NAME", &NotebookLesson::hint},
    CellWord{"exercise", "LESSON/EXERCISE", &NotebookLesson::exercise},
    CellWord{"check", "", &NotebookLesson::check},
    CellWord{"solution", "LESSON/NAME", &NotebookLesson::solution},
};

int fail(shell::Notebook& notebook, const Diagnostic& problem) {
    notebook.fail(problem);
    return 1;
}

void say(const shell::Notebook& notebook, std::string_view markdown) {
    const view::Display& display = notebook.display();
    display.results(view::print_markdown(markdown, display.style_of_results, display.width));
}

/// A question or an exercise, found by "LESSON/NAME".
struct Item {
    Lesson lesson;  ///< which the step is a part of
    const Question* question = nullptr;
    const Exercise* exercise = nullptr;

    std::string_view name() const { return question ? question->id : exercise->name; }
    const std::vector<std::string>& hints() const { return question ? question->hints : exercise->hints; }
};

Result<std::unique_ptr<Item>> find_item(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == path.size())
        return error("bad-argument", fmt::format("expected LESSON/NAME, got '{}'", path),
                     "for example `:lesson hint 01_device_memory/saxpy`");
    auto folder = find_lesson(lessons_folder(), path.substr(0, slash));
    if (!folder)
        if (auto puzzle = find_lesson(puzzles_in(lessons_folder()), path.substr(0, slash), "puzzle"))
            folder = std::move(puzzle);
    if (!folder) return folder.error();
    auto item = std::make_unique<Item>();
    std::vector<Diagnostic> problems;
    item->lesson = read_lesson(*folder, problems);
    const std::string_view name = path.substr(slash + 1);
    std::string names;
    for (const Section& section : item->lesson.sections)
        for (const Step& step : section.steps) {
            const auto* question = std::get_if<Question>(&step);
            const auto* exercise = std::get_if<Exercise>(&step);
            if (!question && !exercise) continue;
            const std::string& own = question ? question->id : exercise->name;
            names += (names.empty() ? "" : ", ") + own;
            if (own != name) continue;
            item->question = question;
            item->exercise = exercise;
        }
    if (item->question || item->exercise) return item;
    return error("not-found", fmt::format("{} has no question or exercise '{}'", item->lesson.name, name),
                 names.empty() ? "it has none" : "it has " + names);
}

ValueOf values_in(shell::Notebook& notebook) {
    return [&notebook](const std::string& expression, std::string_view name) {
        session::Outcome outcome =
            notebook.client().evaluate({session::Cell::Kind::code, std::string(name), expression, {}});
        if (!outcome.value) notebook.display().show(outcome, name, notebook.lines());
        return std::move(outcome.value);
    };
}

}  // namespace

std::optional<int> NotebookLesson::run(shell::Notebook& notebook, std::string_view words) {
    const std::string_view name = words.substr(0, words.find_first_of(" \t"));
    const auto row = std::ranges::find(cell_words, name, &CellWord::name);
    if (row == cell_words.end()) return std::nullopt;
    const std::string_view argument = trim(words.substr(name.size()));
    if (argument.empty() != row->argument.empty())
        return fail(notebook, error("bad-argument",
                                    row->argument.empty() ? fmt::format(":lesson {} takes no argument", name)
                                                          : fmt::format(":lesson {} needs {}", name, row->argument),
                                    fmt::format("`:lesson {} {}`", name, row->argument)));
    return (this->*row->run)(notebook, argument);
}

int NotebookLesson::answer(shell::Notebook& notebook, std::string_view argument) {
    const std::string_view path = argument.substr(0, argument.find_first_of(" \t"));
    const std::string_view text = trim(argument.substr(path.size()));
    const auto item = find_item(path);
    if (!item) return fail(notebook, item.error());
    const Question* question = (*item)->question;
    if (!question)
        return fail(notebook, error("bad-argument", fmt::format("{} is an exercise", path),
                                    fmt::format("`:lesson exercise {}`, your code, then `:lesson check`", path)));
    // As the notebook is handed out.
    if (text.empty() || text == "?") {
        say(notebook, "Not answered yet: write your answer in place of the question mark.");
        return 0;
    }
    const ValueOf value_of = values_in(notebook);
    const Answer answer = read_answer(*question, text, value_of);
    const std::string help = fmt::format("`:lesson hint {}` helps.", path);
    switch (answer.kind) {
        case Answer::Kind::none:
            say(notebook,
                question->kind == Question::Kind::expression
                    ? "The answer is an expression, in one line and without a semicolon."
                : question->kind == Question::Kind::choice
                    ? fmt::format("The answer is the number of a choice, from 1 to {}.", question->choices.size())
                    : "The answer is a number.");
            return 0;
        case Answer::Kind::no_choice:
            say(notebook, fmt::format("The answer is the number of a choice, from 1 to {}.", question->choices.size()));
            return 0;
        case Answer::Kind::no_value:
            return 0;
        case Answer::Kind::judged:
            break;
    }
    if (answer.given) notebook.display().results(fmt::format("({}) {}\n", answer.given->type, answer.given->text));
    if (answer.right) {
        say(notebook, "Right. " + question->because);
        return 0;
    }
    const std::string reply = reply_to(*question, answer, value_of);
    say(notebook, fmt::format("Not that. {}", reply.empty() ? help : reply));
    return 0;
}

int NotebookLesson::hint(shell::Notebook& notebook, std::string_view path) {
    const auto item = find_item(path);
    if (!item) return fail(notebook, item.error());
    const std::vector<std::string>& hints = (*item)->hints();
    std::size_t& given = hints_given_[fmt::format("{}/{}", (*item)->lesson.name, (*item)->name())];
    if (given < hints.size())
        say(notebook, hints[given++]);
    else
        say(notebook, fmt::format("There are no more hints. `:lesson solution {}` tells the answer.", path));
    return 0;
}

int NotebookLesson::exercise(shell::Notebook& notebook, std::string_view path) {
    const auto item = find_item(path);
    if (!item) return fail(notebook, item.error());
    if (!(*item)->exercise)
        return fail(notebook, error("bad-argument", fmt::format("{} is a question", path),
                                    fmt::format("`:lesson answer {} TEXT`", path)));
    exercise_ = fmt::format("{}/{}", (*item)->lesson.name, (*item)->name());
    begins_ = notebook.accepted();
    code_.clear();
    return 0;
}

int NotebookLesson::check(shell::Notebook& notebook, std::string_view) {
    if (exercise_.empty())
        return fail(notebook, error("no-exercise", "no exercise was begun in this session",
                                    "run the exercise's cell from its line `:lesson exercise LESSON/NAME` on"));
    const auto item = find_item(exercise_);
    if (!item) return fail(notebook, item.error());
    const Exercise& exercise = *(*item)->exercise;
    const std::vector<session::Cell>& cells = notebook.accepted_cells();
    std::string text = code_;
    for (std::size_t i = text.empty() ? begins_ : cells.size(); i < cells.size(); ++i) text += cells[i].text;
    if (text.empty())
        return fail(notebook, error("no-submission", fmt::format("there is no code to check for {}", exercise_),
                                    "your code stands between `:lesson exercise ...` and `:lesson check`"));
    const grade::Submission submission{exercise.file_name(), text};
    const grade::Report report = grade::run_checks(exercise.checks, submission, {.worker = checks_});
    const view::Display& display = notebook.display();
    if (report.interrupted) {
        say(notebook, "The check was interrupted.");
        return 0;
    }
    display.results(grade::print(report, submission, display.style_of_results, display.width));
    if (!report.broken.empty()) {
        say(notebook, "The checks themselves don't work; that is not your fault.");
        return 1;
    }
    if (report.passed()) {
        say(notebook, "**Solved.**");
        return 0;
    }
    const grade::CheckResult* failure = report.first_failure();
    const std::string words = !report.reply.empty() ? report.reply : failure ? failure->why : std::string();
    if (!words.empty()) say(notebook, words);
    say(notebook, fmt::format("`:lesson hint {}` helps.", exercise_));
    return 0;
}

int NotebookLesson::solution(shell::Notebook& notebook, std::string_view path) {
    const auto item = find_item(path);
    if (!item) return fail(notebook, item.error());
    if (const Question* question = (*item)->question)
        say(notebook, solution_of(*question, values_in(notebook)));
    else
        notebook.display().results((*item)->exercise->solution.text);
    return 0;
}

void serve_lessons(shell::Notebook& notebook, worker::Settings checks) {
    shell::Notebook::Lessons lessons = notebook.lessons();
    const auto served = std::make_shared<NotebookLesson>(std::move(checks));
    lessons.in_cells = [served](shell::Notebook& session, std::string_view words) {
        return served->run(session, words);
    };
    lessons.exercise_code = [served](std::string code) { served->set_code(std::move(code)); };
    notebook.set_lessons(std::move(lessons));
}

}  // namespace cudash::lesson
