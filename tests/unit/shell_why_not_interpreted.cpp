// Which programs that do not compile are worth asking nvcc about.
#include <doctest/doctest.h>

#include "repl/shell/why_not_interpreted.h"

using namespace cudash;
using session::Outcome;

namespace {

bool asks(const Diagnostic& first, Outcome::Status status = Outcome::Status::compile_error) {
    Outcome outcome;
    outcome.status = status;
    Diagnostic warning = error("", "expected ';' after a warning");
    warning.severity = Diagnostic::Severity::warning;
    outcome.diagnostics = {warning, first, error("", "expected ';' after expression")};
    return shell::why_not_interpreted(outcome).has_value();
}

}  // namespace

TEST_CASE("run: nvcc is asked about what clang alone may refuse") {
    CHECK(asks(error("", "explicit instantiation refers to something else")));
    CHECK(asks(error("", "use of undeclared identifier '__new_intrinsic'")));
    CHECK(asks(error("", "unknown type name 'cudaNewThing_t'")));
    CHECK(asks(error("nvcc-compile", "device code: something")));
}

TEST_CASE("run: nvcc is not asked about what every compiler refuses") {
    CHECK_FALSE(asks(error("", "expected ';' after expression")));
    CHECK_FALSE(asks(error("", "use of undeclared identifier 'cout'")));
    CHECK_FALSE(asks(error("", "unknown type name 'vector'")));
    CHECK_FALSE(asks(error("", "'mpi.h' file not found")));
    CHECK_FALSE(asks(error("no-main", "the program has no main function")));
    CHECK_FALSE(asks(error("", "anything"), Outcome::Status::ok));
    CHECK_FALSE(asks(error("", "anything"), Outcome::Status::faulted));
    CHECK_FALSE(shell::why_not_interpreted(Outcome{}));
}
