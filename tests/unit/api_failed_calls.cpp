#include "runtime_wrappers/api/failed_calls.h"

#include <doctest/doctest.h>

#include "runtime_wrappers/folded.h"

using namespace cudash;

namespace {

Diagnostic failure(unsigned line) {
    Diagnostic made = error("cuda-invalid-value", "cudaFree failed");
    made.where = {"a.cu", line, 0};
    return made;
}

api::FailedCalls::Call discarded(std::uint64_t thread, unsigned line) {
    return {thread, cudaErrorInvalidValue, failure(line), true};
}
api::FailedCalls::Call seen(int status, unsigned line) {
    return {1, status, failure(line)};
}

}  // namespace

TEST_CASE("failed calls: each place is told once, with a count") {
    api::FailedCalls errors;
    for (int i = 0; i < 3; ++i) errors.add(discarded(1, 4));
    errors.add(discarded(1, 9));
    const auto found = errors.take(true);
    REQUIRE(found.size() == 2);
    CHECK(found[0].code == "unchecked-error");
    CHECK(found[0].severity == Diagnostic::Severity::warning);
    CHECK(found[0].where.line == 4);
    CHECK(times_found(found[0]) == 3);
    CHECK(times_found(found[1]) == 1);
    CHECK(errors.take(true).empty());
}

TEST_CASE("failed calls: a thread that asks has seen its own") {
    api::FailedCalls errors;
    errors.add(discarded(1, 4));
    errors.add(discarded(2, 5));
    errors.looked_at(1, {"a.cu", 20, 0});
    const auto found = errors.take(true);
    REQUIRE(found.size() == 1);
    CHECK(found[0].where.line == 5);
}

TEST_CASE("failed calls: what a library returned is no thread's last error") {
    api::FailedCalls errors;
    errors.add(discarded(api::FailedCalls::no_thread, 4));
    errors.looked_at(1, {"a.cu", 20, 0});
    CHECK(errors.take(true).size() == 1);
}

TEST_CASE("failed calls: a program that fails everywhere is not told of all") {
    api::FailedCalls errors;
    for (unsigned line = 1; line < 100; ++line) errors.add(discarded(1, line));
    CHECK(errors.take(true).size() == 10);
}

TEST_CASE("failed calls: why an error happened that the program names") {
    api::FailedCalls calls;
    calls.add(seen(cudaErrorInvalidValue, 4));
    calls.add(seen(cudaErrorMemoryAllocation, 5));
    calls.add(seen(cudaErrorInvalidValue, 6));
    calls.named(cudaErrorInvalidValue);
    calls.named(cudaErrorNotReady);
    const auto found = calls.take(true);
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "failed-call");
    CHECK(found[0].severity == Diagnostic::Severity::note);
    CHECK(found[0].where.line == 6);
}

TEST_CASE("failed calls: a program that ends badly is told of the last one, unless it named another") {
    for (const bool well : {false, true}) {
        api::FailedCalls calls;
        for (unsigned line = 1; line < 100; ++line) calls.add(seen(cudaErrorInvalidValue, line));
        const auto found = calls.take(well);
        REQUIRE(found.size() == (well ? 0 : 1));
        if (!well) CHECK(found[0].where.line == 99);
    }
    api::FailedCalls calls;
    calls.add(seen(cudaErrorMemoryAllocation, 4));
    calls.add(seen(cudaErrorInvalidValue, 5));
    calls.named(cudaErrorMemoryAllocation);
    const auto found = calls.take(false);
    REQUIRE(found.size() == 1);
    CHECK(found[0].where.line == 4);
}

TEST_CASE("failed calls: an error that was asked for later, and what failed before it") {
    api::FailedCalls calls;
    calls.add(discarded(1, 4));
    calls.add(discarded(1, 5));
    calls.looked_at(1, {"a.cu", 9, 0});
    calls.named(cudaErrorInvalidValue);
    const auto found = calls.take(true);
    REQUIRE(found.size() == 1);
    CHECK(found[0].where.line == 5);
    REQUIRE(found[0].notes.size() == 2);
    CHECK(found[0].notes[0].where.line == 9);
    CHECK(found[0].notes[1].where.line == 4);
}

TEST_CASE("failed calls: all that fails because the context is lost is told once") {
    api::FailedCalls calls;
    for (unsigned line = 1; line < 5; ++line) {
        calls.add(seen(cudaErrorDevicesUnavailable, line));
        calls.named(cudaErrorDevicesUnavailable);
    }
    CHECK(calls.take(true).size() == 1);
}
