#include "repl/grade/class_setup.h"

#include <fmt/format.h>

#include <filesystem>

#include "repl/grade/names.h"
#include "repl/grade/record.h"

namespace cudash::grade {

namespace fs = std::filesystem;

Result<ClassSetup> reopen_class(const std::string& folder, const worker::Settings& worker) {
    const ClassFolder place(absolute_path(folder));
    const auto owner = place.owner();
    if (!owner) return owner.error();
    std::vector<Diagnostic> problems;
    Assignment assignment = load_assignment(owner->assignment, problems);
    if (!problems.empty()) return problems.front();
    std::string why;
    auto entries = find_submissions(owner->submissions, why);
    if (!entries)
        return error("no-submissions", fmt::format("{} can't be read: {}", shown_name(owner->submissions), why));
    const Format* format = find_format(owner->format);
    if (!format) return error("no-class", fmt::format("{} does not say in which form its results are", place.path()));
    ClassSetup setup{std::make_unique<Grader>(std::move(assignment), worker), std::move(*entries),
                     ClassRun{place, {}, format, 1, {}, false}};
    setup.run.owner = owner_of(*setup.grader, owner->submissions);
    setup.run.owner.format = owner->format;
    setup.run.owner.times = owner->times;
    return setup;
}

Progress progress_of(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run) {
    Progress progress;
    progress.is_done.resize(entries.size());
    progress.has_mark.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const auto record = read_record(run.folder.record(entry.name));
        if (!record) continue;
        if (entry.refusal.empty()) {
            const ReadSubmission read = read_submission(run.owner.submissions, entry.path);
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
