#include "repl/grade/class_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <tuple>

#include "repl/exit_codes.h"
#include "repl/grade/names.h"
#include "repl/grade/read_file.h"
#include "repl/grade/results/summary.h"
#include "repl/shell/write_file.h"
#include "repl/worker/unique_fd.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr std::size_t most_record = 16 << 20;
constexpr std::string_view owner_file = "class.json";

std::string absolute(const std::string& path) {
    std::error_code ignored;
    return fs::weakly_canonical(path, ignored).string();
}

/// Whose results a folder has. Empty: they are this class's from now on, or were before.
std::string take_folder(const std::string& output, const std::string& assignment, const std::string& submissions) {
    const std::string path = (fs::path(output) / owner_file).string();
    std::string why;
    const auto text = read_file(path, why);
    if (!text) {
        const json owner = {{"assignment", assignment}, {"submissions", submissions}};
        const std::string problem =
            shell::write_file(path, owner.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
        return problem.empty() ? "" : fmt::format("{} can't be written: {}", path, problem);
    }
    const json owner = json::parse(*text, nullptr, false);
    const auto is = [&](const char* key, const std::string& wanted) {
        return owner.is_object() && owner.contains(key) && owner[key] == wanted;
    };
    if (is("assignment", assignment) && is("submissions", submissions)) return {};
    const auto name = [&](const char* key) {
        return owner.is_object() && owner.contains(key) && owner[key].is_string()
                   ? shown_name(owner[key].get<std::string>())
                   : "?";
    };
    return fmt::format("{} has the results of the submissions in {} to the assignment {}", output, name("submissions"),
                       name("assignment"));
}

/// Nobody else writes there meanwhile. Not set: somebody does.
worker::UniqueFd lock_folder(const std::string& output) {
    worker::UniqueFd file(open(output.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file && flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
    return file;
}

}  // namespace

std::string to_record(const Grade& grade, const std::string& fingerprint) {
    json record = json::parse(as_json(grade, {.times = true}));
    record["fingerprint"] = fingerprint;
    return record.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<Record> from_record(const std::string& text) {
    try {
        const json record = json::parse(text);
        Record result;
        result.fingerprint = record.at("fingerprint");
        Grade& grade = result.grade;
        grade.assignment = record.at("assignment");
        grade.submission = record.at("submission");
        grade.reply = record.at("reply");
        grade.milliseconds = record.at("milliseconds");
        grade.peak_memory = record.at("peak_memory");
        if (record.at("status") == "grader_fault") {
            grade.end = Grade::End::grader_fault;
            grade.fault = record.at("fault");
        }
        for (const json& row : record.at("tests")) {
            Test& test = grade.tests.emplace_back();
            test.name = row.at("name");
            const auto status = std::ranges::find(status_names, row.at("status").get<std::string>());
            const auto visibility = std::ranges::find(visibility_names, row.at("visibility").get<std::string>());
            if (status == status_names.end() || visibility == visibility_names.end()) return std::nullopt;
            test.status = static_cast<Test::Status>(status - status_names.begin());
            test.visibility = static_cast<Visibility>(visibility - visibility_names.begin());
            test.points = row.at("points");
            test.max_points = row.at("max_points");
            test.task = row.at("task");
            test.needs = row.at("needs").get<std::vector<std::string>>();
            test.reason = row.at("reason");
            test.expected = row.at("expected");
            test.actual = row.at("actual");
            test.findings = row.at("findings");
            test.why = row.at("why");
        }
        return result;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

int grade_class(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run,
                const view::Display& display) {
    const fs::path records = fs::path(run.output) / "records", results = fs::path(run.output) / "results";
    std::error_code failed;
    fs::create_directories(records, failed);
    if (!failed) fs::create_directories(results, failed);
    if (failed) {
        display.messages(fmt::format("cudash: {} can't be made: {}\n", run.output, failed.message()));
        return exit_codes::cannot_create;
    }
    const worker::UniqueFd lock = lock_folder(run.output);
    if (!lock) {
        display.messages(fmt::format("cudash: another grader writes to {}\n", run.output));
        return exit_codes::cannot_create;
    }
    const std::string assignment = absolute(grader.assignment().folder), submissions = absolute(run.submissions);
    if (const std::string problem = take_folder(run.output, assignment, submissions); !problem.empty()) {
        display.messages(fmt::format("cudash: {}\n  hint: give another folder with --output\n", problem));
        return exit_codes::cannot_create;
    }
    std::vector<Grade> grades(entries.size());
    std::atomic<std::size_t> next = 0, done = 0, kept = 0;
    std::mutex mutex;
    std::string unwritten;
    const auto begin = std::chrono::steady_clock::now();

    const auto work = [&] {
        for (std::size_t i = next++; i < entries.size(); i = next++) {
            const Entry& entry = entries[i];
            const std::string record_path = (records / (file_name(entry.name) + ".json")).string();
            const fs::path suffix = fs::path(run.format->file).extension();
            const std::string result_path = (results / (file_name(entry.name) + suffix.string())).string();
            const std::string shown = shown_name(fs::path(entry.path).filename().string());
            ReadSubmission read;
            if (entry.refusal.empty()) read = read_submission(run.submissions, entry.path);
            const std::string& refusal = entry.refusal.empty() ? read.refusal : entry.refusal;
            bool fresh = true;
            std::string fingerprint;
            if (!refusal.empty()) {
                grades[i] = grader.refuse(shown, refusal);
            } else if (!read.text) {
                grades[i] = fault(
                    grader.assignment().name, shown,
                    {error("unreadable", fmt::format("{} can't be read: {}", shown_name(entry.path), read.failure))});
            } else {
                const Submission submission{fs::path(entry.path).filename().string(), std::move(*read.text)};
                // The entry's name is in it: nobody gets what another was given.
                fingerprint = grader.fingerprint({entry.name + "/" + submission.name, submission.text});
                std::string ignored;
                const auto stored = read_file(record_path, ignored, most_record);
                auto record = stored ? from_record(*stored) : std::nullopt;
                if (record && record->fingerprint == fingerprint && record->grade.end == Grade::End::graded) {
                    grades[i] = std::move(record->grade);
                    fresh = false;
                    ++kept;
                } else {
                    grades[i] = grader.grade(submission);
                }
            }
            std::string problem = fresh ? shell::write_file(record_path, to_record(grades[i], fingerprint)) : "";
            if (problem.empty()) problem = shell::write_file(result_path, run.format->write(grades[i], run.options));
            const std::lock_guard lock(mutex);
            if (!problem.empty() && unwritten.empty()) unwritten = fmt::format("{}: {}", result_path, problem);
            if (fresh)
                display.messages(fmt::format("[{}/{}] {}: {}\n", ++done, entries.size(), entry.name,
                                             grades[i].is_fault() ? "no mark: the grader could not do its work"
                                                                  : points_text(grades[i].points()) + " of " +
                                                                        points_text(grades[i].max_points())));
            else
                ++done;
        }
    };
    {
        std::vector<std::jthread> threads;
        for (unsigned k = 0; k < std::max(1u, run.jobs); ++k) threads.emplace_back(work);
    }
    std::vector<std::string> names;
    for (const Entry& entry : entries) names.push_back(entry.name);
    const std::pair<const char*, std::string> summaries[] = {{"summary.csv", as_csv(names, grades)},
                                                             {"summary.html", as_html(names, grades)}};
    for (const auto& [name, text] : summaries) {
        const std::string path = (fs::path(run.output) / name).string();
        if (const std::string problem = shell::write_file(path, text); !problem.empty() && unwritten.empty())
            unwritten = fmt::format("{}: {}", path, problem);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::uint64_t peak = 0, faults = 0;
    for (const Grade& grade : grades) {
        peak = std::max(peak, grade.peak_memory);
        faults += grade.is_fault();
    }
    const std::size_t made = entries.size() - kept;
    display.messages(fmt::format(
        "{} submissions, {} graded now in {:.1f} s ({:.1f} a second), {} without a mark, biggest worker {} MB\n",
        entries.size(), made, seconds, seconds > 0 ? static_cast<double>(made) / seconds : 0.0, faults, peak >> 20));
    if (!unwritten.empty()) {
        display.messages(fmt::format("cudash: can't be written: {}\n", unwritten));
        return exit_codes::cannot_create;
    }
    return faults ? exit_codes::unavailable : 0;
}

}  // namespace cudash::grade
