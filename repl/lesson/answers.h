// What an answer to a question is worth, wherever it was given: in a walk, or in a cell of a notebook.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "repl/lesson/lesson.h"
#include "repl/session/outcome.h"

namespace cudash::lesson {

/// The value of an expression in the student's session; what is wrong with it, it says itself. `name`: for messages.
using ValueOf = std::function<std::optional<session::Value>(const std::string& expression, std::string_view name)>;

struct Answer {
    enum class Kind {
        none,       ///< the text can't be meant as one
        no_choice,  ///< a number, but of no choice
        no_value,   ///< an expression that has none, which was told
        judged
    };
    Kind kind = Kind::none;
    std::string text;  ///< as it is kept: of a choice its number
    bool right = false;
    std::optional<session::Value> given;  ///< what an expression came to
};

Answer read_answer(const Question& question, std::string_view typed, const ValueOf& value_of);
/// What the lesson replies to a wrong one; empty: it was not foreseen.
std::string reply_to(const Question& question, const Answer& answer, const ValueOf& value_of);
/// The answer and why, in Markdown.
std::string solution_of(const Question& question, const ValueOf& value_of);

}  // namespace cudash::lesson
