#include "repl/grade/class_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "repl/exit_codes.h"
#include "repl/grade/again.h"
#include "repl/grade/class_setup.h"
#include "repl/grade/cluster/cluster_run.h"
#include "repl/grade/find_assignment.h"
#include "repl/grade/human_marks.h"
#include "repl/grade/names.h"
#include "repl/grade/read_file.h"
#include "repl/grade/record.h"
#include "repl/grade/results/report.h"
#include "repl/grade/similarity/similarity.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

int tell(const view::Display& display, const Diagnostic& problem, int code) {
    display.show(problem, {});
    return code;
}

int tell_unwritten(const view::Display& display, const std::string& path, const std::string& why) {
    display.messages(fmt::format("cudash: {} can't be written: {}\n", shown_name(path), why));
    return exit_codes::cannot_create;
}

/// A command about results that are there: `use` gets the class that they are of.
template <class Use>
int with_class(const GradeCommand& command, const view::Display& display, Use use) {
    auto setup = reopen_class(command.words[1], command.worker);
    if (!setup) return tell(display, setup.error(), exit_codes::unavailable);
    setup->run.jobs = command.jobs ? command.jobs : std::max(1u, std::thread::hardware_concurrency());
    return use(*setup);
}

/// The texts of all submissions that can be read.
std::vector<Source> sources_of(const std::string& folder, const std::vector<Entry>& entries) {
    std::vector<Source> sources;
    for (const Entry& entry : entries) {
        if (!entry.refusal.empty()) continue;
        ReadSubmission read = read_entry(folder, entry);
        if (read.text) sources.push_back({entry.name, std::move(*read.text)});
    }
    return sources;
}

/// What students were given: nobody wrote it.
std::vector<std::string> given_to_all(const Assignment& assignment) {
    std::vector<std::string> texts = {assignment.checks.kernels};
    std::string ignored;
    if (auto starter = read_file((fs::path(assignment.folder) / "starter.cu").string(), ignored))
        texts.push_back(std::move(*starter));
    return texts;
}

/// The layout that the other programs read: a folder for each submission, and one with what all were given.
int export_sources(const GradeCommand& command, const std::vector<Source>& sources,
                   const std::vector<std::string>& given, const view::Display& display) {
    if (command.output.empty()) {
        display.messages(fmt::format("cudash: --format {} needs --output FOLDER\n", command.format));
        return exit_codes::usage;
    }
    const fs::path root(command.output);
    const auto put = [&](const fs::path& path, const std::string& text) -> std::string {
        std::error_code failed;
        fs::create_directories(path.parent_path(), failed);
        return failed ? failed.message() : shell::write_file(path.string(), text);
    };
    std::string base;
    for (const std::string& text : given) base += text + "\n";
    std::string problem = put(root / "base" / "given.cpp", base);
    for (const Source& source : sources)
        if (problem.empty())
            problem = put(root / "submissions" / file_name(source.name) / "submission.cpp", source.text);
    if (!problem.empty()) return tell_unwritten(display, command.output, problem);
    const std::string word = shell_word(command.output);
    display.results(command.format == "moss"
                        ? fmt::format("cd {} && moss -l cc -d -b base/given.cpp submissions/*/submission.cpp\n", word)
                        : fmt::format("cp -r {0}/base {0}/submissions/ && java -jar jplag.jar -l cpp -bc base "
                                      "{0}/submissions\n",
                                      word));
    return 0;
}

}  // namespace

int run_merge(const GradeCommand& command, const view::Display& display) {
    return with_class(command, display, [&](ClassSetup& setup) {
        setup.run.merges = true;
        return grade_class(*setup.grader, setup.entries, setup.run, display);
    });
}

int run_status(const GradeCommand& command, const view::Display& display) {
    return with_class(command, display, [&](ClassSetup& setup) { return show_status(setup, display); });
}

int run_cancel(const GradeCommand& command, const view::Display& display) {
    return with_class(command, display, [&](ClassSetup& setup) { return cancel_class(setup, display); });
}

int run_again(const GradeCommand& command, const view::Display& display) {
    return with_class(command, display, [&](ClassSetup& setup) {
        const int code = grade_again(setup, command.accepts, display);
        if (!command.accepts || code != 0) return code;
        setup.run.merges = true;
        return grade_class(*setup.grader, setup.entries, setup.run, display);
    });
}

