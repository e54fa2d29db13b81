#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "repl/session/clang/header_inputs.h"

using namespace cudash;
namespace fs = std::filesystem;

TEST_CASE("a precompiled header is current as long as what it was made of is as it was") {
    const fs::path folder = fs::temp_directory_path() / fmt::format("cudash-inputs-{}", getpid());
    fs::create_directories(folder);
    const fs::path header = folder / "host.pch", input = folder / "errno.h";
    CHECK(!session::is_current(header));
    std::ofstream(header) << "made";
    CHECK(!session::is_current(header));  // of an earlier version, which noted nothing
    std::ofstream(input) << "#define EPERM 1\n";
    struct stat about {};
    REQUIRE(::stat(input.c_str(), &about) == 0);
    std::ofstream(header.string() + ".inputs")
        << fmt::format("{} {} {}\n", about.st_mtime, about.st_size, input.string());
    CHECK(session::is_current(header));

    fs::last_write_time(input, fs::last_write_time(input) + std::chrono::seconds(2));
    CHECK(!session::is_current(header));  // the same bytes, which clang would refuse
    fs::remove(input);
    CHECK(!session::is_current(header));
    fs::remove_all(folder);
}
