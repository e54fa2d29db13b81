#include "repl/view/pager.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace cudash;

TEST_CASE("pager: the command gets what has more lines than the terminal") {
    const auto path = std::filesystem::temp_directory_path() / ("cudash-pager-" + std::to_string(getpid()));
    const std::string command = "cat >" + path.string();
    CHECK_FALSE(view::page("a\nb\n", 3, command));
    CHECK_FALSE(view::page("a\nb\nc\n", 0, command));
    CHECK_FALSE(view::page("a\nb\nc\n", 3, "cat"));
    CHECK_FALSE(view::page("a\nb\nc\n", 3, ""));
    CHECK_FALSE(view::page("a\nb\nc\n", 3, "a_pager_that_is_not_there"));
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(view::page("a\nb\nc\n", 3, command));
    std::ifstream in(path);
    CHECK(std::string{std::istreambuf_iterator<char>(in), {}} == "a\nb\nc\n");
    std::filesystem::remove(path);
}