int run_report(const GradeCommand& command, const view::Display& display) {
    return with_class(command, display, [&](ClassSetup& setup) {
        ClassReport report;
        const Assignment& assignment = setup.grader->assignment();
        report.title = assignment.checks.title;
        std::vector<std::string> names;
        for (const Entry& entry : setup.entries) names.push_back(entry.name);
        HumanMarks marks;
        std::string why;
        std::vector<Diagnostic> problems;
        const std::string path = setup.run.folder.file("marks.toml");
        if (const auto text = read_file(path, why))
            marks = parse_human_marks(path, *text, assignment.checks, names, problems);
        if (!problems.empty()) return tell(display, problems.front(), exit_codes::unavailable);
        for (const std::string& name : names) {
            const auto record = read_record(setup.run.folder.record(name));
            if (!record) continue;
            report.names.push_back(name);
            report.grades.push_back(marks.apply(record->grade, name, assignment.checks.rubric));
        }
        report.sources = sources_of(setup.run.owner.submissions, setup.entries);
        report.similarity = find_similar(report.sources, given_to_all(assignment));
        const std::string page = command.output.empty() ? setup.run.folder.file("report.html") : command.output;
        if (const std::string problem = shell::write_file(page, report_as_html(report)); !problem.empty())
            return tell_unwritten(display, page, problem);
        display.results(report_as_text(report));
        display.messages(fmt::format("The same as a page: {}\n", shown_name(page)));
        return 0;
    });
}

int run_key(const GradeCommand& command, const view::Display& display) {
    const auto key = CourseKey::make(command.words[1]);
    if (!key) return tell(display, key.error(), exit_codes::cannot_create);
    display.results(
        fmt::format("{} is the course key {}. Keep it secret, and keep a copy: without it nobody can say what a "
                    "student's inputs were.\n",
                    shown_name(command.words[1]), key->id()));
    return 0;
}

int run_sheet(const GradeCommand& command, const view::Display& display) {
    const auto folder = find_assignment(command.lessons, command.words[1]);
    if (!folder) return tell(display, folder.error(), exit_codes::unavailable);
    std::vector<Diagnostic> problems;
    Grader grader(load_assignment(*folder, problems), command.worker);
    ClassRun run{ClassFolder(""), {}, nullptr, 1, {}, false, {}};
    if (problems.empty())
        if (const auto problem = use_course(run, grader, command.key, command.course)) problems.push_back(*problem);
    if (problems.empty() && run.owner.key.empty() && grader.assignment().checks.own_inputs)
        problems.push_back(
            error("no-key", "a student's own sheet is made from the course's key", "--key FILE --student ID"));
    std::vector<std::string> students;
    if (!command.student.empty())
        students.push_back(command.student);
    else if (run.course)
        for (const Student& student : run.course->roster) students.push_back(student.id);
    if (problems.empty() && students.empty())
        problems.push_back(error("no-student", "grade sheet needs a student",
                                 "--student ID, or a course with a roster: --course course.toml --output FOLDER"));
    if (problems.empty() && students.size() > 1 && command.output.empty())
        problems.push_back(error("no-output", "the sheets of a whole roster need --output FOLDER"));
    for (const Diagnostic& problem : problems) display.show(problem, {});
    if (!problems.empty()) return exit_codes::unavailable;
    const bool is_folder = command.student.empty();
    for (const std::string& student : students) {
        const std::string sheet = own_sheet(grader.assignment(), grader.seed_of(student), problems);
        if (!problems.empty()) return tell(display, problems.front(), exit_codes::unavailable);
        if (command.output.empty()) {
            display.results(sheet);
            continue;
        }
        const fs::path path =
            is_folder ? fs::path(command.output) / (file_name(shown_name(student)) + ".md") : fs::path(command.output);
        std::error_code failed;
        if (is_folder) fs::create_directories(path.parent_path(), failed);
        const std::string problem = failed ? failed.message() : shell::write_file(path.string(), sheet);
        if (!problem.empty()) return tell_unwritten(display, path.string(), problem);
    }
    return 0;
}

int run_similar(const GradeCommand& command, const view::Display& display) {
    if (command.words.size() != 3) {
        display.messages(
            "cudash: grade similar needs an assignment and its submissions: cudash grade similar ASSIGNMENT FOLDER\n");
        return exit_codes::usage;
    }
    if (command.format != "text" && command.format != "moss" && command.format != "jplag") {
        display.messages(fmt::format("cudash: grade similar writes text, moss or jplag, not {}\n", command.format));
        return exit_codes::usage;
    }
    const auto folder = find_assignment(command.lessons, command.words[1]);
    if (!folder) return tell(display, folder.error(), exit_codes::unavailable);
    std::vector<Diagnostic> problems;
    const Assignment assignment = load_assignment(*folder, problems);
    if (!problems.empty()) return tell(display, problems.front(), exit_codes::unavailable);
    std::string why;
    const auto entries = find_submissions(command.words[2], why, files_of(assignment));
    if (!entries || entries->empty()) {
        display.messages(fmt::format("cudash: {} {}\n", shown_name(command.words[2]),
                                     entries ? "holds no submissions" : "can't be read: " + why));
        return exit_codes::no_input;
    }
    const std::vector<Source> sources = sources_of(command.words[2], *entries);
    if (command.format != "text") return export_sources(command, sources, given_to_all(assignment), display);
    const Similarity similarity = find_similar(sources, given_to_all(assignment));
    display.results(similarity_text(sources, similarity));
    if (command.output.empty()) return 0;
    const std::string problem =
        shell::write_file(command.output, similarity_page(assignment.checks.title, sources, similarity));
    return problem.empty() ? 0 : tell_unwritten(display, command.output, problem);
}

}  // namespace cudash::grade
