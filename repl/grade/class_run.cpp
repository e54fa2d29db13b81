#include "repl/grade/class_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "repl/exit_codes.h"
#include "repl/grade/names.h"
#include "repl/grade/record.h"
#include "repl/grade/results/summary.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_named = 5;

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
    /// The grade of one submission: kept, made, or found missing.
    void settle(std::size_t index) {
        const Entry& entry = entries_[index];
        Grade& grade = grades_[index];
        const std::string record_path = run_.folder.record(entry.name);
        const std::string shown = shown_name(fs::path(entry.path).filename().string());
        ReadSubmission read;
        if (entry.refusal.empty()) read = read_submission(run_.owner.submissions, entry.path);
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
            const Submission submission{fs::path(entry.path).filename().string(), std::move(*read.text)};
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
                grade = grader_.grade(submission);
            }
        }
        std::string problem = fresh ? shell::write_file(record_path, to_record(grade, fingerprint)) : "";
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
            if (missing_[i] && ++count <= most_named) names += (names.empty() ? "" : ", ") + entries_[i].name;
        display_.messages(fmt::format(
            "cudash: {} of {} submissions have no record that fits them: {}{}\n  hint: run the missing shards again, "
            "or grade what is missing here: cudash grade {} {} --output {}\n",
            count, entries_.size(), names, count > most_named ? ", ..." : "", shell_word(run_.owner.assignment),
            shell_word(run_.owner.submissions), shell_word(run_.folder.path())));
        return exit_codes::unavailable;
    }

    void write_summaries() {
        std::vector<std::string> names;
        for (const Entry& entry : entries_) names.push_back(entry.name);
        const std::pair<const char*, std::string> summaries[] = {{"summary.csv", as_csv(names, grades_)},
                                                                 {"summary.html", as_html(names, grades_)}};
        for (const auto& [name, text] : summaries) {
            const std::string path = run_.folder.file(name);
            if (const std::string problem = shell::write_file(path, text); !problem.empty() && unwritten_.empty())
                unwritten_ = fmt::format("{}: {}", path, problem);
        }
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
    std::vector<Grade> grades_;
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
    return grader.fingerprint({entry.name + "/" + fs::path(entry.path).filename().string(), text});
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
    if (const auto problem = run.folder.take(run.owner)) return refuse(*problem);
    return Class(grader, entries, run, display).run();
}

}  // namespace cudash::grade
