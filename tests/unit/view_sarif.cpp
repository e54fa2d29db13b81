// SARIF 2.1.0: what its schema and its readers ask of a log.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "repl/view/sarif.h"

using namespace cudash;
using Json = nlohmann::json;

namespace {

/// The rules of the format that our members fall under (sections of the standard).
void check_log(const Json& log) {
    CHECK(log.at("version") == "2.1.0");  // 3.13.2
    REQUIRE(log.at("runs").size() == 1);  // 3.13.4
    const Json& run = log["runs"][0];
    const Json& driver = run.at("tool").at("driver");           // 3.14.6, 3.18.2
    CHECK_FALSE(driver.at("name").get<std::string>().empty());  // 3.19.8
    const Json& rules = driver.at("rules");
    for (std::size_t i = 0; i < rules.size(); ++i)
        for (std::size_t k = i + 1; k < rules.size(); ++k) CHECK(rules[i].at("id") != rules[k].at("id"));  // 3.19.23
    for (const Json& result : run.at("results")) {
        CHECK_FALSE(result.at("message").at("text").get<std::string>().empty());                     // 3.27.11
        CHECK(rules.at(result.at("ruleIndex").get<std::size_t>()).at("id") == result.at("ruleId"));  // 3.27.6
        const std::string level = result.at("level");
        CHECK((level == "none" || level == "note" || level == "warning" || level == "error"));  // 3.27.10
        CHECK(result.at("locations").is_array());
        std::vector<Json> locations(result["locations"].begin(), result["locations"].end());
        if (result.contains("relatedLocations"))
            locations.insert(locations.end(), result["relatedLocations"].begin(), result["relatedLocations"].end());
        for (const Json& location : locations) {
            if (!location.contains("physicalLocation")) continue;
            const Json& physical = location["physicalLocation"];
            const std::string uri = physical.at("artifactLocation").at("uri");  // 3.4.3: RFC 3986
            CHECK(uri.find_first_of(" <>\"\\^`{|}") == std::string::npos);
            if (!physical.contains("region")) continue;
            CHECK(physical["region"].at("startLine").get<int>() >= 1);  // 3.30.5
            if (physical["region"].contains("startColumn")) CHECK(physical["region"]["startColumn"].get<int>() >= 1);
        }
        if (result.contains("occurrenceCount")) CHECK(result["occurrenceCount"].get<int>() >= 1);  // 3.27.19
    }
}

Json log_of(const std::vector<Diagnostic>& findings, int code = 1) {
    const view::SourceLines lines = [](std::string_view, unsigned) { return std::optional<std::string>("é𝄞 x;"); };
    return Json::parse(view::sarif_of(findings, lines, code, "1.2.3"));
}

}  // namespace

TEST_CASE("sarif: findings of kernels and of the compiler") {
    Diagnostic race = error("shared-race", "two threads meet", "call __syncthreads()");
    race.where = {"my file.cu", 7, 0};
    race.thread = ThreadSpot{"k", {1, 0, 0}, {2, 0, 0}};
    race.notes.push_back({"the other one is here", {"/abs/part.cuh", 3, 1}});
    race.notes.push_back({"3 more times at this line", {}});
    Diagnostic message = error("", "expected ';'");
    message.where = {"a.cu", 2, 8};  // behind a character of two bytes and one of four
    Diagnostic nowhere = error("shared-race", "again");
    const Json log = log_of({race, message, nowhere});
    check_log(log);
    const Json& run = log["runs"][0];
    REQUIRE(run["results"].size() == 3);
    CHECK(run["tool"]["driver"]["rules"].size() == 2);
    const Json& first = run["results"][0];
    CHECK(first["ruleId"] == "shared-race");
    CHECK(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "my%20file.cu");
    CHECK(first["locations"][0]["physicalLocation"]["region"]["startLine"] == 7);
    CHECK(first["locations"][0]["logicalLocations"][0]["name"] == "k");
    CHECK(first["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///abs/part.cuh");
    CHECK(first["occurrenceCount"] == 4);
    CHECK(run["results"][1]["ruleId"] == "compiler");
    CHECK(run["results"][1]["locations"][0]["physicalLocation"]["region"]["startColumn"] == 5);
    CHECK(run["results"][2]["locations"].empty());
    CHECK(run["invocations"][0]["executionSuccessful"] == false);
}

TEST_CASE("sarif: a run without findings is a log, too, and bytes that are no text do no harm") {
    const Json empty = log_of({}, 0);
    check_log(empty);
    CHECK(empty["runs"][0]["results"].is_array());
    CHECK(empty["runs"][0]["invocations"][0]["executionSuccessful"] == true);
    Diagnostic foul = error("oob-write", "\xff\xfe<script>", "\x01");
    foul.where = {"\xff.cu", 1, 1};
    check_log(log_of({foul}));
}
