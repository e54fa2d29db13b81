// What lessons hold, counted, and how long they take by one measure; and what every question and exercise must have.
#pragma once

#include <string>
#include <vector>

#include "repl/lesson/lesson.h"

namespace cudash::lesson {

/// Minutes that a lesson takes: 200 words a minute, 20 seconds for a demonstration, a minute for a question, 5 for an
/// exercise.
double measured_minutes(const Lesson& lesson);

constexpr double most_minutes = 40;

/// Help that is missing: a question or exercise with fewer than two hints, a hint that repeats another or is the
/// answer, a lesson that is too long.
std::vector<Diagnostic> missing_help(const Lesson& lesson);

class Contents {
public:
    void add(const Lesson& lesson);
    /// "29 lessons: 176 questions, 58 exercises ...", a line for lessons and one for puzzles.
    std::string text() const;

private:
    struct Count {
        std::size_t folders = 0, demonstrations = 0, questions = 0, exercises = 0, wrong = 0;
    };
    Count lessons_, puzzles_;
    double longest_ = 0;
    std::string longest_name_;
};

}  // namespace cudash::lesson
