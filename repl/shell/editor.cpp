#include "repl/shell/editor.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "repl/shell/text_check.h"

namespace cudash::shell {
namespace {

// Of a shell: the program was not found, or is none; above the last one stands the number of a signal.
constexpr int not_found = 127, no_program = 126, by_signal = 128;

/// A command line, as $VISUAL and $EDITOR are; empty: none.
std::string editor_command() {
    for (const char* name : {"VISUAL", "EDITOR"})
        if (const char* set = std::getenv(name); set && *set) return set;
    for (const char* program : {"sensible-editor", "nano", "vi"})
        if (is_program(program)) return program;
    return {};
}

Diagnostic failed(const std::string& path, std::string why) {
    return error("editor", std::move(why), fmt::format("open {} in an editor of your choice, or set EDITOR", path));
}

/// How it ended, as waitpid tells it; empty: well.
std::string way_it_ended(const std::string& command, int status) {
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
    if (code == 0) return {};
    if (code == not_found) return fmt::format("the editor '{}' was not found", command);
    if (code == no_program) return fmt::format("the editor '{}' can't be run", command);
    if (const int number = code - by_signal; number > 0 && number < NSIG)
        return fmt::format("the editor '{}' was ended by signal {} ({})", command, number, strsignal(number));
    return fmt::format("the editor '{}' ended with code {}", command, code);
}

/// The terminal is afterwards as it was: an editor that crashed leaves it without echo.
class TerminalKept {
public:
    TerminalKept() : known_(tcgetattr(STDIN_FILENO, &mode_) == 0) {}
    ~TerminalKept() {
        if (known_) tcsetattr(STDIN_FILENO, TCSADRAIN, &mode_);
    }
    TerminalKept(const TerminalKept&) = delete;
    TerminalKept& operator=(const TerminalKept&) = delete;

private:
    termios mode_{};
    bool known_;
};

/// A file that goes when this does.
class TemporaryFile {
public:
    explicit TemporaryFile(std::string_view text) {
        std::error_code ignored;
        std::string pattern = (std::filesystem::temp_directory_path(ignored) / "cudash-XXXXXX.cu").string();
        const int fd = mkstemps(pattern.data(), 3);
        if (fd < 0) return;
        close(fd);
        path_ = pattern;
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~TemporaryFile() {
        std::error_code ignored;
        if (!path_.empty() && !kept_) std::filesystem::remove(path_, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }
    void keep() { kept_ = true; }

private:
    std::string path_;
    bool kept_ = false;
};

}  // namespace

bool is_program(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/bin:/bin";
    while (true) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        if (!folder.empty() && access((std::string(folder) + "/" + program).c_str(), X_OK) == 0) return true;
        if (folder.size() == rest.size()) return false;
        rest.remove_prefix(folder.size() + 1);
    }
}

std::optional<Diagnostic> edit_file(const std::string& path, const std::string& editor) {
    const std::string command = editor.empty() ? editor_command() : editor;
    if (command.empty()) return failed(path, "no editor was found: neither VISUAL nor EDITOR is set");
    const std::string script = command + " \"$1\"";
    const TerminalKept terminal;
    const pid_t child = fork();
    if (child < 0) return failed(path, fmt::format("the editor can't be started: {}", std::strerror(errno)));
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        std::signal(SIGINT, SIG_DFL);
        execl("/bin/sh", "sh", "-c", script.c_str(), "sh", path.c_str(), nullptr);
        _exit(not_found);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::string why = way_it_ended(command, status);
    if (why.empty()) return std::nullopt;
    return failed(path, std::move(why));
}

Result<std::string> edit_text(const std::string& text, const std::string& editor) {
    TemporaryFile file(text);
    if (file.path().empty()) return error("file", "no temporary file can be made", "is TMPDIR writable?");
    auto problem = edit_file(file.path(), editor);
    auto edited = read_file(file.path());
    if (!problem) return edited;
    problem->hint = "set EDITOR to one that works";
    if (edited && *edited != text) {
        file.keep();
        problem->hint = fmt::format("what was saved is in {}", file.path());
    }
    return std::move(*problem);
}

}  // namespace cudash::shell
