#include "repl/shell/input/history.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace cudash::shell;

namespace {

constexpr std::size_t history_size = 2000;

namespace fs = std::filesystem;

struct Folder {
    fs::path path = fs::temp_directory_path() / ("cudash-history-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string file(const char* name = "state/history") const { return (path / name).string(); }
};

}  // namespace

TEST_CASE("history: entries of several lines come back as they were") {
    const Folder folder;
    CHECK(load_history(folder.file(), history_size).empty());
    CHECK(append_history(folder.file(), "int x = 1;") == "");
    CHECK(append_history(folder.file(), "void f() {\n    puts(\"a\\n\");\n}") == "");
    CHECK(append_history(folder.file(), "\xc3\xa9 \\") == "");
    CHECK(load_history(folder.file(), history_size) ==
          std::vector<std::string>{"int x = 1;", "void f() {\n    puts(\"a\\n\");\n}", "\xc3\xa9 \\"});
}

TEST_CASE("history: what is not text is left out, and what is too long is not kept") {
    const Folder folder;
    CHECK(append_history(folder.file(), "good") == "");
    std::ofstream(folder.file(), std::ios::app) << "\xff\xfe\n\n" << std::string("a\0b\n", 4) << "unfinished\\";
    CHECK(append_history(folder.file(), std::string(most_of_entry + 1, 'x')) == "");
    CHECK(load_history(folder.file(), history_size) == std::vector<std::string>{"good", "unfinished\\"});
}

TEST_CASE("history: a file that can't be written is said, and a folder or a pipe is not a history") {
    const Folder folder;
    CHECK(append_history(folder.path.string(), "x") != "");
    CHECK(load_history(folder.path.string(), history_size).empty());
    REQUIRE(mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    CHECK(append_history(folder.file("pipe"), "x") != "");
    std::ofstream(folder.file("plain")) << "x\n";
    CHECK(append_history(folder.file("plain/history"), "x") != "");
    CHECK(append_history("/dev/full", "x") != "");
}

TEST_CASE("history: a file that has grown is cut to what is read") {
    const Folder folder;
    std::ofstream file(folder.file("history"));
    for (std::size_t i = 0; i < 2 * history_size; ++i) file << i << "\n";
    file.close();
    const auto entries = load_history(folder.file("history"), history_size);
    REQUIRE(entries.size() == history_size);
    CHECK(entries.front() == std::to_string(history_size));
    CHECK(entries.back() == std::to_string(2 * history_size - 1));
    std::stringstream text;
    text << std::ifstream(folder.file("history")).rdbuf();
    CHECK(text.str().starts_with(std::to_string(history_size) + "\n"));
    CHECK(load_history(folder.file("history"), history_size) == entries);
}

TEST_CASE("history: shells that share a file lose nothing of each other") {
    const Folder folder;
    constexpr int shells = 4, each = 50;
    for (int shell = 0; shell < shells; ++shell)
        if (fork() == 0) {
            bool good = true;
            for (int i = 0; i < each; ++i)
                good = append_history(folder.file(), std::to_string(shell) + std::string(500, 'x')) == "" && good;
            _exit(good ? 0 : 1);
        }
    for (int shell = 0; shell < shells; ++shell) {
        int status = 0;
        wait(&status);
        CHECK(status == 0);
    }
    const auto entries = load_history(folder.file(), history_size);
    CHECK(entries.size() == shells * each);
    for (const std::string& entry : entries) CHECK(entry.size() == 501);
}
