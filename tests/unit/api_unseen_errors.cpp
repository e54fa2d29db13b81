#include "runtime_wrappers/api/unseen_errors.h"

#include <doctest/doctest.h>

#include "runtime_wrappers/folded.h"

using namespace cudash;

namespace {

Diagnostic failure(unsigned line) {
    Diagnostic made = error("cuda-invalid-value", "cudaFree failed");
    made.where = {"a.cu", line, 0};
    return made;
}

}  // namespace

TEST_CASE("unseen errors: each place is told once, with a count") {
    api::UnseenErrors errors;
    for (int i = 0; i < 3; ++i) errors.add(1, failure(4));
    errors.add(1, failure(9));
    const auto found = errors.take();
    REQUIRE(found.size() == 2);
    CHECK(found[0].code == "unchecked-error");
    CHECK(found[0].severity == Diagnostic::Severity::warning);
    CHECK(found[0].where.line == 4);
    CHECK(times_found(found[0]) == 3);
    CHECK(times_found(found[1]) == 1);
    CHECK(errors.take().empty());
}

TEST_CASE("unseen errors: a thread that asks has seen its own") {
    api::UnseenErrors errors;
    errors.add(1, failure(4));
    errors.add(2, failure(5));
    errors.looked_at(1);
    const auto found = errors.take();
    REQUIRE(found.size() == 1);
    CHECK(found[0].where.line == 5);
}

TEST_CASE("unseen errors: what a library returned is no thread's last error") {
    api::UnseenErrors errors;
    errors.add(api::UnseenErrors::no_thread, failure(4));
    errors.looked_at(1);
    CHECK(errors.take().size() == 1);
}

TEST_CASE("unseen errors: a program that fails everywhere is not told of all") {
    api::UnseenErrors errors;
    for (unsigned line = 1; line < 100; ++line) errors.add(1, failure(line));
    CHECK(errors.take().size() == 10);
}
