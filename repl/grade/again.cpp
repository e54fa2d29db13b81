#include "repl/grade/again.h"

#include <fmt/format.h>

#include <filesystem>

#include "repl/exit_codes.h"
#include "repl/grade/audit.h"
#include "repl/grade/names.h"
#include "repl/grade/read_file.h"
#include "repl/grade/record.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

/// The words of the first test that gives fewer points than before.
std::string reason_of_change(const Grade& before, const Grade& now) {
    for (const Test& test : now.tests)
        for (const Test& old : before.tests)
            if (old.name == test.name && test.points < old.points) return test.reason;
    return {};
}

}  // namespace

int grade_again(ClassSetup& setup, bool accepts, const view::Display& display) {
    std::vector<Diagnostic> problems;
    setup.grader->prepare(problems);
    for (const Diagnostic& problem : problems) display.show(problem, {});
    if (!problems.empty()) return exit_codes::unavailable;
    const ClassFolder& folder = setup.run.folder;
    const auto lock = folder.lock(ClassFolder::Use::alone);
    if (!lock) {
        display.messages(fmt::format("cudash: {}\n", lock.error().message));
        return exit_codes::cannot_create;
    }
    ClassRun beside{
        ClassFolder(folder.file("again")), setup.run.owner, setup.run.format, setup.run.jobs, {}, false, {}};
    // What an earlier one left, of an assignment that has changed since, is worth nothing.
    std::error_code ignored;
    if (const auto owner = beside.folder.owner(); owner && owner->made_by != beside.owner.made_by)
        fs::remove_all(beside.folder.path(), ignored);
    if (const int code = grade_class(*setup.grader, setup.entries, beside, display); code == exit_codes::cannot_create)
        return code;
    std::size_t changed = 0;
    for (const Entry& entry : setup.entries) {
        const auto before = read_record(folder.record(entry.name)), now = read_record(beside.folder.record(entry.name));
        if (!before || !now) continue;
        const std::string change = difference_of(known_mark(before->grade), known_mark(now->grade));
        if (change.empty()) continue;
        ++changed;
        const std::string reason = reason_of_change(before->grade, now->grade);
        display.results(fmt::format("{}: {}{}\n", entry.name, change, reason.empty() ? "" : "\n    " + reason));
    }
    display.results(fmt::format("{} of {} submissions have another mark\n", changed, setup.entries.size()));
    if (!accepts) {
        display.results(fmt::format("Nothing is changed yet. To change the marks:\n  cudash grade again {} --accept\n",
                                    shell_word(folder.path())));
        return changed ? 1 : 0;
    }
    for (const Entry& entry : setup.entries) {
        std::string why;
        const auto record = read_file(beside.folder.record(entry.name), why);
        if (record) why = shell::write_file(folder.record(entry.name), *record);
        if (!why.empty()) {
            display.messages(
                fmt::format("cudash: {}: {}\n  hint: the same command goes on from here\n", entry.name, why));
            return exit_codes::cannot_create;
        }
    }
    if (const std::string why = folder.write(setup.run.owner); !why.empty()) {
        display.messages(fmt::format("cudash: class.json can't be written: {}\n", why));
        return exit_codes::cannot_create;
    }
    fs::remove_all(beside.folder.path(), ignored);
    return 0;
}

}  // namespace cudash::grade
