// What a built program is kept under: every change of what nvcc would read is another key.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime_wrappers/nvrtc/cache_folder.h"
#include "runtime_wrappers/nvrtc/nvcc_process.h"
#include "runtime_wrappers/nvrtc/program_key.h"

using namespace cudash::nvrtc;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("program key: sources, their headers and the command count, and nothing else") {
    const Scratch scratch;
    const fs::path folder = scratch.folder();
    const std::string source = folder / "main.cu";
    const std::vector<std::string> folders = {folder / "headers"}, command = {"/proc/self/exe", "-O2"};
    const auto key = [&] { return program_key({source}, folders, command); };
    write(source, "#include <cstdio>\n  #  include \"own.h\"\n#include <far.h>\nint main() {}\n");
    write(folder / "own.h", "#pragma once\n#include \"own.h\"\n");
    write(folder / "headers" / "far.h", "#define FAR 1\n");
    const auto first = key();
    REQUIRE(first);
    CHECK(key() == first);
    write(folder / "other.h", "int unused;\n");
    CHECK(key() == first);
    CHECK(program_key({source}, folders, {"/proc/self/exe", "-O3"}) != first);
    CHECK(program_key({source}, {}, command) != first);

    write(folder / "own.h", "#pragma once\nint changed;\n");
    const auto second = key();
    CHECK(second != first);
    write(folder / "headers" / "far.h", "#define FAR 2\n");
    CHECK(key() != second);
    write(folder / "far.h", "#define FAR 3\n");
    const auto beside = key();
    write(source, "#include <cstdio>\n  #  include \"own.h\"\n#include \"far.h\"\nint main() {}\n");
    CHECK(key() != beside);  // found beside the source now
}

TEST_CASE("program key: none where the text does not say which files it includes") {
    const Scratch scratch;
    const std::string source = scratch.folder() / "main.cu";
    CHECK_FALSE(program_key({source}, {}, {"/proc/self/exe"}));
    write(source, "#define HEADER <cstdio>\n#include HEADER\n");
    CHECK_FALSE(program_key({source}, {}, {"/proc/self/exe"}));
    write(source, "#include_next <cstdio>\n");
    CHECK_FALSE(program_key({source}, {}, {"/proc/self/exe"}));
}

TEST_CASE("cache entries: all of one is there, or none") {
    const Scratch scratch;
    const fs::path entry = scratch.folder() / "below" / "entry";
    CHECK_FALSE(store_entry(entry, [](const fs::path& path) {
        std::ofstream(path) << "half";
        return false;
    }));
    CHECK(fs::is_empty(entry.parent_path()));
    CHECK(store_entry(entry, [](const fs::path& path) { return static_cast<bool>(std::ofstream(path) << "whole"); }));
    CHECK(content_of(entry) == "whole");
    CHECK(std::distance(fs::directory_iterator(entry.parent_path()), fs::directory_iterator()) == 1);
}
