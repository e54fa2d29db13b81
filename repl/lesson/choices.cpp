#include "repl/lesson/choices.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "repl/grade/keyed_hash.h"

namespace cudash::lesson {
namespace {

/// `order[i]`: the old place of what stands at i now.
void reorder(Question& question, const std::vector<std::size_t>& order) {
    std::vector<std::string> choices;
    std::vector<unsigned> now(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        choices.push_back(question.choices[order[i]]);
        now[order[i]] = static_cast<unsigned>(i + 1);
    }
    question.choices = std::move(choices);
    if (question.right > 0) question.right = now[question.right - 1];
    for (Question::Wrong& wrong : question.wrong) {
        const auto number = number_of(wrong.answer);
        if (number && *number >= 1 && *number <= static_cast<double>(now.size()))
            wrong.answer = fmt::format("{}", now[static_cast<std::size_t>(*number) - 1]);
    }
}

}  // namespace

std::string student_name() {
    if (const char* set = std::getenv("CUDASH_STUDENT")) return set;
    const passwd* user = getpwuid(getuid());
    return user && user->pw_name ? user->pw_name : fmt::format("{}", getuid());
}

void shuffle_choices(Lesson& lesson, std::string_view student) {
    if (student.empty()) return;
    for (Section& section : lesson.sections)
        for (Step& step : section.steps) {
            auto* question = std::get_if<Question>(&step);
            if (!question || question->ordered || question->choices.size() < 2) continue;
            // A hash, not the library's shuffle: the order is the same on every machine.
            std::vector<std::pair<std::uint64_t, std::size_t>> drawn;
            for (std::size_t i = 0; i < question->choices.size(); ++i)
                drawn.emplace_back(
                    grade::keyed_hash({}, fmt::format("{}\n{}\n{}\n{}", student, lesson.name, question->id, i)), i);
            std::ranges::sort(drawn);
            std::vector<std::size_t> order;
            for (const auto& [hash, place] : drawn) order.push_back(place);
            reorder(*question, order);
        }
}

}  // namespace cudash::lesson
