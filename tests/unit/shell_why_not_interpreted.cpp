// Which programs that do not compile are worth asking nvcc about.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

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
    CHECK(shell::why_built_first("quoted.cu", "#include \"thrust/sort.h\"\n"));
    CHECK_FALSE(shell::why_built_first("a.cu", "// #include <thrust/sort.h>\n#include <cuda/std/span>\n"));
}

TEST_CASE("run: so are those whose own headers include Thrust or CUB") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("cudash-headers-" + std::to_string(getpid()));
    const auto write = [&](const std::string& name, const char* text) {
        const fs::path path = folder / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
    };
    write("a.h", "#pragma once\n#include \"a.h\"\n#include \"inner/b.h\"\n");
    write("inner/b.h", "#include \"../a.h\"\n#include <cub/cub.cuh>\n");
    write("elsewhere/c.h", "#include \"thrust/copy.h\"\n");
    write("plain.h", "#include <vector>\n#include \"missing.h\"\n");
    const std::string program = (folder / "p.cu").string();
    const auto reason = shell::why_built_first(program, "#include \"a.h\"\n");
    REQUIRE(reason);
    CHECK(reason->where.file.ends_with("inner/b.h"));
    CHECK(reason->where.line == 2);
    CHECK_FALSE(shell::why_built_first(program, "#include \"plain.h\"\n#include \"c.h\"\n"));
    CHECK(shell::why_built_first(program, "#include <c.h>\n", {(folder / "elsewhere").string()}));
    fs::remove_all(folder);
}
