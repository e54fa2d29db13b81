#include "repl/grade/class_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <tuple>

#include "repl/grade/read_file.h"
#include "repl/grade/results/summary.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr int exit_unavailable = 69, exit_cannot_create = 73;
constexpr std::size_t most_record = 16 << 20;

}  // namespace

std::vector<Entry> find_submissions(const std::string& folder) {
    std::vector<Entry> entries;
    std::error_code failed;
    const auto is_source = [](const fs::directory_entry& each) {
        std::error_code ignored;
        return each.path().extension() == ".cu" && !each.is_directory(ignored);
    };
    for (const auto& each : fs::directory_iterator(folder, failed)) {
        std::error_code ignored;
        if (is_source(each)) {
            entries.push_back({each.path().stem().string(), each.path().string()});
        } else if (each.is_directory(ignored) && !each.is_symlink(ignored)) {
            std::vector<std::string> inside;
            for (const auto& file : fs::directory_iterator(each.path(), ignored))
                if (is_source(file)) inside.push_back(file.path().string());
            std::ranges::sort(inside);
            for (const std::string& path : inside)
                entries.push_back({inside.size() == 1
                                       ? each.path().filename().string()
                                       : each.path().filename().string() + "." + fs::path(path).stem().string(),
                                   path});
        }
    }
    std::ranges::sort(
        entries, [](const Entry& a, const Entry& b) { return std::tie(a.name, a.path) < std::tie(b.name, b.path); });
    // anna.cu and anna/x.cu: each has results of its own.
    std::set<std::string> names;
    for (Entry& entry : entries) {
        const std::string name = entry.name;
        for (unsigned number = 2; !names.insert(entry.name).second; ++number)
            entry.name = fmt::format("{}-{}", name, number);
    }
    return entries;
}

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
        return exit_cannot_create;
    }
    std::vector<Grade> grades(entries.size());
    std::atomic<std::size_t> next = 0, done = 0, kept = 0;
    std::mutex mutex;
    std::string unwritten;
    const auto begin = std::chrono::steady_clock::now();

    const auto work = [&] {
        for (std::size_t i = next++; i < entries.size(); i = next++) {
            const Entry& entry = entries[i];
            const std::string record_path = (records / (entry.name + ".json")).string();
            const fs::path suffix = fs::path(run.format->file).extension();
            const std::string result_path = (results / (entry.name + suffix.string())).string();
            std::string why;
            const auto text = read_file(entry.path, why);
            bool fresh = true;
            std::string fingerprint;
            if (!text) {
                grades[i] = fault(grader.assignment().name, fs::path(entry.path).filename().string(),
                                  {error("unreadable", fmt::format("{} can't be read: {}", entry.path, why))});
            } else {
                const Submission submission{fs::path(entry.path).filename().string(), *text};
                fingerprint = grader.fingerprint(submission);
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
                display.messages(
                    fmt::format("[{}/{}] {}: {}\n", ++done, entries.size(), entry.name,
                                grades[i].end == Grade::End::grader_fault
                                    ? "no mark: the grader could not do its work"
                                    : points_text(grades[i].points()) + " of " + points_text(grades[i].max_points())));
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
        faults += grade.end == Grade::End::grader_fault;
    }
    const std::size_t made = entries.size() - kept;
    display.messages(fmt::format(
        "{} submissions, {} graded now in {:.1f} s ({:.1f} a second), {} without a mark, biggest worker {} MB\n",
        entries.size(), made, seconds, seconds > 0 ? static_cast<double>(made) / seconds : 0.0, faults, peak >> 20));
    if (!unwritten.empty()) {
        display.messages(fmt::format("cudash: can't be written: {}\n", unwritten));
        return exit_cannot_create;
    }
    return faults ? exit_unavailable : 0;
}

}  // namespace cudash::grade
