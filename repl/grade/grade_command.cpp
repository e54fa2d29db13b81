#include "repl/grade/grade_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "repl/exit_codes.h"
#include "repl/grade/assignment.h"
#include "repl/grade/class_commands.h"
#include "repl/grade/class_run.h"
#include "repl/grade/class_setup.h"
#include "repl/grade/cluster/cluster_run.h"
#include "repl/grade/find_assignment.h"
#include "repl/grade/names.h"
#include "repl/grade/new_assignment.h"
#include "repl/grade/notebook_source.h"
#include "repl/grade/results/formats.h"
#include "repl/grade/scratch_folder.h"
#include "repl/grade/submissions.h"
#include "repl/grade/verify_assignment.h"
#include "repl/shell/suggest.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

int usage(const view::Display& display, const std::string& message) {
    display.messages(
        fmt::format("cudash: {}\n  hint: cudash grade ASSIGNMENT FILE.cu | FOLDER; cudash grade new NAME; cudash grade "
                    "verify ASSIGNMENT\n",
                    message));
    return exit_codes::usage;
}

/// To the file, or to stdout where there is none, or where it can't be written: a result is never lost.
int deliver(const GradeCommand& command, const Format& format, const Grade& grade, const view::Display& display) {
    const std::string text = format.write(grade, {command.times});
    int code = grade.is_fault() ? exit_codes::unavailable : grade.passed() ? 0 : exit_codes::failed;
    if (!command.output.empty()) {
        const std::string problem = shell::write_file(command.output, text);
        if (problem.empty()) return code;
        display.messages(fmt::format("cudash: {} can't be written: {}; the result follows\n", command.output, problem));
        code = exit_codes::cannot_create;
    }
    display.results(text);
    // stdout may be a file on a full disk.
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        display.messages("cudash: the result can't be written to stdout\n");
        return exit_codes::cannot_create;
    }
    return code;
}

/// Why results may not be written to `output`; empty: they may. A slip of the shell's pattern names a submission.
std::string unfit_output(const std::string& output, const std::string& submission, const std::string& assignment) {
    if (output.empty()) return {};
    std::error_code none;
    if (has_source_suffix(output) || has_notebook_suffix(output))
        return "a result does not go into a .cu file or a notebook";
    if (fs::equivalent(output, submission, none)) return "that is the submission itself";
    for (const auto& each : fs::directory_iterator(assignment, none))
        if (fs::equivalent(output, each.path(), none)) return "that is a file of the assignment";
    return {};
}

