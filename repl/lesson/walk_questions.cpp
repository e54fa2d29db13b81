// What a walk does with questions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "repl/lesson/walk.h"
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

}  // namespace

/// True if `text` is an answer to the question at hand; anything else is code, so that a student can compute.
bool Walk::answer(const std::string& text) {
    const auto* question = step_as<Question>();
    if (!question || is_settled()) return false;
    const std::string typed(trim(text));
    switch (question->kind) {
        case Question::Kind::number: {
            const auto number = number_of(typed);
            if (!number) return false;
            judge(*question, typed, is_right(*question, *number));
            return true;
        }
        case Question::Kind::choice: {
            const auto choice = std::ranges::find(question->choices, typed);
            const auto number = number_of(without_marks(typed));
            if (!number && choice == question->choices.end()) return false;
            const auto is_choice = [&](double value) {
                return value == std::floor(value) && value >= 1 &&
                       value <= static_cast<double>(question->choices.size());
            };
            // A number of a choice, or else its text, which may be a number too.
            const double chosen = number && is_choice(*number) ? *number
                                  : choice != question->choices.end()
                                      ? static_cast<double>(choice - question->choices.begin() + 1)
                                      : 0;
            if (!is_choice(chosen)) {
                line(fmt::format("Type the number of a choice, from 1 to {}.", question->choices.size()));
                return true;
            }
            judge(*question, fmt::format("{}", chosen), chosen == question->right);
            return true;
        }
        case Question::Kind::expression: {
            if (!is_expression(typed)) return false;
            const auto given = value_of(typed, "your answer");
            if (!given) return true;
            const auto right = value_of(question->expression, "the answer");
            if (!right) return true;
            line(fmt::format("({}) {}", given->type, given->text));
            judge(*question, typed, is_same(*given, *right), &*given);
            return true;
        }
    }
    return false;
}

/// Code that came to a value may be meant as the answer. It counts if it is right; otherwise the student may have
/// computed something on the way.
void Walk::judge_value(const Question& question, const std::string& text, const session::Value& value) {
    const auto number = number_of(value.text);
    switch (question.kind) {
        case Question::Kind::number:
            if (!number) return;
            if (is_right(question, *number)) return judge(question, std::string(trim(text)), true);
            return remind("That ran as code. Its value isn't the answer.");
        case Question::Kind::choice:
            return remind_of_kind(question);
        case Question::Kind::expression:
            return;
    }
}

/// Text that is no code either was perhaps meant as the answer.
void Walk::remind_of_kind(const Question& question) {
    switch (question.kind) {
        case Question::Kind::number:
            return remind("That ran as code. The answer is a number.");
        case Question::Kind::choice:
            return remind("That ran as code. To answer, type the number of a choice.");
        case Question::Kind::expression:
            return remind("That ran as code. The answer is an expression, in one line and without a semicolon.");
    }
}

/// Once at each question.
void Walk::remind(std::string_view words) {
    if (!std::exchange(reminded_, true)) line(words);
}

/// `given`: what an expression came to.
void Walk::judge(const Question& question, const std::string& text, bool right, const session::Value* given) {
    ItemProgress& mine = item(question.id);
    ++mine.tries;
    note({Deed::Kind::answer, {}, question.id, text, right ? "right" : "wrong", false});
    if (told_ && mine.tries == 1) told_(question.id, right && mine.hints == 0);
    if (right) {
        mine.state = ItemProgress::State::solved;
        say(display_.style_of_results.colour ? "**Right.** " + question.because : "Right. " + question.because);
        step_on();
        return;
    }
    const auto number = number_of(text);
    const auto foreseen = std::ranges::find_if(question.wrong, [&](const Question::Wrong& wrong) {
        const auto other = number_of(wrong.answer);
        return wrong.answer == text || (number && other && *number == *other);
    });
    std::string reply = foreseen != question.wrong.end() ? foreseen->reply : std::string();
    if (reply.empty() && given) {
        for (const Question::Wrong& wrong : question.wrong) {
            const auto other = value_of(wrong.answer, "an answer");
            if (other && is_same(*given, *other)) reply = wrong.reply;
            if (!reply.empty()) break;
        }
    }
    const bool has_hints = mine.hints < question.hints.size();
    if (!reply.empty())
        say("Not that. " + reply);
    else
        line(fmt::format("Not that. {}", has_hints ? ":hint helps." : ":skip gives the answer."));
    save();
}

/// The answer, and why.
void Walk::reveal(const Question& question) {
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
    say("The answer is " + answer + ". " + question.because);
}

}  // namespace cudash::lesson
