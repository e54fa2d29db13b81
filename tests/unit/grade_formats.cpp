// The forms of results, each against the shape that its platform publishes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "repl/grade/results/formats.h"
#include "repl/session/base64.h"

using namespace cudash;
using namespace cudash::grade;
using nlohmann::json;

namespace {

Grade example() {
    Grade grade;
    grade.assignment = "reverse";
    grade.submission = "a&b.cu";
    grade.tests.push_back({"compiles", Test::Status::passed, 1, 1, Visibility::visible, {}, {}, {}, {}, {}, {}, {}});
    grade.tests.push_back({"64 <numbers>",
                           Test::Status::failed,
                           1.5,
                           3,
                           Visibility::visible,
                           {"compiles"},
                           "2 of 4 elements of out are wrong",
                           "1 2\n",
                           "1 [3]\n",
                           "error[shared-race]: race\x01\n",
                           "\xff a barrier?",
                           "1"});
    grade.tests.push_back({"secret",
                           Test::Status::failed,
                           0,
                           2,
                           Visibility::hidden,
                           {},
                           "the seed is 7",
                           "secret seed is 7\n",
                           "got seed is 7\n",
                           {},
                           {},
                           "2"});
    grade.tests.push_back({"last",
                           Test::Status::skipped,
                           0,
                           1,
                           Visibility::visible,
                           {"secret"},
                           "it needs \"secret\"",
                           {},
                           {},
                           {},
                           {},
                           "2"});
    return grade;
}

Grade faulty() {
    Grade grade;
    grade.end = Grade::End::grader_fault;
    grade.assignment = "reverse";
    grade.submission = "a.cu";
    grade.fault = "assignment.toml:3: no such key\n";
    return grade;
}

json written(std::string (*format)(const Grade&, const FormatOptions&), const Grade& grade) {
    return json::parse(format(grade, {}));
}

/// Every member is one of `names`, each with its value's type.
void has_only(const json& object, const std::vector<std::pair<std::string, json::value_t>>& names) {
    for (const auto& [key, value] : object.items()) {
        const auto found =
            std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == key; });
        CAPTURE(key);
        REQUIRE(found != names.end());
        const bool number = found->second == json::value_t::number_float;
        CHECK((number ? value.is_number() : value.type() == found->second));
    }
}

using Type = json::value_t;

/// A parser of as much XML as JUnit files have: elements nest, attributes are quoted, nothing raw is left.
bool is_well_formed(std::string_view xml) {
    std::vector<std::string> open;
    for (std::size_t i = 0; i < xml.size();) {
        if (xml[i] != '<') {
            if (xml[i] == '&' && xml.substr(i, 8).find(';') == std::string_view::npos) return false;
            if (static_cast<unsigned char>(xml[i]) < 0x20 && xml[i] != '\n' && xml[i] != '\t') return false;
            ++i;
            continue;
        }
        const std::size_t end = xml.find('>', i);
        if (end == std::string_view::npos) return false;
        const std::string_view tag = xml.substr(i + 1, end - i - 1);
        i = end + 1;
        if (tag.starts_with('?')) continue;
        if (std::count(tag.begin(), tag.end(), '"') % 2 != 0 || tag.find('<') != std::string_view::npos) return false;
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1)) return false;
            open.pop_back();
        } else if (!tag.ends_with('/')) {
            open.emplace_back(tag.substr(0, tag.find(' ')));
        }
    }
    return open.empty();
}

}  // namespace

TEST_CASE("grade: points add up, and a skipped test passes nothing") {
    CHECK(example().points() == 2.5);
    CHECK(example().max_points() == 7);
    CHECK_FALSE(example().passed());
    Grade sum;
    for (int i = 0; i < 3; ++i)
        sum.tests.push_back({"", Test::Status::passed, 0.1, 0.1, {}, {}, {}, {}, {}, {}, {}, {}});
    CHECK(points_text(sum.points()) == "0.3");
    CHECK(sum.passed());
}