/// Whether results in `output` would be among the submissions of the next run.
bool is_inside(const std::string& output, const std::string& submissions) {
    std::error_code ignored;
    const fs::path inner = fs::weakly_canonical(output, ignored), outer = fs::weakly_canonical(submissions, ignored);
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

int refuse_output(const view::Display& display, const std::string& output, const std::string& why) {
    display.messages(fmt::format("cudash: can't write to {}: {}\n  hint: give another place with --output\n",
                                 shown_name(output), why));
    return exit_codes::cannot_create;
}

Diagnostic unread(const std::string& path, const std::string& why) {
    std::error_code ignored;
    const bool is_there = fs::exists(fs::symlink_status(path, ignored));
    return error("no-submission", is_there ? fmt::format("can't read {}: {}", shown_name(path), why)
                                           : fmt::format("there is no file {}", shown_name(path)));
}

int grade_file(const GradeCommand& command, const Format& format, Grader& grader, std::vector<Diagnostic> problems,
               const std::string& path, const view::Display& display) {
    const std::string& name = grader.assignment().name;
    const std::string file = fs::path(path).filename().string(), shown = shown_name(file);
    if (const std::string why = unfit_output(command.output, path, grader.assignment().folder); !why.empty())
        return refuse_output(display, command.output, why);
    // Whatever becomes of this process, there is a result that says so.
    if (!command.output.empty())
        shell::write_file(
            command.output,
            format.write(fault(name, shown, {error("unfinished", "the grader was stopped before it was done")}), {}));
    const ReadSubmission read = read_submission(fs::path(path).parent_path().string(), file);
    if (problems.empty() && !read.text && read.refusal.empty()) problems.push_back(unread(path, read.failure));
    ClassRun none{ClassFolder(""), {}, nullptr, 1, {}, false, {}};
    if (problems.empty())
        if (const auto problem = use_course(none, grader, command.key, command.course)) problems.push_back(*problem);
    if (problems.empty() && grader.assignment().checks.own_inputs && command.student.empty())
        problems.push_back(error("no-student",
                                 fmt::format("{} gives every student own inputs: whose submission is this?", name),
                                 "--student ID"));
    if (problems.empty()) grader.prepare(problems);
    if (!problems.empty()) {
        // Students may see the result; what is wrong with the assignment or the machine is told where its author looks:
        // in the result itself, where that is on the screen.
        const bool on_screen = command.output.empty() && format.name == std::string_view("text");
        const bool is_name = std::ranges::all_of(problems, [](const Diagnostic& problem) {
            return problem.code == "no-submission" || problem.code == "no-assignment";
        });
        if (!on_screen || is_name)
            for (const Diagnostic& problem : problems) display.show(problem, {});
        return on_screen && is_name ? exit_codes::unavailable
                                    : deliver(command, format, fault(name, shown, problems), display);
    }
    return deliver(
        command, format,
        read.refusal.empty() ? grader.grade({file, *read.text}, command.student) : grader.refuse(shown, read.refusal),
        display);
}

unsigned jobs_of(const GradeCommand& command) {
    return command.jobs ? command.jobs : std::max(1u, std::thread::hardware_concurrency());
}

const Format* format_of(const GradeCommand& command, const view::Display& display) {
    if (const Format* format = find_format(command.format)) return format;
    std::vector<std::string_view> names;
    std::string all;
    for (const Format& each : formats()) {
        names.push_back(each.name);
        all += (all.empty() ? "" : ", ") + std::string(each.name);
    }
    const auto meant = shell::suggest(command.format, names);
    usage(display, fmt::format("there is no format {}; {}", command.format,
                               meant ? fmt::format("did you mean {}?", *meant) : "there are " + all));
    return nullptr;
}

int run_new(const GradeCommand& command, const view::Display& display) {
    const std::string page = command.lessons + "/assignments/README.md";
    std::error_code ignored;
    return new_assignment(command.words[1], fs::exists(page, ignored) ? page : "", display);
}

int run_verify(const GradeCommand& command, const view::Display& display) {
    std::vector<std::string> folders;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const auto folder = find_assignment(command.lessons, command.words[i]);
        if (!folder) {
            display.show(folder.error(), {});
            display.results("0 passed, 1 failed\n");
            return exit_codes::usage;
        }
        folders.push_back(*folder);
    }
    const Format* format = format_of(command, display);
    if (!format) return exit_codes::usage;
    return verify_assignments(
        folders, {command.worker, jobs_of(command), command.without_layers, command.output, format}, display);
}

/// What `cudash grade` does when its first word is none of an assignment.
struct Verb {
    std::string_view name, operands, example;
    std::size_t most;  ///< operands; it needs one at least
    int (*run)(const GradeCommand& command, const view::Display& display);
};
constexpr std::size_t any_number = 1000;
constexpr Verb verbs[] = {
    {"new", "one name", "my_assignment", 1, run_new},
    {"verify", "an assignment", "ASSIGNMENT", any_number, run_verify},
    {"merge", "the folder with the shards' results", "FOLDER", 1, run_merge},
    {"status", "the folder with the results", "FOLDER", 1, run_status},
    {"cancel", "the folder with the results", "FOLDER", 1, run_cancel},
    {"again", "the folder with the results", "FOLDER", 1, run_again},
    {"report", "the folder with the results", "FOLDER", 1, run_report},
    {"key", "the file to make", "course.key", 1, run_key},
    {"sheet", "an assignment", "ASSIGNMENT --key FILE --student ID", 1, run_sheet},
    {"similar", "an assignment and its submissions", "ASSIGNMENT FOLDER", 2, run_similar},
};

