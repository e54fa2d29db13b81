#include <doctest/doctest.h>

#include "repl/grade/check_runner.h"
#include "repl/grade/checks.h"
#include "repl/grade/pattern.h"
#include "repl/grade/replies.h"
#include "repl/grade/report_text.h"

using namespace cudash;
using namespace cudash::grade;

namespace {

std::vector<Diagnostic> problems_of(const std::string& text) {
    std::vector<Diagnostic> problems;
    parse_checks("checks.toml", text, problems);
    return problems;
}

/// Line and message of the only problem.
std::string problem_of(const std::string& text) {
    const auto problems = problems_of(text);
    REQUIRE(problems.size() == 1);
    std::string result = std::to_string(problems[0].where.line) + ": " + problems[0].message;
    if (!problems[0].hint.empty()) result += " | " + problems[0].hint;
    return result;
}

/// With the fake session, whose cells print what their numbers are.
Report run(const std::string& toml, const std::string& submission) {
    std::vector<Diagnostic> problems;
    const Checks checks = parse_checks("checks.toml", toml, problems);
    REQUIRE(problems.empty());
    RunSettings settings;
    settings.worker.program = CUDASH_FAKE;
    return run_checks(checks, {"file.cu", submission}, settings);
}

const std::string good = "[[check]]\nname = 'a'\ncell = '1'\noutput = '(int) 1'\n";

}  // namespace

TEST_CASE("checks: what is wrong with a file is told by line, with what was meant") {
    CHECK(problems_of(good).empty());
    CHECK(problem_of("[[check]]\nname = 'a'\ncel = '1'\nfindings = []\n") ==
          "3: there is no key `cel` here | did you mean `cell`?");
    CHECK(problem_of("a = \n").starts_with("1: this is not TOML"));
    CHECK(problem_of("timeout = 0\n" + good) == "1: `timeout` is in seconds, above 0 and at most 600");
    CHECK(problem_of("timeout = 'x'\n" + good) == "1: `timeout` must be a number");
    CHECK(problem_of("checkers = 'al'\n" + good).starts_with("1: "));
    CHECK(problem_of("setup = ''\n") == "1: there is no [[check]]");
    CHECK(problem_of("[[check]]\nname = 'a'\n").starts_with("1: the check \"a\" checks nothing"));
    CHECK(problem_of("[[check]]\nname = 'a'\noutput = 'x'\nfindings = []\n") ==
          "3: `output` needs the `cell` that prints it");
    CHECK(problem_of("[[check]]\nname = 'a'\ncalls = ['cudaMaloc']\n") ==
          "3: the CUDA runtime has no function cudaMaloc | did you mean `cudaMalloc`?");
    CHECK(problem_of("[[check]]\nname = 'a'\nkernel = 'k'\nmetric = 'memory_l1_wavefronts_share'\nat_most = 1\n") ==
          "4: there is no metric memory_l1_wavefronts_share | did you mean `memory_l1_wavefronts_shared`?");
    CHECK(problem_of("[[check]]\nname = 'a'\nkernel = 'k'\nmetric = 'memory_l1_wavefronts_shared'\n") ==
          "4: a `metric` needs `at_least`, `at_most` or `equals`");
    CHECK(problem_of(good + good).find("two checks are called \"a\"") != std::string::npos);
    CHECK(problem_of(good + "needs = ['b']\n").find("no check before this one is called \"b\"") != std::string::npos);
    CHECK(problem_of(good + "[[reply]]\nsay = 'x'\n").find("does not say when") != std::string::npos);
    CHECK(
        problem_of(good + "[[reply]]\nsay = 'x'\nsource = '('\n").find("missing closing parenthesis at character 2") !=
        std::string::npos);
    CHECK(problem_of(good + "[[reply]]\nsay = 'x'\nfailed = 'A'\n").find("no check is called \"A\"") !=
          std::string::npos);
}

TEST_CASE("checks: what a cell prints decides, and a failure says both sides") {
    const Report right = run(good, "int x;\n");
    CHECK(right.passed());
    REQUIRE(right.checks.size() == 2);
    CHECK(right.checks[0].name == compiles);

    const Report wrong = run("[[check]]\nname = 'a'\ncell = '2'\noutput = '(int) 1'\nwhy = 'because'\n", "int x;\n");
    CHECK_FALSE(wrong.passed());
    REQUIRE(wrong.first_failure());
    CHECK(wrong.first_failure()->expected == "(int) 1\n");
    CHECK(wrong.first_failure()->actual == "(int) 2\n");
    CHECK(wrong.first_failure()->why == "because");
    const std::string text = print(wrong, {"file.cu", "int x;\n"}, {});
    CHECK(text.find("  passed   compiles\n  FAILED   a\n") == 0);
    CHECK(text.find("expected: (int) 1\n") != std::string::npos);
}

TEST_CASE("checks: a long name and long sides stay under their beginnings") {
    const Report wrong = run(
        "[[check]]\nname = 'three words here'\ncell = '\"four of them here\"'\noutput = 'one two three'\n", "int x;\n");
    const std::string text = print(wrong, {"file.cu", "int x;\n"}, {}, 24);
    CHECK(text.find("  FAILED   three words\n           here\n") != std::string::npos);
    CHECK(text.find("      expected: one two\n                three\n") != std::string::npos);
}