TEST_CASE("gradescope: members, visibility, no status but passed and failed") {
    const json out = written(as_gradescope, example());
    has_only(out, {{"score", Type::number_float},
                   {"output", Type::string},
                   {"output_format", Type::string},
                   {"visibility", Type::string},
                   {"stdout_visibility", Type::string},
                   {"tests", Type::array}});
    CHECK(out["score"] == 2.5);
    REQUIRE(out["tests"].size() == 4);
    for (const json& test : out["tests"]) {
        has_only(test, {{"score", Type::number_float},
                        {"max_score", Type::number_float},
                        {"status", Type::string},
                        {"name", Type::string},
                        {"name_format", Type::string},
                        {"number", Type::string},
                        {"output", Type::string},
                        {"output_format", Type::string},
                        {"tags", Type::array},
                        {"visibility", Type::string}});
        CHECK((test["status"] == "passed" || test["status"] == "failed"));
    }
    CHECK(out["tests"][2]["visibility"] == "hidden");
    CHECK(out["tests"][1]["output"].get<std::string>().find("came:") != std::string::npos);
    // Neither passed nor failed, and nothing to count.
    Grade skipped = example();
    skipped.tests.back().max_points = 0;
    const json last = written(as_gradescope, skipped)["tests"][3];
    CHECK_FALSE((last.contains("status") || last.contains("score") || last.contains("max_score")));
    CHECK(last["output"] == "it needs \"secret\"\n");
    // No score: the platform reports a failed autograder.
    const json fault = written(as_gradescope, faulty());
    CHECK_FALSE(fault.contains("score"));
    CHECK_FALSE(fault.contains("tests"));
    CHECK(fault["output"].get<std::string>().find("not a fault of the submission") != std::string::npos);
}

TEST_CASE("gradescope: a leaderboard of the numbers of submissions that are right") {
    Grade grade = example();
    CHECK_FALSE(written(as_gradescope, grade).contains("leaderboard"));
    for (Test& test : grade.tests) {
        test.leaderboard = "sectors of " + test.name;
        test.measured = 12.5;
        test.lower_is_better = true;
    }
    CHECK(written(as_gradescope, grade)["leaderboard"] ==
          json::parse(R"([{"name": "sectors of compiles", "value": 12.5, "order": "asc"}])"));
}

