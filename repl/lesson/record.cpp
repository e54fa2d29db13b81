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

std::string text_of(const Lesson& lesson, const Deed& deed) {
    switch (deed.kind) {
        case Deed::Kind::demonstration:
        case Deed::Kind::cell:
            return fence("cuda", deed.text) + fence("text", deed.result);
        case Deed::Kind::answer: {
            const Question* question = find_question(lesson, deed.item);
            return fmt::format("\n> {}\n\nAnswered {}: {}.\n", question ? question->ask : deed.item, deed.text,
                               deed.result);
        }
        case Deed::Kind::check:
            return fmt::format("\nHanded in for `{}`: {}.\n", deed.item, deed.result) + fence("cuda", deed.text);
        case Deed::Kind::hint:
            return fmt::format("\nAsked for a hint on `{}`: {}\n", deed.item, deed.result);
        case Deed::Kind::skip:
            return fmt::format("\nSkipped `{}`.\n", deed.item);
        case Deed::Kind::solution:
            return fmt::format("\nLooked at the solution of `{}`.\n", deed.item);
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
    for (const Deed& deed : progress.deeds) {
        if (!section || *section != deed.section) text += fmt::format("\n## {}\n", deed.section);
        section = &deed.section;
        text += text_of(lesson, deed);
    }
    return text;
}

}  // namespace cudash::lesson
