// Questions and exercises of lessons in the cells of a notebook, where there is no walk: each cell names what it is
// about.
//
//     :lesson answer 01_device_memory/last_block 24
//     :lesson exercise 01_device_memory/saxpy        begins; the cells that follow are the submission
//     :lesson check
//
// In a notebook, code between the two in one cell is the submission, and does not run in the session.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "repl/shell/notebook.h"

namespace cudash::lesson {

/// What such cells remember from one to the next.
class NotebookLesson {
public:
    /// `checks`: of the workers that check exercises.
    explicit NotebookLesson(worker::Settings checks) : checks_(std::move(checks)) {}

    /// The exit code; nullopt: the first word is none of answer, hint, exercise, check and solution.
    std::optional<int> run(shell::Notebook& notebook, std::string_view words);

    /// What the next check() is for, in place of the cells since exercise().
    void set_code(std::string code) { code_ = std::move(code); }

    // What the words do.
    int answer(shell::Notebook& notebook, std::string_view argument);
    int hint(shell::Notebook& notebook, std::string_view argument);
    int exercise(shell::Notebook& notebook, std::string_view argument);
    int check(shell::Notebook& notebook, std::string_view argument);
    int solution(shell::Notebook& notebook, std::string_view argument);

private:
    worker::Settings checks_;
    std::string exercise_;                            ///< LESSON/NAME of the one that was begun
    std::size_t begins_ = 0;                          ///< as many cells had been accepted
    std::string code_;                                ///< that check() is for; empty: those cells
    std::map<std::string, std::size_t> hints_given_;  ///< by LESSON/NAME
};

/// Makes `:lesson` in this session take those words.
void serve_lessons(shell::Notebook& notebook, worker::Settings checks);

}  // namespace cudash::lesson