TEST_CASE("github classroom: base64 of one line, every test with a score") {
    const auto decode = [](const Grade& grade) {
        std::string text = as_github(grade, {});
        REQUIRE(text.find('\n') == text.size() - 1);
        text.pop_back();
        const auto bytes = session::from_base64(text);
        REQUIRE(bytes);
        return json::parse(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    };
    const json out = decode(example());
    has_only(out, {{"version", Type::number_float},
                   {"status", Type::string},
                   {"max_score", Type::number_float},
                   {"tests", Type::array}});
    CHECK(out["status"] == "fail");
    CHECK(out["max_score"] == 7);
    double sum = 0;
    for (const json& test : out["tests"]) {
        has_only(test, {{"name", Type::string},
                        {"status", Type::string},
                        {"score", Type::number_float},
                        {"message", Type::string},
                        {"test_code", Type::string},
                        {"filename", Type::string},
                        {"line_no", Type::number_float},
                        {"duration", Type::number_float}});
        sum += test["score"].get<double>();
    }
    CHECK(sum == 2.5);
    // All is shown to the student there.
    CHECK(out.dump().find("seed is 7") == std::string::npos);
    CHECK(decode(faulty())["status"] == "error");
}

TEST_CASE("check50: null for what was skipped, a cause for all that did not pass") {
    const json out = written(as_check50, example());
    has_only(out, {{"slug", Type::string}, {"version", Type::string}, {"results", Type::array}});
    for (const json& row : out["results"]) {
        for (const char* key : {"name", "description", "passed", "log", "cause", "data", "dependency"})
            CHECK(row.contains(key));
        CHECK(row.size() == 7);
        CHECK(row["cause"].is_null() == (row["passed"] == true));
    }
    CHECK(out["results"][3]["passed"].is_null());
    CHECK(out["results"][1]["dependency"] == "compiles");
    // Of several needs that which did not pass.
    Grade several = example();
    several.tests[3].needs = {"compiles", "secret"};
    const json row = written(as_check50, several)["results"][3];
    CHECK(row["dependency"] == "secret");
    CHECK(row["data"]["needs"] == json({"compiles", "secret"}));
    CHECK(out.dump().find("seed is 7") == std::string::npos);
    const json fault = written(as_check50, faulty());
    CHECK_FALSE(fault.contains("results"));
    has_only(fault["error"],
             {{"type", Type::string}, {"value", Type::string}, {"traceback", Type::array}, {"data", Type::object}});
}

TEST_CASE("exercism: version 3, tasks by number, a message where something is wrong") {
    const json out = written(as_exercism, example());
    CHECK(out["version"] == 3);
    CHECK(out["status"] == "fail");
    CHECK(out["message"].is_null());
    CHECK_FALSE(out["tests"][0].contains("task_id"));
    CHECK(out["tests"][1]["task_id"] == 1);
    CHECK(out["tests"][3]["task_id"] == 2);
    for (const json& test : out["tests"]) {
        CHECK((test["status"] == "pass" || test["status"] == "fail" || test["status"] == "error"));
        CHECK(test["message"].is_null() == (test["status"] == "pass"));
    }
    CHECK(out.dump().find("seed is 7") == std::string::npos);
    Grade with_code = example();
    for (Test& test : with_code.tests) test.code = "run(64);";
    CHECK(written(as_exercism, with_code)["tests"][1]["test_code"] == "run(64);");
    CHECK(written(as_exercism, with_code)["tests"][2]["test_code"] == "");
    CHECK(written(as_exercism, faulty())["status"] == "error");
}

TEST_CASE("junit: well formed, with counts, points as properties, and at most one verdict a test") {
    const std::string xml = as_junit(example(), {});
    CHECK(is_well_formed(xml));
    // The hidden test is a sum of points, and nothing else.
    CHECK(xml.find("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0\"") != std::string::npos);
    CHECK(xml.find("secret") == std::string::npos);
    CHECK(xml.find("<property name=\"points: hidden tests\" value=\"0/2\"/>") != std::string::npos);
    CHECK(xml.find("<skipped message=\"it needs a test that is hidden\"/>") != std::string::npos);
    CHECK(xml.find("<property name=\"points\" value=\"2.5\"/>") != std::string::npos);
    CHECK(xml.find("64 &lt;numbers&gt;") != std::string::npos);
    CHECK(as_junit(example(), {true}).find("time=\"0.000\"") != std::string::npos);
    const std::string fault = as_junit(faulty(), {});
    CHECK(is_well_formed(fault));
    CHECK(fault.find("errors=\"1\"") != std::string::npos);
    CHECK_FALSE(is_well_formed("<a><b></a>"));
    CHECK_FALSE(is_well_formed("<a>\x01</a>"));
}

TEST_CASE("json and text: all that is known, and whose fault it was") {
    const json out = written(as_json, example());
    CHECK(out["points"] == 2.5);
    CHECK(out["tests"][2]["reason"] == "the seed is 7");
    CHECK(written(as_json, faulty())["points"].is_null());
    CHECK(as_text(example(), {}).starts_with("a&b.cu: 2.5 of 7 points for reverse\n"));
    CHECK(as_text(faulty(), {}).find("not a fault of the submission") != std::string::npos);
}

TEST_CASE("formats: the same bytes twice, each with a name of its own") {
    for (const Format& format : formats()) {
        CAPTURE(format.name);
        CHECK(format.write(example(), {}) == format.write(example(), {}));
        CHECK(find_format(format.name) == &format);
    }
    CHECK(find_format("nosuch") == nullptr);
}
