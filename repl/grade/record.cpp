#include "repl/grade/record.h"

#include <algorithm>

#include "repl/grade/read_file.h"
#include "repl/grade/results/formats.h"
#include "repl/json.h"

namespace cudash::grade {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_record = 16 << 20;

}  // namespace

std::string to_record(const Grade& grade, const std::string& fingerprint) {
    json record = parse_ordered_json(as_json(grade, {.times = true}));
    record["fingerprint"] = fingerprint;
    return json_text(record, 1) + "\n";
}

std::optional<Record> from_record(const std::string& text) {
    try {
        const json record = parse_ordered_json(text);
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
            test.code = row.at("code");
            if (!row.contains("leaderboard")) continue;
            const json& shown = row.at("leaderboard");
            test.leaderboard = shown.at("name");
            test.measured = shown.at("value").get<double>();
            test.lower_is_better = shown.at("order") == "asc";
        }
        return result;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

std::optional<Record> read_record(const std::string& path) {
    std::string ignored;
    const auto text = read_file(path, ignored, most_record);
    return text ? from_record(*text) : std::nullopt;
}

}  // namespace cudash::grade
