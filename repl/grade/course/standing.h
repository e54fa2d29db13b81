// What each student of a course gets: the submission that counts, and what lateness costs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "repl/grade/course/course.h"
#include "repl/grade/grade.h"

namespace cudash::grade {

/// The student whose submission an entry is: its name up to an `@` or the suffix.
///
///     anna.cu, anna/, anna@2026-11-29T22:10:00Z.cu
std::string student_of(std::string_view entry);
/// The moment behind the `@`; nullopt: there is none.
std::optional<std::int64_t> moment_of(std::string_view entry);

struct HandIn {
    std::string entry;
    std::int64_t moment = 0;
    Grade grade;
};

struct Standing {
    Student student;
    bool is_on_roster = true;
    std::string entry;  ///< the one that counts; empty: nothing was handed in
    std::size_t hand_ins = 0;
    std::int64_t moment = 0;
    double days_late = 0;  ///< that have begun
    double percent_off = 0;
    bool has_mark = false;  ///< false: nothing was handed in (0 points), or the grader could not do its work
    double earned = 0, points = 0, max_points = 0;
};

/// In the order of the roster, then those who are not on it, by their ids.
std::vector<Standing> standings(const Course& course, const std::vector<HandIn>& hand_ins);

/// A line for each student.
std::string as_course_csv(const std::vector<Standing>& standings, bool has_deadline);
/// Canvas, "How do I import grades in the Gradebook?": Student, ID, Section, then the assignment.
std::string as_canvas_csv(const std::vector<Standing>& standings, const std::string& assignment);
/// Moodle, "Grade import": Email address and ID number identify a user; one column is mapped to the grade item.
std::string as_moodle_csv(const std::vector<Standing>& standings, const std::string& assignment);

}  // namespace cudash::grade
