#include "repl/view/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "repl/json.h"
#include "repl/view/markup.h"
#include "repl/view/places.h"
#include "runtime_wrappers/explanations.h"
#include "runtime_wrappers/folded.h"

namespace cudash::view {
namespace {

using Json = nlohmann::ordered_json;

struct Level {
    Diagnostic::Severity severity;
    std::string_view name;  ///< SARIF 3.27.10
};
constexpr Level levels[] = {{Diagnostic::Severity::note, "note"},
                            {Diagnostic::Severity::warning, "warning"},
                            {Diagnostic::Severity::error, "error"}};

/// Messages of the compiler have no code of ours.
constexpr std::string_view compiler_rule = "compiler";

/// A URI reference (RFC 3986): relative to the folder of the run, or of a file anywhere.
std::string uri_of(std::string_view path) {
    constexpr std::string_view kept = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        if (kept.find(c) != std::string_view::npos)
            uri += c;
        else
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
}

/// From bytes of UTF-8 before a column to units of UTF-16.
std::size_t units_before(std::string_view line, unsigned column) {
    std::size_t units = 0;
    std::string_view before = line.substr(0, column - 1);
    while (!before.empty()) {
        const std::size_t length = length_of_character(before);
        units += length == 4 ? 2 : 1;
        before.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return units;
}

Json location_of(const SourceSpot& where, const SourceLines& lines) {
    Json physical{{"artifactLocation", {{"uri", uri_of(where.file)}}}};
    if (!where.file.starts_with('/')) physical["artifactLocation"]["uriBaseId"] = "%SRCROOT%";
    if (where.line != 0) {
        Json region{{"startLine", where.line}};
        if (where.column != 0) {
            const auto line = lines ? lines(where.file, where.line) : std::nullopt;
            region["startColumn"] = line ? units_before(*line, where.column) + 1 : where.column;
        }
        physical["region"] = std::move(region);
    }
    return {{"physicalLocation", std::move(physical)}};
}

std::string rule_of(const Diagnostic& finding) {
    return finding.code.empty() ? std::string(compiler_rule) : finding.code;
}

Json rule_json(const std::string& id) {
    Json rule{{"id", id}};
    if (id == compiler_rule) {
        rule["shortDescription"] = {{"text", "a message of the C++ compiler"}};
        return rule;
    }
    if (const Explanation* page = find_explanation(id)) {
        rule["shortDescription"] = {{"text", std::string(page->title)}};
        rule["help"] = {{"text", fmt::format("`cudash explain {}` shows an example.", id)}};
    }
    return rule;
}

Json result_of(const Diagnostic& finding, std::size_t rule, const SourceLines& lines) {
    const auto* level = std::ranges::find(levels, finding.severity, &Level::severity);
    std::string text = finding.message;
    if (!finding.hint.empty()) text += "\nhint: " + finding.hint;
    Json result{
        {"ruleId", rule_of(finding)}, {"ruleIndex", rule}, {"level", level->name}, {"message", {{"text", text}}}};
    Json location = Json::object();
    if (!finding.where.file.empty()) location = location_of(finding.where, lines);
    if (finding.thread) {
        if (!finding.thread->kernel.empty())
            location["logicalLocations"] = {{{"name", finding.thread->kernel}, {"kind", "function"}}};
        result["properties"] = {{"block", dim(finding.thread->block)}, {"thread", dim(finding.thread->thread)}};
    }
    result["locations"] = Json::array();
    if (!location.empty()) result["locations"].push_back(std::move(location));
    Json related = Json::array();
    for (const Diagnostic::Note& note : finding.notes) {
        Json each = note.where.file.empty() ? Json::object() : location_of(note.where, lines);
        each["id"] = related.size();
        each["message"] = {{"text", note.message}};
        related.push_back(std::move(each));
    }
    if (!related.empty()) result["relatedLocations"] = std::move(related);
    if (const auto count = times_found(finding); count > 1) result["occurrenceCount"] = count;
    return result;
}

}  // namespace

std::string sarif_of(const std::vector<Diagnostic>& findings, const SourceLines& lines, int code,
                     std::string_view version) {
    std::map<std::string, std::size_t> indices;
    Json rules = Json::array(), results = Json::array();
    for (const Diagnostic& finding : findings) {
        const auto [row, is_new] = indices.try_emplace(rule_of(finding), rules.size());
        if (is_new) rules.push_back(rule_json(row->first));
        results.push_back(result_of(finding, row->second, lines));
    }
    const Json driver{{"name", "cudash"}, {"semanticVersion", version}, {"rules", std::move(rules)}};
    Json run{{"tool", {{"driver", driver}}},
             {"columnKind", "utf16CodeUnits"},
             {"invocations", Json::array({{{"executionSuccessful", code == 0}, {"exitCode", code}}})},
             {"results", std::move(results)}};
    const Json log{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({std::move(run)})}};
    return json_text(log, 1) + "\n";
}

}  // namespace cudash::view
