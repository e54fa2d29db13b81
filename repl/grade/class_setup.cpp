#include "repl/grade/class_setup.h"

#include <fmt/format.h>

#include "repl/grade/names.h"
#include "repl/grade/record.h"

namespace cudash::grade {

Files files_of(const Assignment& assignment) {
    return assignment.checks.several_files ? Files::several : Files::one;
}

std::optional<Diagnostic> use_course(ClassRun& run, Grader& grader, const std::string& key, const std::string& course) {
    std::string key_path = key;
    if (!course.empty()) {
        std::vector<Diagnostic> problems;
        run.course = load_course(course, problems);
        if (!problems.empty()) return problems.front();
        run.owner.course = absolute_path(course);
        if (key_path.empty()) key_path = run.course->key;
    }
    if (key_path.empty()) return std::nullopt;
    const auto read = CourseKey::read(key_path);
    if (!read) return read.error();
    grader.use(*read);
    run.owner.key = absolute_path(key_path);
    run.owner.key_id = read->id();
    return std::nullopt;
}

Result<ClassSetup> reopen_class(const std::string& folder, const worker::Settings& worker) {
    const ClassFolder place(absolute_path(folder));
    const auto owner = place.owner();
    if (!owner) return owner.error();
    std::vector<Diagnostic> problems;
    Assignment assignment = load_assignment(owner->assignment, problems);
    if (!problems.empty()) return problems.front();
    std::string why;
    auto entries = find_submissions(owner->submissions, why, files_of(assignment));
    if (!entries)
        return error("no-submissions", fmt::format("{} can't be read: {}", shown_name(owner->submissions), why));
    const Format* format = find_format(owner->format);
    if (!format) return error("no-class", fmt::format("{} does not say in which form its results are", place.path()));
    ClassSetup setup{std::make_unique<Grader>(std::move(assignment), worker), std::move(*entries),
                     ClassRun{place, *owner, format, 1, {}, false, {}}};
    if (auto problem = use_course(setup.run, *setup.grader, owner->key, owner->course)) return *problem;
    setup.run.owner.made_by = owner_of(*setup.grader, owner->submissions).made_by;
    return setup;
}

ClassProgress progress_of(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run) {
    ClassProgress progress;
    progress.is_done.resize(entries.size());
    progress.has_mark.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const auto record = read_record(run.folder.record(entry.name));
        if (!record) continue;
        if (entry.refusal.empty()) {
            const ReadSubmission read = read_entry(run.owner.submissions, entry);
            if (read.text && record->fingerprint != fingerprint_of(grader, entry, *read.text)) continue;
        }
        progress.is_done[i] = 1;
        ++progress.done;
        progress.has_mark[i] = !record->grade.is_fault();
        progress.without_mark += record->grade.is_fault();
    }
    return progress;
}

}  // namespace cudash::grade
