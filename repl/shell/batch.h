// Evaluation without a terminal: cells from -e or stdin, and whole programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "repl/shell/notebook.h"

namespace cudash::shell {

/// Evaluates the cells and runs the commands of `texts` in turn. Stops at the first that fails unless `keep_going`.
/// Returns the exit code.
int run_cells(Notebook& notebook, const std::vector<std::string>& texts, bool keep_going);

/// The files of a program, as cells.
struct ProgramText {
    std::vector<session::Cell> cells;
    std::optional<Diagnostic> problem;      ///< a file can't be taken
    int code = 0;                           ///< the exit code of that
    std::optional<Diagnostic> built_first;  ///< why nvcc is asked before the interpreter
};
/// `folders`: for #include (-I).
ProgramText read_program(const std::vector<std::string>& files, const std::vector<std::string>& folders = {});

/// Takes a program that can't be interpreted, for the reason that it is given, or says why it doesn't.
using OtherWay = std::function<std::optional<Diagnostic>(const Diagnostic& reason)>;

/// Reads in `files` and calls main with the first file's name and `arguments`. Returns the program's exit code.
/// `other_way` is asked before main is called; where it takes the program, nothing is shown.
int run_program(Notebook& notebook, const std::vector<std::string>& files, const std::vector<std::string>& arguments,
                const OtherWay& other_way = {}, const std::vector<std::string>& folders = {});

/// Runs the program that nvcc has built: `notebook`'s workers are it. Returns its exit code.
int run_executable(Notebook& notebook, const std::string& name);

}  // namespace cudash::shell
