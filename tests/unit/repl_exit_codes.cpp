#include <doctest/doctest.h>
#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "repl/exit_codes.h"

namespace cudash {
namespace {

TEST_CASE("the manual's table has the exit codes as the program has them") {
    std::ifstream file(CUDASH_SOURCE_DIR "/repl/shell/README.md");
    const std::string manual{std::istreambuf_iterator<char>(file), {}};
    std::string rows = "| Code | Meaning |\n|---|---|\n";
    for (const auto& [code, meaning] : exit_codes::table) rows += fmt::format("| {} | {} |\n", code, meaning);
    CHECK(manual.find(rows + "| 128+N | signal N ended the program or the worker |\n") != std::string::npos);
}

TEST_CASE("an interrupted program ends as one that SIGINT ended") {
    CHECK(exit_codes::interrupted == exit_codes::signal_base + SIGINT);
}

}  // namespace
}  // namespace cudash
