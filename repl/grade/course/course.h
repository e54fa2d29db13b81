// course.toml: what holds for all of a course's assignments, or for one hand-in of it.
//
//     key = "course.key"                          # of every student's own inputs
//     roster = "students.csv"
//     deadline = "2026-11-29T23:59:00+01:00"
//     grace_minutes = 10
//     percent_a_day = 10                          # of the points, for each day that begins
//     most_days_late = 3                          # later ones get 0 points
//     keep = "last"                               # or "best", of several hand-ins
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/grade/course/roster.h"

namespace cudash::grade {

struct Course {
    std::string key;  ///< the file's path; empty: none
    bool has_roster = false;
    std::vector<Student> roster;
    std::optional<std::int64_t> deadline;
    double grace_minutes = 0, percent_a_day = 0;
    std::optional<double> most_days_late;
    bool keeps_best = false;

    const Student* find(std::string_view id) const;
};

/// Reads the file and those that it names, which lie beside it. What is wrong goes to `problems`.
Course load_course(const std::string& path, std::vector<Diagnostic>& problems);

}  // namespace cudash::grade