TEST_CASE("checks: without compiling nothing else runs; the reply finds the message") {
    const std::string toml = good + "[[reply]]\nerror = 'nothing like it'\nsay = 'no'\n" +
                             "[[reply]]\nerror = 'undeclared identifier'\nsay = 'a name is unknown'\n";
    const Report report = run(toml, "undeclared\n");
    CHECK(report.checks[0].verdict == Verdict::failed);
    CHECK(report.checks[1].verdict == Verdict::skipped);
    CHECK(report.reply == "a name is unknown");
}

TEST_CASE("checks: a file that is not text is told, and no worker is asked") {
    CHECK(run(good, "").checks[0].findings[0].code == "empty-file");
    CHECK_FALSE(run(good, std::string("a\0b", 3)).passed());
    CHECK(run(good, std::string(2 << 20, 'x')).checks[0].findings[0].code == "too-big");
}

TEST_CASE("checks: a reply fits if all of its keys do, and the first is taken") {
    const std::string toml =
        "[[check]]\nname = 'a'\ncell = '2'\noutput = '(int) 1'\n"
        "[[reply]]\nfailed = 'a'\nsource = 'y = 7'\nsay = 'only in a comment'\n"
        "[[reply]]\noutput = '\\(int\\) [3-9]'\nsay = 'another output'\n"
        "[[reply]]\noutput = '\\(int\\) 2'\nsource = 'x;'\nsay = 'this one'\n"
        "[[reply]]\nfailed = 'a'\nsay = 'too late'\n";
    CHECK(run(toml, "int x; // y = 7\n").reply == "this one");
}

TEST_CASE("checks: a number says what it counts where the author says so") {
    const Report wrong =
        run("[[check]]\nname = 'a'\ncell = '2'\noutput = '(int) 0'\nmeans = 'wrong elements'\n", "int x;\n");
    REQUIRE(wrong.first_failure());
    CHECK(wrong.first_failure()->reason == "wrong elements: 2, expected 0");
    CHECK(wrong.first_failure()->expected.empty());
    CHECK(wrong.first_failure()->actual.empty());
    // What is not a number is shown.
    const Report text =
        run("[[check]]\nname = 'a'\ncell = '\"no\"'\noutput = '(int) 0'\nmeans = 'wrong elements'\n", "int x;\n");
    CHECK(text.first_failure()->expected == "(int) 0\n");
    CHECK(problem_of("[[check]]\nname = 'a'\nfindings = []\nmeans = 'x'\n") ==
          "4: `means` needs the `output` that it explains");
}

TEST_CASE("checks: comments are removed, strings are not") {
    CHECK(without_comments("a // b\nc /* d\n */ e") == "a \nc   e");
    CHECK(without_comments("\"// no\" '\"' // yes") == "\"// no\" '\"' ");
    CHECK(without_comments("1'000 // x") == "1'000 ");
    CHECK(without_comments("/* open") == " ");
    CHECK(without_comments("R\"(// no)\" // yes\n#define N 4 /* yes */ + 1\n") == "R\"(// no)\" \n#define N 4   + 1\n");
}

TEST_CASE("checks: a pattern is looked for in the whole text, and ends where it would take too long") {
    const auto found = [](const std::string& pattern, const std::string& text) {
        return Pattern::read(pattern)->is_in(text);
    };
    const std::string large = std::string(900'000, 'x') + "__syncthreads();\n";
    CHECK(found("__syncthreads\\(\\)", large));
    CHECK_FALSE(found(R"(^(?![\s\S]*__syncthreads))", large));
    CHECK(found(R"(^((?!__shared__)[\s\S])*$)", std::string(100'000, 'y')));
    CHECK_FALSE(found("^a$", "a\n"));
    CHECK_FALSE(found("(a+)+b", std::string(5000, 'a')));
    CHECK(Pattern::read("(").error().message == "missing closing parenthesis at character 2");
}

TEST_CASE("checks: what took too long has not passed, even if no check that ran failed") {
    Report report = run(good + "[[check]]\nname = 'b'\ncell = '2'\n", "ok");
    REQUIRE(report.passed());
    CHECK_FALSE(report.unfinished);
    report.checks.back().verdict = Verdict::skipped;
    report.unfinished = true;
    CHECK_FALSE(report.passed());
    CHECK(run("timeout = 1\n" + good + "[[check]]\nname = 'b'\ncell = 'hang()'\n", "ok").unfinished);
}

TEST_CASE("checks: findings may have their former spelling") {
    std::vector<Diagnostic> problems;
    const Checks checks = parse_checks("checks.toml",
                                       "[[check]]\nname = 'a'\nfindings = ['uninitialised-copy']\n"
                                       "[[reply]]\nfinding = 'uninitialised-read'\nsay = 'x'\n",
                                       problems);
    REQUIRE(problems.empty());
    CHECK(checks.checks.front().findings == std::vector<std::string>{"uninitialized-copy"});
    CHECK(checks.replies.front().finding == "uninitialized-read");
}
