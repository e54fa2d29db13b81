#include "repl/lesson/record.h"

#include <fmt/format.h>

#include <algorithm>

namespace cudash::lesson {
namespace {

std::string fence(std::string_view language, std::string_view text) {
    if (text.empty()) return {};
    // Longer than any run of backticks inside.
    std::string mark = "```";
    while (text.find(mark) != std::string_view::npos) mark += '`';
    return fmt::format("\n{}{}\n{}{}{}\n", mark, language, text, text.ends_with('\n') ? "" : "\n", mark);
}

const Question* find_question(const Lesson& lesson, const std::string& id) {
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps)
            if (const auto* question = std::get_if<Question>(&step); question && question->id == id) return question;
    return nullptr;
}

std::string text_of(const Lesson& lesson, const Action& action) {
    switch (action.kind) {
        case Action::Kind::demonstration:
        case Action::Kind::cell:
            return fence("cuda", action.text) + fence("text", action.result);
        case Action::Kind::answer: {
            const Question* question = find_question(lesson, action.item);
            return fmt::format("\n> {}\n\nAnswered {}: {}.\n", question ? question->ask : action.item, action.text,
                               action.result);
        }
        case Action::Kind::check:
            return fmt::format("\nHanded in for `{}`: {}.\n", action.item, action.result) + fence("cuda", action.text);
        case Action::Kind::hint:
            return fmt::format("\nAsked for a hint on `{}`: {}\n", action.item, action.result);
        case Action::Kind::skip:
            return fmt::format("\nSkipped `{}`.\n", action.item);
        case Action::Kind::solution:
            return fmt::format("\nLooked at the solution of `{}`.\n", action.item);
    }
    return {};
}

}  // namespace

std::string transcript_of(const Lesson& lesson, const Progress& progress) {
    const auto done = std::ranges::count_if(
        progress.items, [](const auto& item) { return item.second.state == ItemProgress::State::solved; });
    std::string text = fmt::format("# {}\n\nSection {} of {}; {} questions and exercises done.\n", lesson.title,
                                   progress.section + 1, lesson.sections.size(), done);
    const std::string* section = nullptr;
    for (const Action& action : progress.actions) {
        if (!section || *section != action.section) text += fmt::format("\n## {}\n", action.section);
        section = &action.section;
        text += text_of(lesson, action);
    }
    return text;
}

}  // namespace cudash::lesson
