// The mark of one submission, as a value. Everything that is written about it (repl/grade/results) is made of this
// alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::grade {

/// Who may see a test, and when; the names are Gradescope's.
enum class Visibility : std::uint8_t { visible, after_due_date, after_published, hidden };
inline constexpr std::array<std::string_view, 4> visibility_names = {"visible", "after_due_date", "after_published",
                                                                     "hidden"};

struct Test {
    enum class Status : std::uint8_t { passed, failed, skipped };
    std::string name;
    Status status = Status::skipped;
    double points = 0, max_points = 0;
    Visibility visibility = Visibility::visible;
    std::vector<std::string> needs;  ///< tests without which it is skipped
    std::string reason;              ///< one sentence: what failed, or why it was skipped
    std::string expected, actual;    ///< lines; empty where there is nothing to compare
    std::string findings;            ///< as text, in the form of all findings
    std::string why;                 ///< what the author of the assignment thinks is wrong
    std::string task;                ///< the part of the assignment that it belongs to
    std::string code{};              ///< what runs the submission: a cell, or a program's arguments
    /// A number that students compare with each other's, and what it is called; empty: none.
    std::string leaderboard{};
    std::optional<double> measured{};
    bool lower_is_better = true;
};
inline constexpr std::array<std::string_view, 3> status_names = {"passed", "failed", "skipped"};

struct Grade {
    enum class End : std::uint8_t {
        graded,
        grader_fault  ///< the assignment or the grader can't do its work: there is no mark
    };
    End end = End::graded;
    std::string fault;                   ///< of the grader: text
    std::string assignment, submission;  ///< names
    std::string reply;                   ///< of the assignment's author to a foreseen mistake
    unsigned reply_line = 0;             ///< where it stands in the assignment; 0: there is none
    std::vector<Test> tests;
    std::uint64_t milliseconds = 0, peak_memory = 0;  ///< how long it took; written only when asked for

    double points() const;
    double max_points() const;
    /// Full marks. Tests without points decide only where no test has any.
    bool passed() const;
    /// The grader could not do its work: there is no mark, and `fault` says why.
    bool is_fault() const { return end == End::grader_fault; }
};

/// What is told about a test that did not pass, for people; each line with its line end. Empty if it passed.
std::string explain(const Test& test);

/// The same for platforms that show every test to the student at once: of a hidden one, no more than its name.
std::string public_explanation(const Test& test);

/// What a student is told when there is no mark. What is wrong with the assignment or the machine is its author's to
/// know: it may quote files that students do not have.
inline constexpr std::string_view fault_for_students =
    "The grader could not do its work; this is not a fault of the submission. Please tell your instructor.\n";

/// A number of points as people write it: "2", "2.5".
std::string points_text(double points);

}  // namespace cudash::grade
