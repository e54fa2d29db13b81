#include "repl/lesson/progress_table.h"

#include <fmt/format.h>

#include "repl/lesson/lessons_folder.h"
#include "repl/lesson/workspace.h"

namespace cudash::lesson {
namespace {

/// A field as RFC 4180 has it. A spreadsheet must not take a name for a formula.
std::string field(std::string text) {
    if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) text.insert(0, "'");
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

void add_rows(std::string& table, const std::string& student, const Lesson& lesson, const char* kind_of_lesson) {
    const Workspace workspace(lesson.name, kind_of_lesson);
    Progress progress;
    if (auto kept = peek_progress(workspace.progress_file())) progress = std::move(*kept);
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps) {
            const auto* question = std::get_if<Question>(&step);
            const auto* exercise = std::get_if<Exercise>(&step);
            if (!question && !exercise) continue;
            const std::string& name = question ? question->id : exercise->name;
            const auto found = progress.items.find(name);
            const ItemProgress item = found != progress.items.end() ? found->second : ItemProgress();
            std::string state(item_states[static_cast<std::size_t>(item.state)].stored);
            if (item.state != ItemProgress::State::solved && item.right) state = "right";
            table += fmt::format("{},{},{},{},{},{},{}\n", field(student), field(lesson.name),
                                 question               ? "question"
                                 : lesson.header.puzzle ? "puzzle"
                                                        : "exercise",
                                 field(name), state, item.tries, item.hints);
        }
}

}  // namespace

Tally tally(const Lesson& lesson, const Progress& progress) {
    Tally result;
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps) {
            const auto* question = std::get_if<Question>(&step);
            const auto* exercise = std::get_if<Exercise>(&step);
            if (!question && !exercise) continue;
            const auto mine = progress.items.find(question ? question->id : exercise->name);
            const bool done = mine != progress.items.end() && mine->second.state == ItemProgress::State::solved;
            ++(question ? result.questions : result.exercises);
            (question ? result.answered : result.solved) += done;
        }
    return result;
}

std::string read_to_the_end(const Lesson& lesson, const Progress& progress) {
    const Tally done = tally(lesson, progress);
    if (done.solved == done.exercises) return "done";
    return fmt::format("read, {} of {} {}", done.solved, done.exercises,
                       done.exercises == 1 ? "exercise" : "exercises");
}

std::string progress_table(const std::string& lessons, const std::string& student) {
    std::string table = "student,lesson,kind,name,state,tries,hints\n";
    std::vector<Diagnostic> ignored;
    for (const std::string& path : lessons_in(lessons)) add_rows(table, student, read_lesson(path, ignored), "lessons");
    for (const std::string& path : lessons_in(puzzles_in(lessons)))
        add_rows(table, student, read_lesson(path, ignored), "puzzles");
    return table;
}

}  // namespace cudash::lesson
