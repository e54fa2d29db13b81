#include "repl/grade/class_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "repl/exit_codes.h"
#include "repl/grade/audit.h"
#include "repl/grade/course/standing.h"
#include "repl/grade/human_marks.h"
#include "repl/grade/names.h"
#include "repl/grade/read_file.h"
#include "repl/grade/record.h"
#include "repl/grade/results/summary.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_named_missing = 5;

class Class {
public:
    Class(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run, const view::Display& display)
        : grader_(grader), entries_(entries), run_(run), display_(display) {
        const auto [first, last] =
            run.shard ? run.shard->range(entries.size()) : std::pair(std::size_t{0}, entries.size());
        next_ = first_ = first;
        last_ = last;
        grades_.resize(entries.size());
        missing_.resize(entries.size());
        const auto suffix = fs::path(run.format->file).extension();
        suffix_ = suffix.string();
    }

    int run() {
        if (const int code = read_marks()) return code;
        const auto begin = std::chrono::steady_clock::now();
        {
            std::vector<std::jthread> threads;
            for (unsigned k = 0; k < std::max(1u, run_.jobs); ++k)
                threads.emplace_back([this] {
                    for (std::size_t i = next_++; i < last_; i = next_++) settle(i);
                });
        }
        if (std::ranges::find(missing_, 1) != missing_.end()) return tell_missing();
        if (!run_.shard) write_summaries();
        tell(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        if (!unwritten_.empty()) {
            display_.messages(fmt::format("cudash: can't be written: {}\n", unwritten_));
            return exit_codes::cannot_create;
        }
        return faults() ? exit_codes::unavailable : 0;
    }

private:
    /// What people have marked. A mistake there stops all: no mark is written that ignores it.
    int read_marks() {
        const std::string path = run_.folder.file("marks.toml");
        std::string why;
        std::error_code ignored;
        if (!fs::exists(path, ignored)) return 0;
        const auto text = read_file(path, why);
        std::vector<Diagnostic> problems;
        if (text)
            marks_ = parse_human_marks(path, *text, grader_.assignment().checks, names(), problems);
        else
            problems.push_back(error("bad-marks", fmt::format("{} can't be read: {}", path, why)));
        for (const Diagnostic& problem : problems) display_.show(problem, {});
        return problems.empty() ? 0 : exit_codes::unavailable;
    }

    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const Entry& entry : entries_) names.push_back(entry.name);
        return names;
    }

    /// The grade of one submission: kept, made, or found missing.
    void settle(std::size_t index) {
        const Entry& entry = entries_[index];
        Grade& grade = grades_[index];
        const std::string record_path = run_.folder.record(entry.name);
        const std::string shown = shown_name(entry.file_name());
        ReadSubmission read;
        if (entry.refusal.empty()) read = read_entry(run_.owner.submissions, entry);
        const std::string& refusal = entry.refusal.empty() ? read.refusal : entry.refusal;
        bool fresh = true;
        std::string fingerprint;
        if (!refusal.empty()) {
            grade = grader_.refuse(shown, refusal);
        } else if (!read.text) {
            grade =
                fault(grader_.assignment().name, shown,
                      {error("unreadable", fmt::format("{} can't be read: {}", shown_name(entry.path), read.failure))});
        } else {
            const Submission submission{entry.file_name(), std::move(*read.text)};
            fingerprint = fingerprint_of(grader_, entry, submission.text);
            auto record = read_record(record_path);
            const bool fits = record && record->fingerprint == fingerprint;
            if (fits && (run_.merges || record->grade.end == Grade::End::graded)) {
                grade = std::move(record->grade);
                fresh = false;
                ++kept_;
            } else if (run_.merges) {
                missing_[index] = 1;
                return;
            } else {
                grade = grader_.grade(submission, student_of(entry.name));
            }
        }
        std::string problem = fresh ? shell::write_file(record_path, to_record(grade, fingerprint)) : "";
        grade = marks_.apply(grade, entry.name, grader_.assignment().checks.rubric);
        const std::string result_path = run_.folder.result(entry.name, suffix_);
        if (problem.empty()) problem = shell::write_file(result_path, run_.format->write(grade, {run_.owner.times}));
        const std::lock_guard lock(mutex_);
        if (!problem.empty() && unwritten_.empty()) unwritten_ = fmt::format("{}: {}", result_path, problem);
        ++done_;
        if (fresh && !run_.merges)
            display_.messages(
                fmt::format("[{}/{}] {}: {}\n", done_, last_ - first_, entry.name,
                            grade.is_fault() ? "no mark: the grader could not do its work"
                                             : points_text(grade.points()) + " of " + points_text(grade.max_points())));
    }

    int tell_missing() {
        std::string names;
        std::size_t count = 0;
        for (std::size_t i = 0; i < entries_.size(); ++i)
            if (missing_[i] && ++count <= most_named_missing) names += (names.empty() ? "" : ", ") + entries_[i].name;
        display_.messages(fmt::format(
            "cudash: {} of {} submissions have no record that fits them: {}{}\n  hint: run the missing shards again, "
            "or grade what is missing here: cudash grade {} {} --output {}\n",
            count, entries_.size(), names, count > most_named_missing ? ", ..." : "", shell_word(run_.owner.assignment),
            shell_word(run_.owner.submissions), shell_word(run_.folder.path())));
        return exit_codes::unavailable;
    }

    void write_summaries() {
        const std::vector<std::string> all = names();
        std::vector<std::pair<const char*, std::string>> summaries = {{"summary.csv", as_csv(all, grades_)},
                                                                      {"summary.html", as_html(all, grades_)}};
        if (run_.course) add_course(summaries);
        for (const auto& [name, text] : summaries) {
            const std::string path = run_.folder.file(name);
            if (const std::string problem = shell::write_file(path, text); !problem.empty() && unwritten_.empty())
                unwritten_ = fmt::format("{}: {}", path, problem);
        }
        if (const std::string problem = keep_account(run_.folder, all, grades_); !problem.empty() && unwritten_.empty())
            unwritten_ = problem;
    }

    /// Each student's points, and the tables that gradebooks read.
    void add_course(std::vector<std::pair<const char*, std::string>>& summaries) {
        std::vector<HandIn> hand_ins;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const auto moment = moment_of(entries_[i].name);
            hand_ins.push_back({entries_[i].name, moment ? *moment : last_change(i), grades_[i]});
        }
        const std::vector<Standing> all = standings(*run_.course, hand_ins);
        const std::string& title = grader_.assignment().checks.title;
        summaries.emplace_back("course.csv", as_course_csv(all, run_.course->deadline.has_value()));
        summaries.emplace_back("canvas.csv", as_canvas_csv(all, title));
        summaries.emplace_back("moodle.csv", as_moodle_csv(all, title));
        std::string strangers;
        std::size_t missing = 0;
        for (const Standing& each : all) {
            missing += each.entry.empty();
            if (!each.is_on_roster) strangers += (strangers.empty() ? "" : ", ") + each.student.id;
        }
        if (missing) display_.messages(fmt::format("{} students handed in nothing\n", missing));
        if (!strangers.empty()) display_.messages(fmt::format("not on the roster: {}\n", strangers));
    }

    /// Of a submission's files, in seconds since 1970.
    std::int64_t last_change(std::size_t index) const {
        const Entry& entry = entries_[index];
        std::int64_t last = 0;
        std::vector<std::string> files = entry.files;
        files.push_back(entry.path);
        for (const std::string& file : files) {
            struct stat status {};
            if (lstat((fs::path(run_.owner.submissions) / file).c_str(), &status) == 0 && S_ISREG(status.st_mode))
                last = std::max<std::int64_t>(last, status.st_mtim.tv_sec);
        }
        return last;
    }

    std::size_t faults() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(grades_, [](const Grade& grade) { return grade.is_fault(); }));
    }

    void tell(double seconds) const {
        std::uint64_t peak = 0;
        for (const Grade& grade : grades_) peak = std::max(peak, grade.peak_memory);
        const std::size_t all = last_ - first_, made = all - kept_;
        if (run_.merges)
            display_.messages(fmt::format("{} submissions, {} without a mark\n", all, faults()));
        else
            display_.messages(fmt::format(
                "{} submissions, {} graded now in {:.1f} s ({:.1f} a second), {} without a mark, biggest worker {} "
                "MB\n",
                all, made, seconds, seconds > 0 ? static_cast<double>(made) / seconds : 0.0, faults(), peak >> 20));
    }

    const Grader& grader_;
    const std::vector<Entry>& entries_;
    const ClassRun& run_;
    const view::Display& display_;
    HumanMarks marks_;
    std::vector<Grade> grades_;  ///< with what people have marked
    std::vector<char> missing_;  ///< for each entry; not bool: threads write side by side
    std::size_t first_ = 0, last_ = 0, done_ = 0;
    std::atomic<std::size_t> next_ = 0, kept_ = 0;
    std::mutex mutex_;
    std::string suffix_, unwritten_;
};

}  // namespace

