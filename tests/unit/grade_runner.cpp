// Submissions against checks, with a session that needs no compiler.
#include <doctest/doctest.h>
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "repl/grade/assignment.h"
#include "repl/grade/check_runner.h"

using namespace cudash;
using namespace cudash::grade;
using namespace std::chrono_literals;

namespace {

Checks checks_of(const std::string& toml) {
    std::vector<Diagnostic> problems;
    Checks checks = parse_assignment("assignment.toml", "title = 't'\n" + toml, problems);
    for (const Diagnostic& problem : problems) FAIL_CHECK(problem.message);
    return checks;
}

worker::Settings fake_worker() {
    worker::Settings settings;
    settings.program = CUDASH_FAKE;
    return settings;
}

Report run(const Checks& checks, const std::string& submission) {
    RunSettings settings;
    settings.worker = fake_worker();
    settings.confined = true;
    return run_checks(checks, {"a.cu", submission}, settings);
}

/// Sends SIGINT to the thread that makes it, again and again, as somebody at a terminal does who waits.
class Impatience {
public:
    Impatience() {
        sigemptyset(&interrupt_);
        sigaddset(&interrupt_, SIGINT);
        pthread_sigmask(SIG_BLOCK, &interrupt_, &before_);
        sender_ = std::jthread([target = pthread_self()](const std::stop_token& stop) {
            // Two in quick succession would end a worker that runs something.
            for (auto next = std::chrono::steady_clock::now() + 300ms; !stop.stop_requested();
                 std::this_thread::sleep_for(10ms)) {
                if (std::chrono::steady_clock::now() < next) continue;
                pthread_kill(target, SIGINT);
                next += 2500ms;
            }
        });
    }
    ~Impatience() {
        sender_.request_stop();
        sender_.join();
        const timespec at_once{};
        while (sigtimedwait(&interrupt_, nullptr, &at_once) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    Impatience(const Impatience&) = delete;
    Impatience& operator=(const Impatience&) = delete;

private:
    sigset_t interrupt_, before_;
    std::jthread sender_;
};

}  // namespace

TEST_CASE("runner: an interrupt while a fresh worker starts decides nothing") {
    Checks checks = checks_of(R"(kind = 'program'
[[check]]
name = 'first'
run = [{}]
[[check]]
name = 'second'
run = [{}]
[[check]]
name = 'third'
run = [{}]
)");
    checks.checks[1].run->device = "after:/nosuch/file";  // its worker never gets ready
    Report report;
    {
        const Impatience impatience;
        report = run(checks, "int main() { return 0; }\n");
    }
    CHECK(report.broken.empty());
    CHECK(report.interrupted);
    REQUIRE(report.checks.size() == 4);
    CHECK(report.checks[1].verdict == Verdict::passed);
    for (const std::size_t later : {2, 3}) {
        CHECK(report.checks[later].verdict == Verdict::skipped);
        CHECK(report.checks[later].reason == "the check was interrupted");
    }
}

TEST_CASE("runner: no run of a program meets what another one left, and warnings are known without a process") {
    const Report report = run(checks_of(R"(kind = 'program'
[[check]]
name = 'first'
run = [{ arguments = ['1'] }]
output = "argument ./a.out\nargument 1"
[[check]]
name = 'another input'
run = [{ input = 'x' }]
output = "argument ./a.out"
[[check]]
name = 'as the first'
run = [{ arguments = ['2'] }]
output = "argument ./a.out\nargument 2"
[[check]]
name = 'fails'
run = [{}]
output = 'nothing'
[[check]]
name = 'needs it'
run = [{}]
needs = ['fails']
[[check]]
name = 'no warnings'
points = 0
warnings = false
)"),
                              "int main() { return 0; }\n");
    CHECK(report.broken.empty());
    REQUIRE(report.checks.size() == 7);
    for (const std::size_t passes : {0, 1, 2, 3, 6}) {
        CAPTURE(report.checks[passes].name);
        CAPTURE(report.checks[passes].actual);
        CHECK(report.checks[passes].verdict == Verdict::passed);
    }
    CHECK(report.checks[4].actual == "argument ./a.out\n");
    CHECK(report.checks[5].verdict == Verdict::skipped);
}

TEST_CASE("runner: a failed check gives the part of its points that is right, if it says so") {
    Assignment assignment;
    assignment.checks = checks_of(R"(kind = 'device'
kernels = 'x'
[[check]]
name = 'partly'
points = 4
partial = true
cell = '1'
[[check.result]]
name = 'out'
type = 'int'
values = [0, 0, 1, 0]
[[check]]
name = 'not at all'
points = 4
cell = '1'
[[check.result]]
name = 'out'
type = 'int'
values = [0, 0, 1, 0]
)");
    const Grader grader(assignment, fake_worker());
    const Grade grade = grader.grade({"a.cu", "x\n"});
    REQUIRE(grade.tests.size() == 3);
    CHECK(grade.tests[1].status == Test::Status::failed);
    CHECK(grade.tests[1].points == 3);
    CHECK(grade.tests[1].max_points == 4);
    CHECK(grade.tests[1].reason == "1 of 4 elements of out are wrong; the first is out[2]");
    CHECK(grade.tests[2].points == 0);
    CHECK(grade.points() == 3);
    CHECK_FALSE(grade.passed());
}

TEST_CASE("runner: what a submission says of its end is not what was measured") {
    // timeout(1) ends with 124; a program may, too.
    const Checks program = checks_of("kind = 'program'\n[[check]]\nname = 'a'\nrun = [{}]\n");
    const Report timeout = run(program, "int main() { return 124; }\n");
    REQUIRE(timeout.checks.size() == 2);
    CHECK(timeout.checks[1].verdict == Verdict::failed);
    CHECK(timeout.checks[1].reason == "it ended with exit code 124");
    // Only a Ctrl-C that came to the grader interrupts it.
    const Report interrupt =
        run(checks_of("kind = 'device'\nkernels = 'x'\n[[check]]\nname = 'a'\ncell = '1'\n"), "say_interrupted()\n");
    CHECK_FALSE(interrupt.interrupted);
    CHECK(interrupt.broken.empty());
    REQUIRE(interrupt.checks.size() == 2);
    CHECK(interrupt.checks[0].verdict == Verdict::failed);
    CHECK(interrupt.checks[0].reason == "it was stopped by a signal that it sent itself");
}

TEST_CASE("runner: visible checks tell nothing of what appeared in hidden ones") {
    const std::string hidden = "[[check]]\nname = 'h'\ncell = 'finding()'\nvisibility = 'hidden'\n";
    const Report report =
        run(checks_of("kind = 'device'\nkernels = 'x'\n" + hidden + "[[check]]\nname = 'v'\nfindings = []\n"), "x\n");
    REQUIRE(report.checks.size() == 3);
    REQUIRE(report.checks[2].findings.size() == 1);
    const Diagnostic& finding = report.checks[2].findings[0];
    CHECK(finding.code == "oob-write");
    CHECK(finding.message == "oob-write: found in a check that is not shown to you");
    CHECK(finding.notes.empty());
    CHECK_FALSE(finding.thread);
}

TEST_CASE("runner: a submission that only waits ends with the time that it has in all") {
    const auto begin = std::chrono::steady_clock::now();
    const Report report =
        run(checks_of("kind = 'device'\nkernels = 'x'\ntimeout = 1\nall_time = 1\n[[check]]\nname = 'a'\n"
                      "cell = 'hang()'\n[[check]]\nname = 'b'\ncell = '1'\n"),
            "x\n");
    REQUIRE(report.checks.size() == 3);
    CHECK(report.checks[1].reason == "it was stopped: the submission took longer than 1 s in all");
    CHECK(report.checks[2].verdict == Verdict::skipped);
    CHECK(std::chrono::steady_clock::now() - begin < 60s);
}
