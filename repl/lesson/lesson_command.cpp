#include "repl/lesson/lesson_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "repl/exit_codes.h"
#include "repl/lesson/choices.h"
#include "repl/lesson/export_notebook.h"
#include "repl/lesson/glossary.h"
#include "repl/lesson/lessons_folder.h"
#include "repl/lesson/new_lesson.h"
#include "repl/lesson/progress.h"
#include "repl/lesson/progress_table.h"
#include "repl/lesson/record.h"
#include "repl/lesson/review_walk.h"
#include "repl/lesson/verify.h"
#include "repl/lesson/walk.h"
#include "repl/lesson/workspace.h"
#include "repl/view/markdown.h"
#include "repl/view/table.h"

namespace cudash::lesson {
namespace {

int usage_error(const view::Display& display, std::string message, std::string hint) {
    display.show(error("bad-command-line", std::move(message), std::move(hint)), {});
    return exit_codes::usage;
}

std::string_view what(const LessonCommand& command) {
    return command.puzzles ? "puzzle" : "lesson";
}

std::string folder_of(const LessonCommand& command) {
    return command.puzzles ? puzzles_in(lessons_folder()) : lessons_folder();
}

/// The lessons in a folder, and the puzzles beside them.
std::vector<std::string> with_puzzles(const std::string& folder) {
    std::vector<std::string> all = lessons_in(folder);
    const std::vector<std::string> puzzles = lessons_in(puzzles_in(folder));
    all.insert(all.end(), puzzles.begin(), puzzles.end());
    return all;
}

int verify_command(const LessonCommand& command, const std::vector<std::string>& names, const view::Display& display) {
    const std::string folder = folder_of(command);
    std::vector<std::string> lessons;
    for (const std::string& name : names) {
        // A folder of lessons stands for all of them.
        if (name.find('/') != std::string::npos || name == ".") {
            const std::vector<std::string> inside = with_puzzles(name);
            if (!inside.empty()) {
                lessons.insert(lessons.end(), inside.begin(), inside.end());
                continue;
            }
        }
        auto lesson = find_lesson(folder, name, what(command));
        if (!lesson) {
            display.show(lesson.error(), {});
            display.results("0 passed, 1 failed\n");
            return exit_codes::usage;
        }
        lessons.push_back(std::move(*lesson));
    }
    if (names.empty()) lessons = with_puzzles(folder);
    if (lessons.empty()) {
        display.show(error("no-lessons", "there are no lessons in " + folder, "CUDASH_LESSONS can name another folder"),
                     {});
        display.results("0 passed, 1 failed\n");
        return exit_codes::usage;
    }
    return verify(lessons, {command.worker, command.device_given, true}, display);
}

/// "", "section 3 of 9", "done".
std::string state_of(const Lesson& lesson) {
    const Workspace workspace(lesson.name);
    std::error_code ignored;
    if (workspace.folder().empty() || !std::filesystem::exists(workspace.progress_file(), ignored)) return "";
    const auto progress = peek_progress(workspace.progress_file());
    if (!progress) return "its progress can't be read";
    if (progress->finished) return read_to_the_end(lesson, *progress);
    return fmt::format("section {} of {}", progress->section + 1, lesson.sections.size());
}

int list_lessons(const LessonCommand& command, const view::Display& display) {
    const std::string folder = lessons_folder();
    session::Table table{{"lesson", "", "minutes", "you"}, {}};
    for (const std::string& path : lessons_in(folder)) {
        std::vector<Diagnostic> problems;
        const Lesson lesson = read_lesson(path, problems);
        table.rows.push_back({lesson.name, problems.empty() ? lesson.title : lesson.title + " (damaged)",
                              fmt::format("{:g}", lesson.header.minutes), state_of(lesson)});
    }
    if (table.rows.empty()) {
        display.show(error("no-lessons", "there are no lessons in " + folder, "CUDASH_LESSONS can name another folder"),
                     {});
        return exit_codes::no_input;
    }
    display.results(view::print(table, display.style_of_results, display.width));
    display.results(fmt::format("`{}lesson NAME` begins one, or goes on with it; its number is enough.\n",
                                command.in_shell ? ":" : "cudash "));
    return 0;
}

/// What stands between a puzzle and "solved well".
std::string demands_of(const Lesson& lesson) {
    std::string names;
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps)
            if (const auto* exercise = std::get_if<Exercise>(&step))
                for (const grade::Check& check : exercise->checks.checks)
                    if (grade::is_about_quality(check)) names += (names.empty() ? "" : "; ") + check.name;
    return names;
}

/// "", "tried", "solved, not well yet", "solved well".
std::string state_of_puzzle(const Lesson& lesson) {
    const auto progress = peek_progress(Workspace(lesson.name, "puzzles").progress_file());
    if (!progress) return "";
    const Tally done = tally(lesson, *progress);
    if (done.solved == done.exercises) return "solved well";
    std::string state;
    for (const auto& [name, item] : progress->items) {
        if (item.tries > 0 && state.empty()) state = "tried";
        if (item.right) state = "solved, not well yet";
    }
    return state;
}

int list_puzzles(const LessonCommand& command, const view::Display& display) {
    session::Table table{{"puzzle", "", "you", "solved well means"}, {}};
    const std::string folder = folder_of(command);
    for (const std::string& path : lessons_in(folder)) {
        std::vector<Diagnostic> problems;
        const Lesson lesson = read_lesson(path, problems);
        table.rows.push_back({lesson.name, problems.empty() ? lesson.title : lesson.title + " (damaged)",
                              state_of_puzzle(lesson), demands_of(lesson)});
    }
    if (table.rows.empty()) {
        display.show(error("no-lessons", "there are no puzzles in " + folder, "CUDASH_LESSONS can name another folder"),
                     {});
        return exit_codes::no_input;
    }
    display.results(view::print(table, display.style_of_results, display.width));
    display.results("`cudash puzzle NAME` begins one, or goes on with it; its number is enough.\n");
    return 0;
}

int write_progress(const std::string& file, const view::Display& display) {
    if (const auto problem = write_atomically(file, progress_table(lessons_folder(), student_name()))) {
        display.show(*problem, {});
        return exit_codes::cannot_create;
    }
    display.results(fmt::format("{} has a row for each question, exercise and puzzle\n", file));
    return 0;
}

int show_glossary(const std::vector<std::string>& words, const view::Display& display) {
    std::string term;
    for (const std::string& word : words) term += (term.empty() ? "" : " ") + word;
    const auto entry = look_up(lessons_folder(), term);
    if (!entry) {
        display.show(entry.error(), {});
        return exit_codes::no_input;
    }
    display.results(view::print_markdown(*entry, display.style_of_results, display.width));
    return 0;
}

int export_transcript(const Lesson& lesson, const std::string& file, const view::Display& display) {
    const Workspace workspace(lesson.name, lesson.header.puzzle ? "puzzles" : "lessons");
    const auto progress = peek_progress(workspace.progress_file());
    if (!progress) {
        display.show(progress.error(), {});
        return exit_codes::no_input;
    }
    if (const auto problem = write_atomically(file, transcript_of(lesson, *progress))) {
        display.show(*problem, {});
        return exit_codes::cannot_create;
    }
    display.results(fmt::format("{} has what you did in {}\n", file, lesson.name));
    return 0;
}

int export_notebook(const LessonCommand& command, const std::string& name, const std::string& file,
                    const view::Display& display) {
    if (!file.ends_with(".ipynb"))
        return usage_error(display, fmt::format("a notebook's name ends in .ipynb, {} does not", file),
                           fmt::format("cudash lesson export {} {}.ipynb", name, file));
    const auto path = find_lesson(folder_of(command), name, what(command));
    if (!path) {
        display.show(path.error(), {});
        return exit_codes::usage;
    }
    std::vector<Diagnostic> problems;
    const Lesson lesson = read_lesson(*path, problems);
    for (const Diagnostic& problem : problems) display.show(problem, {});
    if (!problems.empty()) return exit_codes::bad_input;
    if (const auto problem = write_atomically(file, notebook_of(lesson))) {
        display.show(*problem, {});
        return exit_codes::cannot_create;
    }
    display.results(fmt::format("{} has the lesson {} as a notebook for Jupyter\n", file, lesson.name));
    return 0;
}

int walk(const LessonCommand& command, const std::string& name, const view::Display& display) {
    const auto path = find_lesson(folder_of(command), name, what(command));
    if (!path) {
        Diagnostic problem = path.error();
        if (command.in_shell && problem.hint.starts_with("`cudash lesson`")) problem.hint = ":lesson lists them";
        display.show(problem, {});
        return exit_codes::usage;
    }
    if (command.batch) return verify({*path}, {command.worker, command.device_given, false}, display);
    std::vector<Diagnostic> problems;
    Lesson lesson = read_lesson(*path, problems);
    for (const Diagnostic& problem : problems) display.show(problem, {});
    if (lesson.sections.empty()) return exit_codes::bad_input;
    if (!problems.empty()) display.messages("the lesson goes on without what is wrong with it\n");
    if (!command.transcript_file.empty()) return export_transcript(lesson, command.transcript_file, display);
    auto settings = session_settings(lesson, command.worker, command.device_given);
    if (!settings) {
        display.show(settings.error(), {});
        return exit_codes::bad_input;
    }
    if (std::string& device = settings->options.device;
        lesson.header.needs == "virtual" && !device.starts_with("virtual")) {
        display.messages("this lesson shows what no real GPU can: it runs on the virtual H200\n");
        device = "virtual:h200";
    }
    return Walk(std::move(lesson), *settings, command.worker, display, command.in_shell).run();
}

}  // namespace

