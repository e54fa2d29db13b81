// An assignment's folder, and the grades of submissions to it. lessons/assignments/README.md describes the folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repl/grade/check_runner.h"
#include "repl/grade/course/course_key.h"
#include "repl/grade/course/parameters.h"
#include "repl/grade/grade.h"

namespace cudash::grade {

struct Assignment {
    std::string folder, name;
    Checks checks;
    std::string solution;               ///< text
    std::string text, sheet;            ///< assignment.toml and assignment.md, with `{{parameters}}`
    std::vector<Parameter> parameters;  ///< that differ from student to student
    Key content;                        ///< of all that was read, with the seed, and of this program
};

/// The assignment as one student has it: with their values and inputs. What does not fit together then goes to
/// `problems`.
Assignment own_assignment(const Assignment& assignment, const Key& seed, std::vector<Diagnostic>& problems);
/// The task with the values of one student.
std::string own_sheet(const Assignment& assignment, const Key& seed, std::vector<Diagnostic>& problems);

/// Reads the folder. Everything that is wrong with it goes to `problems`.
Assignment load_assignment(const std::string& folder, std::vector<Diagnostic>& problems);

/// Grades submissions to one assignment; several threads may do so at once.
class Grader {
public:
    // Of an assignment with own inputs, a grade belongs to a student: `student` is an id.
    /// `without`: layers of the sandbox that are left out, to test the others.
    Grader(Assignment assignment, worker::Settings worker, std::vector<std::string> without = {});
    /// Runs the solution and keeps what it gives. It must pass all checks. What is wrong goes to `problems`.
    void prepare(std::vector<Diagnostic>& problems);
    Grade grade(const Submission& submission, const std::string& student = {}) const;
    /// The course's key, for every student's own inputs.
    void use(const CourseKey& key) { key_ = key; }
    /// Of a student's own inputs.
    Key seed_of(const std::string& student) const;
    /// The grade of a submission that can't be read: 0 points, with the reason, a sentence.
    Grade refuse(const std::string& name, const std::string& reason) const;
    const Assignment& assignment() const { return assignment_; }
    /// Of the submission, the assignment as it was read, and this program's content: what a grade depends on.
    std::string fingerprint(const Submission& submission, const std::string& student = {}) const;

private:
    RunSettings run_settings() const;
    Grade judge(const Assignment& assignment, const References& references, const Submission& submission) const;
    void run_solution(const Assignment& assignment, References& references, std::vector<Diagnostic>& problems) const;

    Assignment assignment_;
    std::optional<CourseKey> key_;
    worker::Settings worker_;
    std::vector<std::string> without_;
    References references_;
};

/// A grade that only says what is wrong on the grader's side; `assignment` and `submission` are shown names.
Grade fault(const std::string& assignment, const std::string& submission, const std::vector<Diagnostic>& problems);

}  // namespace cudash::grade
