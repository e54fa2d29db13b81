// Copies of the process that try what may crash.
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>

#include "repl/session/clang/process_copy.h"
#include "repl/session/clang/trial.h"

using namespace cudash;
using namespace cudash::session;

namespace {

volatile std::sig_atomic_t child_ended = 0;

Diagnostic said(const char* message) {
    Diagnostic diagnostic = error("compile-error", message);
    diagnostic.where = {"cell 7", 3, 14};
    return diagnostic;
}

}  // namespace

TEST_CASE("a copy tells, and what it changes stays its own") {
    int changed = 1;
    const CopyEnd end = in_copy(
        [&](int file) {
            changed = 2;
            write_all(file, "told");
        },
        {.wait = std::chrono::seconds(10)});
    CHECK(end.done);
    CHECK(end.told == "told");
    CHECK(changed == 1);
}

TEST_CASE("a copy that waits for ever is ended") {
    const CopyEnd end = in_copy(
        [](int) {
            while (true) pause();
        },
        {.wait = std::chrono::milliseconds(20)});
    CHECK_FALSE(end.done);
    CHECK(end.fault == 0);
}

TEST_CASE("a copy that computes for ever is ended") {
    const CopyEnd end = in_copy(
        [](int) {
            const volatile bool on = true;
            while (on) {
            }
        },
        {.processor_seconds = 1, .wait = std::chrono::minutes(1)});
    CHECK_FALSE(end.done);
    CHECK(end.fault == 0);
}

TEST_CASE("no handler of the program hears of a copy") {
    child_ended = 0;
    const auto before = std::signal(SIGCHLD, [](int) { child_ended = 1; });
    CHECK(in_copy([](int) {}, {.wait = std::chrono::seconds(10)}).done);
    CHECK(child_ended == 0);
    std::signal(SIGCHLD, before);
}

TEST_CASE("a trial that falls tells what clang said last") {
    const auto fall = fall_in_copy(
        [](const TrialReport& report) {
            report.said(said("of the first attempt"));
            report.again();
            report.said(said("expected ';'"));
            std::raise(SIGSEGV);
        },
        "cell 7");
    REQUIRE(fall);
    REQUIRE(fall->size() == 2);
    CHECK(fall->front().message == "expected ';'");
    CHECK(fall->front().where.file == "cell 7");
    CHECK(fall->front().where.line == 3);
    CHECK(fall->front().where.column == 14);
    CHECK(fall->back().code == "compiler-fault");
}

TEST_CASE("a trial that passes, or that nobody knows of, says nothing") {
    CHECK_FALSE(fall_in_copy([](const TrialReport& report) { report.said(said("wrong")); }, "cell 1"));
    CHECK_FALSE(fall_in_copy([](const TrialReport&) { _exit(1); }, "cell 1"));
    CHECK_FALSE(fall_in_copy([](const TrialReport&) { std::raise(SIGKILL); }, "cell 1"));
}
