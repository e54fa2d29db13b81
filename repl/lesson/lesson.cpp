#include "repl/lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "repl/cli.h"
#include "repl/grade/compare.h"
#include "repl/grade/submission_header.h"
#include "repl/grade/toml_text.h"
#include "repl/lesson/fences.h"
#include "repl/shell/text_check.h"
#include "repl/trim.h"

namespace cudash::lesson {
namespace {

namespace fs = std::filesystem;
using grade::TomlOrigin;
using grade::TomlTable;

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// One fence of TOML: a question or an exercise.
class FenceReader {
public:
    FenceReader(const std::string& path, const Fence& fence, std::string_view contents,
                std::vector<Diagnostic>& problems)
        : origin_{path, fence.line + 1, &problems}, line_(fence.line), parsed_(grade::parse_toml(contents, origin_)) {}

    std::optional<Question> question() const;
    std::optional<Exercise> exercise() const;

private:
    TomlOrigin origin_;
    unsigned line_;
    std::optional<toml::table> parsed_;
};

void read_answer(Question& question, TomlTable& table) {
    const int kinds = table.has("number") + table.has("choices") + table.has("expression");
    if (kinds != 1) table.problem({}, "a question has exactly one of `number`, `choices` and `expression`");
    if (const auto number = table.number("number")) question.number = *number;
    question.tolerance = table.number("tolerance").value_or(0);
    if (!(question.tolerance >= 0 && question.tolerance <= 1))
        table.problem("tolerance", "`tolerance` is relative: from 0 to 1");
    question.choices = table.texts("choices").value_or(std::vector<std::string>());
    const auto right = table.number("right");
    question.expression = table.text("expression").value_or("");
    question.ordered = table.flag("ordered").value_or(false);
    if (table.has("choices")) {
        question.kind = Question::Kind::choice;
        if (question.choices.size() < 2) table.problem("choices", "a choice needs at least two `choices`");
        if (!table.has("right"))
            table.problem("choices", "`right` is missing: the number of the right choice, from 1");
        else if (!right || *right != std::floor(*right) || *right < 1 ||
                 *right > static_cast<double>(question.choices.size()))
            table.problem("right", fmt::format("`right` must be a whole number from 1 to {}", question.choices.size()));
        else
            question.right = static_cast<unsigned>(*right);
    } else if (table.has("right")) {
        table.problem("right", "`right` belongs to `choices`");
    }
    if (table.has("expression")) {
        question.kind = Question::Kind::expression;
        if (is_blank(question.expression)) table.problem("expression", "`expression` is empty");
    }
}

void read_wrong(Question& question, TomlTable& table) {
    for (TomlTable& wrong : table.tables("wrong")) {
        Question::Wrong read;
        if (!wrong.has("answer")) wrong.problem({}, "`answer` is missing");
        read.answer = trim(wrong.typed("answer").value_or(""));
        read.reply = wrong.required_text("reply");
        wrong.finish();
        const auto number = number_of(read.answer);
        if (question.kind == Question::Kind::number) {
            if (!number)
                wrong.problem("answer", fmt::format("expected a number, got \"{}\"", read.answer));
            else if (is_right(question, *number))
                wrong.problem("answer", fmt::format("the wrong answer {} is the right one", read.answer));
        }
        if (question.kind == Question::Kind::choice) {
            if (!number || *number != std::floor(*number) || *number < 1 ||
                *number > static_cast<double>(question.choices.size()))
                wrong.problem("answer",
                              fmt::format("a wrong choice is a number from 1 to {}", question.choices.size()));
            else if (static_cast<unsigned>(*number) == question.right)
                wrong.problem("answer", fmt::format("the wrong answer {} is the right one", read.answer));
        }
        question.wrong.push_back(std::move(read));
    }
}

std::optional<Question> FenceReader::question() const {
    if (!parsed_) return std::nullopt;
    TomlTable table(*parsed_, origin_);
    Question question;
    question.line = line_;
    question.id = table.required_text("id");
    question.ask = table.required_text("ask");
    question.because = table.required_text("because");
    question.shown_by = table.text("shown_by").value_or("");
    question.hints = table.texts("hints").value_or(std::vector<std::string>());
    read_answer(question, table);
    read_wrong(question, table);
    table.finish();
    return question;
}

std::optional<Exercise> FenceReader::exercise() const {
    if (!parsed_) return std::nullopt;
    TomlTable table(*parsed_, origin_);
    Exercise exercise;
    exercise.line = line_;
    exercise.name = table.required_text("name");
    exercise.task = table.required_text("task");
    exercise.hints = table.texts("hints").value_or(std::vector<std::string>());
    exercise.picture = table.text("picture").value_or("");
    table.finish();
    const bool usable = std::ranges::all_of(
        exercise.name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; });
    if (!usable || exercise.name.empty()) {
        table.problem("name", fmt::format("\"{}\" can't be a folder's name", exercise.name),
                      "letters, digits, _ and - may be in it");
        exercise.name.clear();
    }
    return exercise;
}

class LessonReader {
public:
    LessonReader(const std::string& folder, std::vector<Diagnostic>& problems) : problems_(problems) {
        fs::path path = fs::path(folder).lexically_normal();
        if (path.filename().empty()) path = path.parent_path();
        lesson_.folder = path.string();
        std::error_code ignored;
        lesson_.name = fs::absolute(path, ignored).lexically_normal().filename().string();
        lesson_.path = (path / "lesson.md").string();
    }

