// Which programs that do not compile are worth asking nvcc about.
#include <doctest/doctest.h>

#include "repl/shell/why_not_interpreted.h"

using namespace cudash;
using session::Cell;
using session::Outcome;

namespace {

Cell file_read(bool more) {
    Cell cell;
    cell.kind = Cell::Kind::file;
    cell.name = "sum.cu";
    cell.more = more;
    return cell;
}

bool asks(const Diagnostic& first, Outcome::Status status = Outcome::Status::compile_error) {
    Outcome outcome;
    outcome.status = status;
    Diagnostic warning = error("", "expected ';' after a warning");
    warning.severity = Diagnostic::Severity::warning;
    outcome.diagnostics = {warning, first, error("", "expected ';' after expression")};
    return shell::why_not_interpreted(file_read(true), outcome).has_value();
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
    CHECK_FALSE(shell::why_not_interpreted(file_read(true), Outcome{}));
}

TEST_CASE("run: nvcc is asked about a file that ended the worker before its code ran") {
    Outcome lost;
    lost.status = Outcome::Status::lost;
    lost.diagnostics = {error("worker-lost", "the worker ended by signal 11")};
    const auto reason = shell::why_not_interpreted(file_read(true), lost);
    REQUIRE(reason);
    CHECK(reason->code == "compiler-fault");
    CHECK_FALSE(shell::why_not_interpreted(file_read(false), lost));
    CHECK_FALSE(shell::why_not_interpreted(Cell{}, lost));
}

TEST_CASE("run: programs of Thrust and CUB are built first") {
    const auto reason =
        shell::why_built_first("sort.cu", "#include <cstdio>\n # include <thrust/sort.h>\nint main() {}\n");
    REQUIRE(reason);
    CHECK(reason->where.line == 2);
    CHECK(reason->message == "it includes <thrust/sort.h>, which is quicker once built");
    CHECK_FALSE(shell::why_built_first("a.cu", "// #include <thrust/sort.h>\n#include <cuda/std/span>\n"));
}
