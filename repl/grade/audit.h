// How marks came to be what they are: audit.log in a class's folder has a line for each mark that was given or changed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "repl/grade/class_folder.h"
#include "repl/grade/grade.h"

namespace cudash::grade {

/// A class's marks as they are known: by submission, each test's points.
struct KnownMark {
    bool is_fault = false;
    double points = 0, max_points = 0;
    std::map<std::string, double> tests;
};
using KnownMarks = std::map<std::string, KnownMark>;

KnownMark known_mark(const Grade& grade);

/// "8 of 10 -> 6 of 10: "name" 2 -> 0"; empty: nothing changed.
std::string difference_of(const KnownMark& before, const KnownMark& now);

/// Compares with what was known (marks.json), adds lines to audit.log, and keeps the new marks. Empty, or what can't be
/// written.
std::string keep_account(const ClassFolder& folder, const std::vector<std::string>& names,
                         const std::vector<Grade>& grades);

}  // namespace cudash::grade