    Lesson read() {
        auto text = shell::read_file(lesson_.path);
        if (!text) {
            problems_.push_back(text.error());
            return std::move(lesson_);
        }
        if (auto bad = shell::check_text(lesson_.path, *text)) {
            problems_.push_back(std::move(*bad));
            return std::move(lesson_);
        }
        text_ = std::move(*text);
        if (auto header = parse_header(lesson_.path, text_, problems_))
            lesson_.header = std::move(*header);
        else
            problem(1, "the lesson's head is missing", "the file begins with <!-- lesson, then TOML, then -->");
        read_body();
        check_folders();
        return std::move(lesson_);
    }

private:
    void problem(unsigned line, std::string message, std::string hint = {}) {
        TomlOrigin{lesson_.path, 1, &problems_}.problem(line, std::move(message), std::move(hint));
    }

    void read_body() {
        const auto found = find_fences(text_);
        if (!found) return problem(1, "the Markdown can't be parsed");
        auto fence = found->begin();
        std::string paragraph;
        const auto end_text = [&] {
            if (in_notes_)
                lesson_.notes += paragraph;
            else if (!is_blank(paragraph) && !lesson_.sections.empty())
                lesson_.sections.back().steps.emplace_back(Text{paragraph});
            paragraph.clear();
        };
        unsigned number = 0;
        std::size_t skip_to = lesson_.header.end;
        for (const Line& line : lines_of(text_)) {
            ++number;
            if (line.begin < skip_to) continue;
            if (fence != found->end() && line.begin >= fence->begin) {
                if (!fence->closed) problem(fence->line, "this fence is not closed");
                take(*fence, paragraph, end_text);
                skip_to = fence->end;
                ++fence;
                continue;
            }
            if (line.text.starts_with("# ") || line.text.starts_with("## ")) {
                end_text();
                begin_section(line.text, number);
                continue;
            }
            if (lesson_.sections.empty() && !is_blank(line.text) && !said_no_title_) {
                said_no_title_ = true;
                problem(number, "the lesson begins with its title", "# Title");
            }
            paragraph += std::string(line.text) + "\n";
        }
        end_text();
        if (lesson_.title.empty() && !said_no_title_) problem(number, "the lesson has no title", "# Title");
    }

    void begin_section(std::string_view heading, unsigned number) {
        const bool is_title = heading.starts_with("# ");
        if (in_notes_) problem(number, "nothing comes after the notes", "`## Notes` is the last heading of a lesson");
        in_notes_ = !is_title && !lesson_.sections.empty() && trim(heading.substr(2)) == "Notes";
        if (in_notes_) return;
        Section section;
        section.title = trim(heading.substr(is_title ? 1 : 2));
        section.line = number;
        if (is_title && !lesson_.sections.empty())
            problem(number, "a lesson has one `# Title`", "sections begin with ##");
        if (is_title) lesson_.title = section.title;
        lesson_.sections.push_back(std::move(section));
    }

    template <class EndText>
    void take(const Fence& fence, std::string& paragraph, EndText&& end_text) {
        const std::string_view contents = fence.contents(text_);
        const bool runs = fence.language == "cuda" || fence.language == "debug" || fence.language == "output" ||
                          fence.language == "question" || fence.language == "exercise";
        if (!runs) {
            paragraph += text_.substr(fence.begin, fence.end - fence.begin);
            return;
        }
        const bool after_text = !is_blank(paragraph);
        end_text();
        if (lesson_.sections.empty()) {
            problem(fence.line, "this stands before the lesson's title");
            return;
        }
        if (in_notes_) {
            problem(fence.line, fmt::format("the notes have a ```{} fence", fence.language),
                    "`:notes` only shows them; put it into a section before");
            return;
        }
        auto& steps = lesson_.sections.back().steps;
        if (fence.language == "cuda") {
            if (!fence.marks.empty() && fence.marks != "virtual")
                problem(fence.line, fmt::format("`{}` after cuda is not known", fence.marks),
                        "```cuda virtual is a cell that needs the virtual GPU");
            steps.emplace_back(Demonstration{std::string(contents), {}, fence.line + 1, fence.marks == "virtual"});
        } else if (fence.language == "debug") {
            steps.emplace_back(Demonstration{std::string(contents), {}, fence.line + 1, true, true});
        } else if (fence.language == "output") {
            auto* shown = steps.empty() ? nullptr : std::get_if<Demonstration>(&steps.back());
            if (!shown || after_text)
                return problem(fence.line, "this output does not follow a ```cuda or ```debug fence");
            shown->expected = grade::printed_lines(contents);
        } else if (fence.language == "question") {
            auto question = FenceReader(lesson_.path, fence, contents, problems_).question();
            if (!question) return;
            if (!ids_.insert(question->id).second && !question->id.empty())
                problem(fence.line, fmt::format("two questions or exercises are called \"{}\"", question->id));
            steps.emplace_back(std::move(*question));
        } else {
            auto exercise = FenceReader(lesson_.path, fence, contents, problems_).exercise();
            if (!exercise) return;
            if (!ids_.insert(exercise->name).second && !exercise->name.empty())
                problem(fence.line, fmt::format("two questions or exercises are called \"{}\"", exercise->name));
            if (!exercise->name.empty()) read_files(*exercise);
            steps.emplace_back(std::move(*exercise));
        }
    }

