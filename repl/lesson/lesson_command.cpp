#include "repl/lesson/lesson_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "repl/lesson/lessons_folder.h"
#include "repl/lesson/new_lesson.h"
#include "repl/lesson/progress.h"
#include "repl/lesson/record.h"
#include "repl/lesson/verify.h"
#include "repl/lesson/walk.h"
#include "repl/lesson/workspace.h"
#include "repl/shell/batch.h"
#include "repl/view/table.h"

namespace cudash::lesson {
namespace {

int usage_error(const view::Display& display, std::string message, std::string hint) {
    display.show(error("bad-command-line", std::move(message), std::move(hint)), {});
    return shell::exit_usage;
}

int verify_command(const LessonCommand& command, const std::vector<std::string>& names, const view::Display& display) {
    const std::string folder = lessons_folder();
    std::vector<std::string> lessons;
    for (const std::string& name : names) {
        // A folder of lessons stands for all of them.
        if (name.find('/') != std::string::npos || name == ".") {
            const std::vector<std::string> inside = lessons_in(name);
            if (!inside.empty()) {
                lessons.insert(lessons.end(), inside.begin(), inside.end());
                continue;
            }
        }
        auto lesson = find_lesson(folder, name);
        if (!lesson) {
            display.show(lesson.error(), {});
            display.results("0 passed, 1 failed\n");
            return shell::exit_usage;
        }
        lessons.push_back(std::move(*lesson));
    }
    if (names.empty()) lessons = lessons_in(folder);
    if (lessons.empty()) {
        display.show(error("no-lessons", "there are no lessons in " + folder, "CUDASH_LESSONS can name another folder"),
                     {});
        display.results("0 passed, 1 failed\n");
        return shell::exit_usage;
    }
    return verify(lessons, {command.worker, command.device_given, true}, display);
}

/// "read, 0 of 1 exercises": what was skipped stays open.
std::string read_to_the_end(const Lesson& lesson, const Progress& progress) {
    std::size_t exercises = 0, solved = 0;
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps) {
            const auto* exercise = std::get_if<Exercise>(&step);
            if (!exercise) continue;
            ++exercises;
            const auto mine = progress.items.find(exercise->name);
            solved += mine != progress.items.end() && mine->second.state == ItemProgress::State::solved;
        }
    if (solved == exercises) return "done";
    return fmt::format("read, {} of {} {}", solved, exercises, exercises == 1 ? "exercise" : "exercises");
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
        return shell::exit_no_input;
    }
    display.results(view::print(table, display.style_of_results, display.width));
    display.results(fmt::format("`{}lesson NAME` begins one, or goes on with it; its number is enough.\n",
                                command.in_shell ? ":" : "cudash "));
    return 0;
}

int export_transcript(const Lesson& lesson, const std::string& file, const view::Display& display) {
    const Workspace workspace(lesson.name);
    const auto progress = peek_progress(workspace.progress_file());
    if (!progress) {
        display.show(progress.error(), {});
        return shell::exit_no_input;
    }
    if (const auto problem = write_atomically(file, transcript_of(lesson, *progress))) {
        display.show(*problem, {});
        return shell::exit_can_not_write;
    }
    display.results(fmt::format("{} has what you did in {}\n", file, lesson.name));
    return 0;
}

int walk(const LessonCommand& command, const std::string& name, const view::Display& display) {
    const auto path = find_lesson(lessons_folder(), name);
    if (!path) {
        Diagnostic problem = path.error();
        if (command.in_shell && problem.hint.starts_with("`cudash lesson`")) problem.hint = ":lesson lists them";
        display.show(problem, {});
        return shell::exit_usage;
    }
    if (command.batch) return verify({*path}, {command.worker, command.device_given, false}, display);
    std::vector<Diagnostic> problems;
    Lesson lesson = read_lesson(*path, problems);
    for (const Diagnostic& problem : problems) display.show(problem, {});
    if (lesson.sections.empty()) return shell::exit_bad_input;
    if (!problems.empty()) display.messages("the lesson goes on without what is wrong with it\n");
    if (!command.transcript_file.empty()) return export_transcript(lesson, command.transcript_file, display);
    auto settings = session_settings(lesson, command.worker, command.device_given);
    if (!settings) {
        display.show(settings.error(), {});
        return shell::exit_bad_input;
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
    if (words.size() > 1) return usage_error(display, "one lesson at a time", "cudash lesson " + first);
    if (!first.empty()) return walk(command, first, display);
    if (command.batch || !command.transcript_file.empty())
        return usage_error(display, "which lesson?", "`cudash lesson` lists them");
    return list_lessons(command, display);
}

}  // namespace cudash::lesson
