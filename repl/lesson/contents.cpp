#include "repl/lesson/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "repl/trim.h"

namespace cudash::lesson {
namespace {

constexpr double words_a_minute = 200, minutes_a_demonstration = 1.0 / 3, minutes_a_question = 1,
                 minutes_an_exercise = 5;
constexpr std::size_t least_hints = 2;

/// Of text, without fenced code.
std::size_t words_in(std::string_view text) {
    std::size_t words = 0;
    bool in_word = false, in_fence = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i).starts_with("```")) in_fence = !in_fence, i += 2;
        const bool blank = std::isspace(static_cast<unsigned char>(text[i])) != 0;
        if (!blank && !in_word && !in_fence) ++words;
        in_word = !blank;
    }
    return words;
}

/// The hint is the answer itself.
bool gives_away(const Question& question, const std::string& hint) {
    switch (question.kind) {
        case Question::Kind::number:
            return trim(hint) == fmt::format("{}", question.number);
        case Question::Kind::choice:
            return question.right > 0 && hint.find(question.choices[question.right - 1]) != std::string::npos &&
                   question.choices[question.right - 1].size() > 3;
        case Question::Kind::expression:
            return hint.find(question.expression) != std::string::npos;
    }
    return false;
}

}  // namespace

double measured_minutes(const Lesson& lesson) {
    double minutes = 0;
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps) {
            if (const auto* text = std::get_if<Text>(&step))
                minutes += static_cast<double>(words_in(text->markdown)) / words_a_minute;
            if (std::holds_alternative<Demonstration>(step)) minutes += minutes_a_demonstration;
            if (std::holds_alternative<Question>(step)) minutes += minutes_a_question;
            if (std::holds_alternative<Exercise>(step)) minutes += minutes_an_exercise;
        }
    return minutes;
}

std::vector<Diagnostic> missing_help(const Lesson& lesson) {
    std::vector<Diagnostic> problems;
    const auto problem = [&](unsigned line, std::string message, std::string hint = {}) {
        problems.push_back(error("bad-lesson", std::move(message), std::move(hint)));
        problems.back().where = {lesson.path, line, 0};
    };
    const auto look_at = [&](unsigned line, std::string_view what, const std::string& name,
                             const std::vector<std::string>& hints) {
        if (hints.size() < least_hints)
            problem(line,
                    fmt::format("{} \"{}\" has {} {}; two are the least", what, name, hints.size(),
                                hints.size() == 1 ? "hint" : "hints"),
                    "the first nudges, the next ones say more");
        for (auto at = hints.begin(); at != hints.end(); ++at)
            if (std::find(hints.begin(), at, *at) != at)
                problem(line, fmt::format("a hint of {} \"{}\" repeats an earlier one", what, name));
    };
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps) {
            if (const auto* question = std::get_if<Question>(&step)) {
                look_at(question->line, "question", question->id, question->hints);
                for (const std::string& hint : question->hints)
                    if (gives_away(*question, hint))
                        problem(question->line, fmt::format("a hint of question \"{}\" is its answer", question->id));
            }
            if (const auto* exercise = std::get_if<Exercise>(&step))
                look_at(exercise->line, "exercise", exercise->name, exercise->hints);
        }
    if (const double minutes = measured_minutes(lesson); minutes > most_minutes)
        problem(1, fmt::format("the lesson takes {:.0f} minutes; {:.0f} are the most", minutes, most_minutes),
                "200 words, 3 demonstrations and 1 question a minute, 5 minutes an exercise: make two lessons of it");
    return problems;
}

void Contents::add(const Lesson& lesson) {
    Count& count = lesson.header.puzzle ? puzzles_ : lessons_;
    ++count.folders;
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps) {
            count.demonstrations += std::holds_alternative<Demonstration>(step);
            count.questions += std::holds_alternative<Question>(step);
            if (const auto* exercise = std::get_if<Exercise>(&step)) {
                ++count.exercises;
                count.wrong += exercise->wrong.size();
            }
        }
    if (lesson.header.puzzle || measured_minutes(lesson) <= longest_) return;
    longest_ = measured_minutes(lesson);
    longest_name_ = lesson.name;
}

std::string Contents::text() const {
    const auto of = [](std::size_t count, std::string_view one) {
        return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
    };
    std::string text;
    if (lessons_.folders > 0)
        text += fmt::format("{}: {}, {}, {} with {}; the longest takes {:.0f} minutes ({})\n",
                            of(lessons_.folders, "lesson"), of(lessons_.demonstrations, "demonstration"),
                            of(lessons_.questions, "question"), of(lessons_.exercises, "exercise"),
                            of(lessons_.wrong, "wrong submission"), longest_, longest_name_);
    if (puzzles_.folders > 0)
        text += fmt::format("{} with {}\n", of(puzzles_.folders, "puzzle"), of(puzzles_.wrong, "wrong submission"));
    return text;
}

}  // namespace cudash::lesson
