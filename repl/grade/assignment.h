// An assignment's folder, and the grades of submissions to it. lessons/assignments/README.md describes the folder.
#pragma once

#include <string>
#include <vector>

#include "repl/grade/check_runner.h"
#include "repl/grade/grade.h"

namespace cudash::grade {

struct Assignment {
    std::string folder, name;
    Checks checks;
    std::string solution;       ///< text
    std::uint64_t content = 0;  ///< a hash of all that was read
};

/// Reads the folder. Everything that is wrong with it goes to `problems`.
Assignment load_assignment(const std::string& folder, std::vector<Diagnostic>& problems);

/// Grades submissions to one assignment; several threads may do so at once.
class Grader {
public:
    Grader(Assignment assignment, worker::Settings worker);
    /// Runs the solution and keeps what it gives. It must pass all checks. What is wrong goes to `problems`.
    void prepare(std::vector<Diagnostic>& problems);
    Grade grade(const Submission& submission) const;
    const Assignment& assignment() const { return assignment_; }
    /// Of the submission, the assignment as it was read, and this program's version: what a grade depends on.
    std::string fingerprint(const Submission& submission) const;

private:
    Assignment assignment_;
    worker::Settings worker_;
    References references_;
};

/// A grade that only says what is wrong on the grader's side.
Grade fault(const std::string& assignment, const std::string& submission, const std::vector<Diagnostic>& problems);

}  // namespace cudash::grade