/// The class in `what`: here, one shard of it, or on a cluster.
int grade_folder(const GradeCommand& command, const Format& format, Grader& grader, std::vector<Diagnostic> problems,
                 const std::string& what, const view::Display& display) {
    if (command.output.empty()) return usage(display, "a class needs --output FOLDER");
    const auto shard = command.shard.empty() ? std::nullopt : parse_shard(command.shard);
    if (!command.shard.empty() && !shard)
        return usage(display, fmt::format("--shard is I/N with I from 1 to N, such as 2/8, not {}", command.shard));
    if (!command.engine.empty() && command.engine != "slurm")
        return usage(display,
                     fmt::format("--on knows slurm, not {}; for other engines there are --shard and `grade merge`",
                                 command.engine));
    if (shard && !command.engine.empty()) return usage(display, "--on makes the shards itself: leave --shard out");
    if (is_inside(command.output, what))
        return refuse_output(display, command.output, "it lies in the folder of the submissions");
    std::string why;
    const auto entries = find_submissions(what, why, files_of(grader.assignment()));
    if (!entries || entries->empty()) {
        display.messages(fmt::format("cudash: {} {}\n", shown_name(what),
                                     entries ? "holds no submissions" : "can't be read: " + why));
        return exit_codes::no_input;
    }
    ClassRun run{ClassFolder(absolute_path(command.output)), {}, &format, jobs_of(command), shard, false, {}};
    if (problems.empty()) {
        run.owner = owner_of(grader, what);
        run.owner.format = format.name;
        run.owner.times = command.times;
        if (const auto problem = use_course(run, grader, command.key, command.course)) problems.push_back(*problem);
    }
    // On a cluster the shards run the solution themselves.
    if (problems.empty() && command.engine.empty()) grader.prepare(problems);
    for (const Diagnostic& problem : problems) display.show(problem, {});
    if (!problems.empty()) return exit_codes::unavailable;
    if (command.engine.empty()) return grade_class(grader, *entries, run, display);
    run.jobs = command.jobs ? command.jobs : 1;
    return submit_class(grader, *entries, run, {command.shards, command.engine_options}, display);
}

}  // namespace

int run_grade_command(const GradeCommand& command, const view::Display& display) {
    remove_stale_scratch_folders();
    const std::string first = command.words.empty() ? "" : command.words.front();
    const auto verb = std::ranges::find(verbs, first, &Verb::name);
    const bool is_verb = verb != std::end(verbs);
    if (is_verb && (command.words.size() < 2 || command.words.size() > 1 + verb->most))
        return usage(display,
                     fmt::format("grade {0} needs {1}: cudash grade {0} {2}", first, verb->operands, verb->example));
    if (!command.without_layers.empty() && first != "verify")
        return usage(display, "--without-layer tests the sandbox, and belongs to `grade verify`");
    if (is_verb) return verb->run(command, display);
    if (command.words.size() != 2)
        return usage(display, fmt::format("grade needs an assignment and a submission: cudash grade {} FILE.cu",
                                          first.empty() ? "ASSIGNMENT" : shell_word(first)));
    const Format* format = format_of(command, display);
    if (!format) return exit_codes::usage;
    const std::string& what = command.words[1];
    std::vector<Diagnostic> problems;
    const auto folder = find_assignment(command.lessons, first);
    if (!folder) problems.push_back(folder.error());
    Grader grader(folder ? load_assignment(*folder, problems) : unknown_assignment(first), command.worker);
    std::error_code ignored;
    // What is called a .cu file or a notebook is a submission, whatever a student made of it.
    const bool is_file = has_source_suffix(what) || has_notebook_suffix(what) || !fs::is_directory(what, ignored);
    if (is_file && (!command.shard.empty() || !command.engine.empty()))
        return usage(display, "--shard and --on are for a folder of submissions");
    return is_file ? grade_file(command, *format, grader, std::move(problems), what, display)
                   : grade_folder(command, *format, grader, std::move(problems), what, display);
}

}  // namespace cudash::grade