    Exercise::File read_file(const fs::path& path, unsigned line) {
        Exercise::File file{path.string(), {}};
        auto text = shell::read_file(file.path);
        if (!text) {
            problem(line, text.error().message, "an exercise has exercise.cu, solution.cu, checks.toml and wrong/*.cu");
            return file;
        }
        if (auto bad = shell::check_text(file.path, *text)) problems_.push_back(std::move(*bad));
        file.text = std::move(*text);
        return file;
    }

    void read_files(Exercise& exercise) {
        const fs::path folder = fs::path(lesson_.folder) / exercise.name;
        exercise.exercise = read_file(folder / "exercise.cu", exercise.line);
        exercise.solution = read_file(folder / "solution.cu", exercise.line);
        const Exercise::File checks = read_file(folder / "checks.toml", exercise.line);
        if (!checks.text.empty()) exercise.checks = grade::parse_checks(checks.path, checks.text, problems_);
        std::vector<fs::path> paths;
        std::error_code failure;
        for (const auto& entry : fs::directory_iterator(folder / "wrong", failure))
            if (entry.path().extension() == ".cu") paths.push_back(entry.path());
        std::ranges::sort(paths);
        for (const fs::path& path : paths) {
            exercise.wrong.push_back(read_file(path, exercise.line));
            const Exercise::File& file = exercise.wrong.back();
            if (file.text.empty()) continue;
            if (auto unknown = grade::unknown_word(grade::submission_header(file.text), {"REPLY"}, file.path))
                problems_.push_back(std::move(*unknown));
            else if (!expected_reply(file.text))
                TomlOrigin{file.path, 1, &problems_}.problem(1, "the first line does not say the reply",
                                                             "// REPLY: what the student is told");
        }
    }

    /// A folder that no exercise names is forgotten work.
    void check_folders() {
        std::vector<fs::path> folders;
        std::error_code failure;
        for (const auto& entry : fs::directory_iterator(lesson_.folder, failure))
            if (entry.is_directory() && fs::exists(entry.path() / "exercise.cu")) folders.push_back(entry.path());
        std::ranges::sort(folders);
        for (const fs::path& folder : folders)
            if (!ids_.contains(folder.filename().string()))
                problem(1, fmt::format("no exercise of the lesson is called \"{}\", but there is a folder of this name",
                                       folder.filename().string()));
    }

    std::vector<Diagnostic>& problems_;
    Lesson lesson_;
    std::string text_;
    std::set<std::string, std::less<>> ids_;
    bool said_no_title_ = false, in_notes_ = false;
};

}  // namespace

Lesson read_lesson(const std::string& folder, std::vector<Diagnostic>& problems) {
    return LessonReader(folder, problems).read();
}

Result<worker::Settings> session_settings(const Lesson& lesson, worker::Settings settings, bool device_given) {
    if (!device_given) settings.options.device = "virtual:h200";
    if (!lesson.header.device.empty()) settings.options.device = lesson.header.device;
    if (auto problem = parse_session_options(lesson.header.options, settings)) {
        problem->where = {lesson.path, 1, 0};
        return *problem;
    }
    return settings;
}

std::optional<std::string> expected_reply(std::string_view wrong_submission) {
    const std::string_view line = wrong_submission.substr(0, wrong_submission.find('\n'));
    constexpr std::string_view mark = "// REPLY:";
    if (!line.starts_with(mark) || is_blank(line.substr(mark.size()))) return std::nullopt;
    return std::string(trim(line.substr(mark.size())));
}

std::optional<double> number_of(std::string_view text) {
    const std::string copy(trim(text));
    if (copy.empty() || std::isalpha(static_cast<unsigned char>(copy[0]))) return std::nullopt;
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (*end != '\0' || !std::isfinite(value)) return std::nullopt;
    return value;
}

bool is_right(const Question& question, double number) {
    const double difference = std::abs(number - question.number);
    return difference <= question.tolerance * std::abs(question.number);
}

}  // namespace cudash::lesson
