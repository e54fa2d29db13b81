#include "repl/lesson/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "repl/shell/cell_complete.h"
#include "repl/trim.h"

namespace cudash::lesson {
namespace {

bool is_same(const session::Value& a, const session::Value& b) {
    const auto x = number_of(a.text), y = number_of(b.text);
    return a.text == b.text || (x && y && *x == *y);
}

/// One line that is a whole expression.
bool is_expression(std::string_view text) {
    if (text.ends_with(';') || text.ends_with('}') || text.starts_with('#')) return false;
    return shell::first_cell(std::string(text) + "\n").state == shell::CellExtent::State::complete;
}

/// "(3)", "3." and "3)": 3, as people write the number of a choice.
std::string_view without_marks(std::string_view choice) {
    if (choice.starts_with('(') && choice.ends_with(')')) choice.remove_prefix(1);
    if (choice.size() > 1 && (choice.ends_with(')') || choice.ends_with('.'))) choice.remove_suffix(1);
    return trim(choice);
}

/// The number of a choice, or else its text, which may be a number too.
Answer read_choice(const Question& question, const std::string& typed) {
    const auto choice = std::ranges::find(question.choices, typed);
    const auto number = number_of(without_marks(typed));
    if (!number && choice == question.choices.end()) return {};
    const auto is_choice = [&](double value) {
        return value == std::floor(value) && value >= 1 && value <= static_cast<double>(question.choices.size());
    };
    const double chosen = number && is_choice(*number) ? *number
                          : choice != question.choices.end()
                              ? static_cast<double>(choice - question.choices.begin() + 1)
                              : 0;
    if (!is_choice(chosen)) return {Answer::Kind::no_choice, typed, false, {}};
    return {Answer::Kind::judged, fmt::format("{}", chosen), chosen == question.right, {}};
}

}  // namespace

Answer read_answer(const Question& question, std::string_view text, const ValueOf& value_of) {
    const std::string typed(trim(text));
    switch (question.kind) {
        case Question::Kind::number: {
            const auto number = number_of(typed);
            if (!number) return {};
            return {Answer::Kind::judged, typed, is_right(question, *number), {}};
        }
        case Question::Kind::choice:
            return read_choice(question, typed);
        case Question::Kind::expression: {
            if (!is_expression(typed)) return {};
            const auto given = value_of(typed, "your answer");
            const auto right = given ? value_of(question.expression, "the answer") : std::nullopt;
            if (!right) return {Answer::Kind::no_value, typed, false, {}};
            return {Answer::Kind::judged, typed, is_same(*given, *right), given};
        }
    }
    return {};
}

std::string reply_to(const Question& question, const Answer& answer, const ValueOf& value_of) {
    const auto number = number_of(answer.text);
    const auto foreseen = std::ranges::find_if(question.wrong, [&](const Question::Wrong& wrong) {
        const auto other = number_of(wrong.answer);
        return wrong.answer == answer.text || (number && other && *number == *other);
    });
    if (foreseen != question.wrong.end()) return foreseen->reply;
    if (!answer.given) return {};
    for (const Question::Wrong& wrong : question.wrong) {
        const auto other = value_of(wrong.answer, "an answer");
        if (other && is_same(*answer.given, *other)) return wrong.reply;
    }
    return {};
}

std::string solution_of(const Question& question, const ValueOf& value_of) {
    std::string answer;
    switch (question.kind) {
        case Question::Kind::number:
            answer = fmt::format("{}", question.number);
            break;
        case Question::Kind::choice:
            answer = question.right > 0 ? question.choices[question.right - 1] : std::string();
            break;
        case Question::Kind::expression: {
            answer = "`" + question.expression + "`";
            const auto value = value_of(question.expression, "the answer");
            // Where the author says so, too, once is enough.
            if (value && question.because.find(" is " + value->text + ".") == std::string::npos)
                answer += ", which is " + value->text;
            break;
        }
    }
    return "The answer is " + answer + ". " + question.because;
}

}  // namespace cudash::lesson
