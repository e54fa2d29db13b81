#include "repl/grade/grade_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "repl/grade/assignment.h"
#include "repl/grade/class_run.h"
#include "repl/grade/read_file.h"
#include "repl/grade/results/formats.h"
#include "repl/grade/scratch_folder.h"
#include "repl/grade/verify_assignment.h"
#include "repl/shell/suggest.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

constexpr int exit_failed = 1, exit_usage = 2, exit_no_input = 66, exit_unavailable = 69, exit_cannot_create = 73;

int usage(const view::Display& display, const std::string& message) {
    display.messages(fmt::format(
        "cudash: {}\n  hint: cudash grade ASSIGNMENT FILE.cu | FOLDER; cudash grade verify ASSIGNMENT\n", message));
    return exit_usage;
}

/// To the file, or to stdout where there is none, or where it can't be written: a result is never lost.
int deliver(const GradeCommand& command, const Format& format, const Grade& grade, const view::Display& display) {
    const std::string text = format.write(grade, {command.times});
    int code = grade.end == Grade::End::grader_fault ? exit_unavailable : grade.passed() ? 0 : exit_failed;
    if (!command.output.empty()) {
        const std::string problem = shell::write_file(command.output, text);
        if (problem.empty()) return code;
        display.messages(fmt::format("cudash: {} can't be written: {}; the result follows\n", command.output, problem));
        code = exit_cannot_create;
    }
    display.results(text);
    // stdout may be a file on a full disk.
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        display.messages("cudash: the result can't be written to stdout\n");
        return exit_cannot_create;
    }
    return code;
}

int grade_file(const GradeCommand& command, const Format& format, Grader& grader, std::vector<Diagnostic> problems,
               const std::string& path, const view::Display& display) {
    const std::string& name = grader.assignment().name;
    const std::string file = fs::path(path).filename().string();
    // Whatever becomes of this process, there is a result that says so.
    if (!command.output.empty())
        shell::write_file(
            command.output,
            format.write(fault(name, file, {error("unfinished", "the grader was stopped before it was done")}), {}));
    if (problems.empty()) grader.prepare(problems);
    std::string why;
    const auto text = read_file(path, why);
    if (!text) problems.push_back(error("no-submission", fmt::format("{} can't be read: {}", path, why)));
    return deliver(command, format, problems.empty() ? grader.grade({file, *text}) : fault(name, file, problems),
                   display);
}

}  // namespace

int run_grade_command(const GradeCommand& command, const view::Display& display) {
    remove_stale_scratch_folders();
    const unsigned jobs = command.jobs ? command.jobs : std::max(1u, std::thread::hardware_concurrency());
    if (command.words.size() >= 2 && command.words[0] == "verify")
        return verify_assignments({command.words.begin() + 1, command.words.end()}, command.worker, jobs, display);
    if (command.words.size() != 2) return usage(display, "grade takes an assignment and a submission");
    const Format* format = find_format(command.format);
    if (!format) {
        std::vector<std::string_view> names;
        std::string all;
        for (const Format& each : formats()) {
            names.push_back(each.name);
            all += (all.empty() ? "" : ", ") + std::string(each.name);
        }
        const auto meant = shell::suggest(command.format, names);
        return usage(display, fmt::format("there is no format {}; {}", command.format,
                                          meant ? fmt::format("did you mean {}?", *meant) : "there are " + all));
    }
    const std::string &folder = command.words[0], &what = command.words[1];
    std::vector<Diagnostic> problems;
    Grader grader(load_assignment(folder, problems), command.worker);
    std::error_code ignored;
    if (!fs::is_directory(what, ignored))
        return grade_file(command, *format, grader, std::move(problems), what, display);

    if (command.output.empty()) return usage(display, "a class needs --output FOLDER");
    const auto entries = find_submissions(what);
    if (entries.empty()) {
        display.messages(fmt::format("cudash: {} holds no .cu files\n", what));
        return exit_no_input;
    }
    if (problems.empty()) grader.prepare(problems);
    for (const Diagnostic& problem : problems) display.show(problem, {});
    if (!problems.empty()) return exit_unavailable;
    return grade_class(grader, entries, {command.output, format, {command.times}, jobs}, display);
}

}  // namespace cudash::grade
