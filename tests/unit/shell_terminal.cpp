// The shell in a terminal: a pseudo-terminal, with the fake session.
#include <doctest/doctest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

using namespace std::chrono_literals;

class Terminal {
public:
    explicit Terminal(const std::string& device = "virtual") {
        folder_ = std::filesystem::temp_directory_path() / ("cudash-terminal-" + std::to_string(getpid()));
        const winsize size{40, 100, 0, 0};
        pid_ = forkpty(&fd_, nullptr, nullptr, &size);
        if (pid_ == 0) {
            setenv("XDG_STATE_HOME", folder_.c_str(), 1);
            setenv("TERM", "xterm", 1);
            setenv("LC_ALL", "C.UTF-8", 1);
            execl(CUDASH_FAKE, "cudash", "--device", device.c_str(), nullptr);
            _exit(127);
        }
    }
    ~Terminal() {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        close(fd_);
        std::filesystem::remove_all(folder_);
    }

    void type(const std::string& keys) {
        REQUIRE(write(fd_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
    }

    /// Waits until `text` has been shown since the last call that found its text.
    bool shows(const std::string& text, std::chrono::milliseconds limit = 5s) {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (true) {
            if (const auto found = screen_.find(text); found != std::string::npos) {
                screen_.erase(0, found + text.size());
                return true;
            }
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
            pollfd entry{fd_, POLLIN, 0};
            if (left <= 0ms || poll(&entry, 1, static_cast<int>(left.count())) <= 0) break;
            char bytes[4096];
            const ssize_t size = read(fd_, bytes, sizeof bytes);
            if (size <= 0) break;
            screen_.append(bytes, static_cast<std::size_t>(size));
        }
        MESSAGE("not shown: ", text, "; on the screen: ", screen_);
        return false;
    }

    /// -1: still running after 5 s.
    int exit_code() {
        int status = 0;
        pid_t ended = 0;
        for (int tries = 0; tries < 500 && ended == 0; ++tries) {
            ended = waitpid(pid_, &status, WNOHANG);
            if (ended == 0) usleep(10'000);
        }
        if (ended == 0) return -1;
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    std::string history() const {
        std::stringstream text;
        text << std::ifstream(folder_ / "cudash/history").rdbuf();
        return text.str();
    }

private:
    std::filesystem::path folder_;
    int fd_ = -1;
    pid_t pid_ = -1;
    std::string screen_;
};

constexpr const char* prompt = "[virtual]> ";

}  // namespace

TEST_CASE("terminal: a value, history, and leaving with a code") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type("42\r");
    CHECK(terminal.shows("(int) 42\r\n"));
    REQUIRE(terminal.shows(prompt));
    terminal.type(
        "\x1b[A\x1b[D\x08"
        "5\r");  // Up, Left, Backspace, 5
    CHECK(terminal.shows("(int) 52\r\n"));
    terminal.type(":quit 7\r");
    CHECK(terminal.exit_code() == 7);
}

TEST_CASE("terminal: Ctrl-D leaves") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type("\x04");
    CHECK(terminal.exit_code() == 0);
}

TEST_CASE("terminal: the prompt does not wait for the worker") {
    const auto file = std::filesystem::temp_directory_path() / ("cudash_worker_" + std::to_string(getpid()));
    Terminal terminal("after:" + file.string());
    REQUIRE(terminal.shows(file.string() + "]> "));
    std::ofstream(file).put(' ');  // now the worker starts
    terminal.type("42\r");
    CHECK(terminal.shows("(int) 42"));
    std::filesystem::remove(file);
}

TEST_CASE("terminal: a paste is split into its cells, blank lines and all") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type(
        "\x1b[200~void f()\n{\n\n\n\n  int x;\n}\nif (a)\n  put_line(one);\nelse\n  put_line(two);\n42\n\x1b[201~");
    CHECK(terminal.shows("one\r\n"));
    CHECK(terminal.shows("(int) 42"));
    terminal.type("undeclared\r");
    CHECK(terminal.shows("cell 4:1:1"));
}