ClassOwner owner_of(const Grader& grader, const std::string& submissions) {
    ClassOwner owner;
    owner.assignment = absolute_path(grader.assignment().folder);
    owner.submissions = absolute_path(submissions);
    owner.made_by = text_of(grader.assignment().content);
    return owner;
}

std::string fingerprint_of(const Grader& grader, const Entry& entry, const std::string& text) {
    return grader.fingerprint({entry.name + "/" + entry.file_name(), text}, student_of(entry.name));
}

int grade_class(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run,
                const view::Display& display) {
    const auto refuse = [&](const Diagnostic& problem) {
        display.messages(fmt::format("cudash: {}\n", problem.message));
        if (!problem.hint.empty()) display.messages(fmt::format("  hint: {}\n", problem.hint));
        return exit_codes::cannot_create;
    };
    if (const std::string problem = run.folder.make(); !problem.empty()) return refuse(error("unwritable", problem));
    const auto lock = run.folder.lock(run.shard ? ClassFolder::Use::together : ClassFolder::Use::alone);
    if (!lock) return refuse(lock.error());
    if (!run.shard) run.folder.remove_unfinished(*lock);
    if (const auto problem = run.folder.take(run.owner)) return refuse(*problem);
    return Class(grader, entries, run, display).run();
}

}  // namespace cudash::grade