int run_lesson_command(const LessonCommand& command, const view::Display& display) {
    const std::vector<std::string>& words = command.words;
    const std::string first = words.empty() ? "" : words.front();
    const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
    if (first == "verify") return verify_command(command, rest, display);
    if (first == "new") {
        if (rest.size() != 1) return usage_error(display, "`lesson new` needs one name", "cudash lesson new my_lesson");
        return new_lesson(rest.front(), display);
    }
    if (first == "glossary") return show_glossary(rest, display);
    if (first == "export") {
        if (rest.size() != 2)
            return usage_error(display, "`lesson export` needs a lesson and a file",
                               "cudash lesson export 1 device_memory.ipynb");
        return export_notebook(command, rest[0], rest[1], display);
    }
    if (words.size() > 1)
        return usage_error(display, fmt::format("one {} at a time", what(command)),
                           fmt::format("cudash {} {}", what(command), first));
    if (first == "review" && !command.puzzles) return run_review(command.worker, display, command.in_shell);
    if (first.empty() && !command.progress_file.empty()) return write_progress(command.progress_file, display);
    if (!command.progress_file.empty())
        return usage_error(display, "--progress is about all lessons", "cudash lesson --progress FILE.csv");
    if (!first.empty()) return walk(command, first, display);
    if (command.batch || !command.transcript_file.empty())
        return usage_error(display, "which lesson?", "`cudash lesson` lists them");
    return command.puzzles ? list_puzzles(command, display) : list_lessons(command, display);
}

}  // namespace cudash::lesson