TEST_CASE("terminal: an incomplete cell continues; two blank lines evaluate it") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type("f(\r");
    REQUIRE(terminal.shows("f("));
    usleep(100'000);
    terminal.type("undeclared\r");
    REQUIRE(terminal.shows("undeclared"));
    usleep(100'000);
    terminal.type("\r");
    usleep(100'000);
    terminal.type("\r");
    CHECK(terminal.shows("cell 1:2:"));
}

TEST_CASE("terminal: Ctrl-C drops the line, then interrupts a cell, then kills the worker") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type("f(\r");
    REQUIRE(terminal.shows("f("));
    terminal.type("abc\x03");
    REQUIRE(terminal.shows(prompt));
    terminal.type("put_line(running)\r");
    REQUIRE(terminal.shows("put_line(running)\r\nrunning"));
    REQUIRE(terminal.shows(prompt));
    terminal.type("spin()\r");
    usleep(300'000);
    terminal.type("\x03");
    CHECK(terminal.shows("was interrupted"));
    REQUIRE(terminal.shows(prompt));
    terminal.type("hang()\r");
    usleep(300'000);
    terminal.type("\x03");
    usleep(200'000);
    terminal.type("\x03");
    CHECK(terminal.shows("the worker was ended at the second Ctrl-C"));
    REQUIRE(terminal.shows(prompt));
    terminal.type(":replay\r");
    CHECK(terminal.shows("running 1 cell again"));
    CHECK(terminal.shows("running\r\n"));
    terminal.type("42\r");
    CHECK(terminal.shows("(int) 42"));
}

TEST_CASE("terminal: a cell may exit, crash or leave a line unfinished; the shell goes on") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type("exit(3)\r");
    CHECK(terminal.shows("cell 1 called exit(3); the session goes on"));
    terminal.type("raise(11)\r");
    CHECK(terminal.shows("signal 11 (SIGSEGV) while running cell 2"));
    terminal.type("put(unfinished)\r");
    CHECK(terminal.shows("put(unfinished)\r\nunfinished"));
    CHECK(terminal.shows("\r\x1b[K"));
    terminal.type(":hlep\r");
    CHECK(terminal.shows("did you mean :help?"));
    terminal.type(":help replay\r");
    CHECK(terminal.shows("starts a new worker"));
}

TEST_CASE("terminal: the program reads what is typed, and sees a terminal") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type("isatty(0)\r");
    CHECK(terminal.shows("(int) 1"));
    REQUIRE(terminal.shows(prompt));
    terminal.type("read_line()\r");
    usleep(300'000);
    terminal.type("some text\r");
    CHECK(terminal.shows("read some text"));
}

TEST_CASE("terminal: a device that can't be used is explained at the prompt") {
    Terminal terminal("virtual:nonesuch");
    CHECK(terminal.shows("there is no profile 'nonesuch'"));
    terminal.type(":device virtual\r");
    CHECK(terminal.shows("virtual\r\n"));
    terminal.type("42\r");
    CHECK(terminal.shows("(int) 42"));
}

TEST_CASE("terminal: characters of several bytes, and history kept in the file") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type("put_line(\xc3\xa9\xe2\x82\xac)\r");
    CHECK(terminal.shows(")\r\n\xc3\xa9\xe2\x82\xac\r\n"));
    CHECK(terminal.history().find("put_line") != std::string::npos);
}

TEST_CASE("terminal: commands that the session answers") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type(":vars\r");
    CHECK(terminal.shows("vars\r\n"));
    CHECK(terminal.shows("second  a longer one\r\n"));
    terminal.type(":type\r");
    CHECK(terminal.shows(":type needs EXPRESSION"));
    terminal.type(":type 1 + 1\r");
    CHECK(terminal.shows("type 1 + 1\r\n"));
    terminal.type(":time 42\r");
    CHECK(terminal.shows("(int) 42"));
    CHECK(terminal.shows(" s\r\n"));
    terminal.type(":history\r");
    CHECK(terminal.shows("// cell 1"));
}

TEST_CASE("terminal: the session's cells run again with all checkers") {
    Terminal terminal;
    REQUIRE(terminal.shows(prompt));
    terminal.type("put_line(once)\r");
    CHECK(terminal.shows(")\r\nonce\r\n"));
    terminal.type("finding()\r");
    CHECK(terminal.shows("4-byte write, 0 bytes past a 4-byte allocation"));
    REQUIRE(terminal.shows(prompt));
    terminal.type(":check session\r");
    CHECK(terminal.shows("4-byte write, 0 bytes past a 4-byte allocation"));
    CHECK(terminal.shows("2 cells run again on virtual"));
    CHECK(terminal.shows("with all checkers: 1 finding"));
    REQUIRE(terminal.shows(prompt));
    terminal.type("42\r");
    CHECK(terminal.shows("(int) 42"));
}
