// What a walk does with questions.
#include <fmt/format.h>

#include <utility>

#include "repl/lesson/answers.h"
#include "repl/lesson/walk.h"
#include "repl/trim.h"

namespace cudash::lesson {
/// True if `text` is an answer to the question at hand; anything else is code, so that a student can compute.
bool Walk::answer(const std::string& text) {
    const auto* question = step_as<Question>();
    if (!question || is_settled()) return false;
    const Answer answer = read_answer(*question, text, value_of());
    switch (answer.kind) {
        case Answer::Kind::none:
            return false;
        case Answer::Kind::no_choice:
            line(fmt::format("Type the number of a choice, from 1 to {}.", question->choices.size()));
            return true;
        case Answer::Kind::no_value:
            return true;
        case Answer::Kind::judged:
            break;
    }
    if (answer.given) line(fmt::format("({}) {}", answer.given->type, answer.given->text));
    judge(*question, answer);
    return true;
}

/// Code that came to a value may be meant as the answer. It counts if it is right; otherwise the student may have
/// computed something on the way.
void Walk::judge_value(const Question& question, const std::string& text, const session::Value& value) {
    const auto number = number_of(value.text);
    switch (question.kind) {
        case Question::Kind::number:
            if (!number) return;
            if (is_right(question, *number))
                return judge(question, {Answer::Kind::judged, std::string(trim(text)), true, {}});
            return remind("That ran as code. Its value isn't the answer.");
        case Question::Kind::choice:
            return remind_of_kind(question);
        case Question::Kind::expression:
            return;
    }
}

/// Text that is not code either was perhaps meant as the answer.
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

void Walk::judge(const Question& question, const Answer& answer) {
    ItemProgress& mine = item(question.id);
    ++mine.tries;
    note({Action::Kind::answer, {}, question.id, answer.text, answer.right ? "right" : "wrong", false});
    if (told_ && mine.tries == 1) told_(question.id, answer.right && mine.hints == 0);
    if (answer.right) {
        mine.state = ItemProgress::State::solved;
        say(display_.style_of_results.colour ? "**Right.** " + question.because : "Right. " + question.because);
        step_on();
        return;
    }
    const std::string reply = reply_to(question, answer, value_of());
    const bool has_hints = mine.hints < question.hints.size();
    if (!reply.empty())
        say("Not that. " + reply);
    else
        line(fmt::format("Not that. {}", has_hints ? ":hint helps." : ":skip gives the answer."));
    save();
}

/// The answer, and why.
void Walk::reveal(const Question& question) {
    say(solution_of(question, value_of()));
}

/// Of expressions in the lesson's session.
ValueOf Walk::value_of() {
    return [this](const std::string& expression, std::string_view name) {
        session::Outcome outcome =
            notebook_.client().evaluate({session::Cell::Kind::code, std::string(name), expression, {}});
        if (!outcome.value) notebook_.display().show(outcome, name, notebook_.lines());
        return std::move(outcome.value);
    };
}

}  // namespace cudash::lesson
