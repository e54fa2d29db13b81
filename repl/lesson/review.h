// Questions of finished lessons, asked again at growing intervals: what was missed comes back first.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "repl/lesson/lesson.h"
#include "runtime_wrappers/result.h"

namespace cudash::lesson {

using Day = std::chrono::sys_days;

/// When a question is asked again.
struct Recall {
    Day due;
    unsigned interval = 0;  ///< days from one time to the next; doubles with each right answer
    bool missed = false;    ///< the last time
};

/// By "lesson/question".
using ReviewBook = std::map<std::string, Recall>;

/// The day of the student's clock.
Day today();

/// What becomes of a question that was answered on `day`: right at the first try, or missed.
Recall next_recall(const Recall& before, bool right, Day day);

/// A file that is missing is an empty book; one that is damaged is an error.
Result<ReviewBook> read_review(const std::string& path);
std::optional<Diagnostic> write_review(const std::string& path, const ReviewBook& book);

/// Of the student's folder; empty: there is none.
std::string review_file();

constexpr std::size_t most_reviewed = 10;

struct Review {
    Lesson lesson;             ///< its questions are the ones to ask, each called "lesson/question"
    std::size_t waiting = 0;   ///< questions that are due today, of all finished lessons
    std::size_t finished = 0;  ///< finished lessons
    std::optional<Day> next;   ///< when the next one is due, if none is today
};
/// At most `most_reviewed` questions that are due: missed ones first, then the longest overdue.
Review make_review(const std::string& lessons, const ReviewBook& book, Day day);

}  // namespace cudash::lesson
