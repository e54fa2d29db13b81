#include "repl/lesson/export_notebook.h"

#include <fmt/format.h>

#include <algorithm>

#include "repl/json.h"
#include "repl/trim.h"

namespace cudash::lesson {
namespace {

using json = nlohmann::ordered_json;

/// A dollar sign outside of code begins a formula in Jupyter's Markdown.
std::string without_formulas(std::string_view markdown) {
    std::string result;
    bool in_fence = false, in_code = false;
    for (std::size_t i = 0; i < markdown.size(); ++i) {
        if (markdown.substr(i).starts_with("```")) {
            in_fence = !in_fence;
            result += "```";
            i += 2;
            continue;
        }
        in_code ^= markdown[i] == '`' && !in_fence;
        if (markdown[i] == '$' && !in_fence && !in_code && (i == 0 || markdown[i - 1] != '\\')) result += '\\';
        result += markdown[i];
    }
    return result;
}

/// A list of lines, as notebooks keep texts.
json source_lines(std::string_view text) {
    json lines = json::array();
    while (text.ends_with('\n')) text.remove_suffix(1);
    while (!text.empty()) {
        const std::size_t end = std::min(text.size(), text.find('\n') + 1);
        const std::size_t size = end == 0 ? text.size() : end;
        lines.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return lines;
}

class NotebookWriter {
public:
    explicit NotebookWriter(const Lesson& lesson) : lesson_(lesson) {}

    std::string write() {
        markdown("# " + lesson_.title);
        const std::string device = lesson_.header.device.empty() ? "virtual:h200" : lesson_.header.device;
        std::string setup = ":device " + device + "\n";
        for (const std::string& option : lesson_.header.options)
            if (option.starts_with("--check=")) setup += ":check " + option.substr(8) + "\n";
        code(setup, {{"tags", {"setup"}}});
        for (const Section& section : lesson_.sections) {
            if (&section != &lesson_.sections.front()) markdown("## " + section.title);
            for (const Step& step : section.steps) std::visit([&](const auto& each) { add(each); }, step);
        }
        if (!lesson_.notes.empty()) markdown("## Notes\n\n" + lesson_.notes);
        const json notebook = {
            {"cells", std::move(cells_)},
            {"metadata",
             {{"kernelspec", {{"display_name", "CUDA C++ (cudash)"}, {"language", "cuda"}, {"name", "cudash"}}},
              {"language_info", {{"name", "cuda"}, {"file_extension", ".cu"}}},
              {"cudash", {{"lesson", lesson_.name}}}}},
            {"nbformat", 4},
            {"nbformat_minor", 5}};
        return json_text(notebook, 1) + "\n";
    }

private:
    void markdown(std::string_view text) {
        cells_.push_back({{"cell_type", "markdown"},
                          {"id", next_id("text")},
                          {"metadata", json::object()},
                          {"source", source_lines(without_formulas(text))}});
    }
    void code(std::string_view text, json metadata = json::object(), std::string id = {}) {
        cells_.push_back({{"cell_type", "code"},
                          {"execution_count", nullptr},
                          {"id", id.empty() ? next_id("code") : std::move(id)},
                          {"metadata", std::move(metadata)},
                          {"outputs", json::array()},
                          {"source", source_lines(text)}});
    }
    std::string next_id(std::string_view kind) { return fmt::format("{}-{}", kind, cells_.size() + 1); }

    void add(const Text& text) { markdown(text.markdown); }
    void add(const Demonstration& cell) { code(cell.code); }
    void add(const Question& question) {
        std::string text = "**Question.** " + question.ask + "\n";
        if (!question.choices.empty()) text += "\n";
        for (std::size_t i = 0; i < question.choices.size(); ++i)
            text += fmt::format("{}. {}\n", i + 1, question.choices[i]);
        text += fmt::format("\nWrite your answer{} in place of the question mark, then run the cell.",
                            question.kind == Question::Kind::choice       ? " (the number of a choice)"
                            : question.kind == Question::Kind::expression ? " (an expression)"
                                                                          : " (a number)");
        markdown(text);
        code(fmt::format(":lesson answer {}/{} ?", lesson_.name, question.id),
             {{"cudash", {{"lesson", lesson_.name}, {"question", question.id}}}, {"tags", {"question"}}});
    }
    void add(const Exercise& exercise) {
        const std::string path = lesson_.name + "/" + exercise.name;
        markdown(
            fmt::format("**Exercise.** {}\n\nWrite your code between the first and the last line of the cell, then "
                        "run it. In a cell of its own, `:lesson hint {}` gives a hint.",
                        exercise.task, path));
        // nbgrader takes a cell with these members as one that students fill in.
        const json grading = {{"grade", false},      {"grade_id", exercise.name}, {"locked", false},
                              {"schema_version", 3}, {"solution", true},          {"task", false}};
        code(fmt::format(":lesson exercise {}\n{}\n:lesson check", path, trim(exercise.exercise.text)),
             {{"cudash", {{"lesson", lesson_.name}, {"exercise", exercise.name}}},
              {"nbgrader", grading},
              {"tags", {"exercise"}}});
    }

    const Lesson& lesson_;
    json cells_ = json::array();
};

}  // namespace

std::string notebook_of(const Lesson& lesson) {
    return NotebookWriter(lesson).write();
}

}  // namespace cudash::lesson
