#include "repl/notebook/serve_command.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "repl/exit_codes.h"
#include "repl/lesson/export_notebook.h"
#include "repl/lesson/lesson.h"
#include "repl/lesson/lessons_folder.h"
#include "repl/notebook/failure.h"
#include "repl/notebook/kernelspec.h"
#include "repl/notebook/server.h"
#include "repl/shell/editor.h"
#include "repl/shell/write_file.h"
#include "repl/worker/unique_fd.h"

namespace cudash::notebook {
namespace {

namespace fs = std::filesystem;

constexpr int first_port = 8888, ports_to_try = 50;

/// The servers that can be used, the better ones first.
constexpr std::array servers = {"jupyter-lab", "jupyter-notebook"};

/// A folder that is gone at the end.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::error_code failed;
        std::string name = (fs::temp_directory_path(failed) / "cudash-serve-XXXXXX").string();
        if (mkdtemp(name.data())) path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code failed;
        if (!path_.empty()) fs::remove_all(path_, failed);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Whether a server can listen there. SO_REUSEADDR, as servers set it: a port that was just closed counts as free.
bool is_free(int port) {
    const worker::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

Result<int> choose_port(int wanted) {
    if (wanted != 0) {
        if (is_free(wanted)) return wanted;
        return error("port-in-use", fmt::format("port {} of this machine is in use, or only root may use it", wanted),
                     "without --port, cudash serve takes a free one");
    }
    for (int port = first_port; port < first_port + ports_to_try; ++port)
        if (is_free(port)) return port;
    return error("port-in-use",
                 fmt::format("the ports {} to {} are all in use", first_port, first_port + ports_to_try - 1),
                 "`cudash serve --port 9999` takes another one");
}

std::string make_token() {
    std::array<unsigned char, 24> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
    std::string token;
    for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
    return token;
}

/// Makes the folder of the notebooks and writes the lessons that are not there yet: what a student has typed into one
/// stays.
std::optional<Diagnostic> write_lessons(const fs::path& folder) {
    std::error_code failed;
    // One folder, and not those above it: there may be a mistake in the name.
    for (const fs::path& each : {folder, folder / "lessons"}) {
        fs::create_directory(each, failed);
        if (failed)
            return error("not-written", fmt::format("{} can't be made: {}", each.string(), failed.message()),
                         "name a folder in one that is there: cudash serve FOLDER");
    }
    for (const std::string& path : lesson::lessons_in(lesson::lessons_folder())) {
        const fs::path target = folder / "lessons" / (fs::path(path).filename().string() + ".ipynb");
        if (fs::exists(target, failed)) continue;
        std::vector<Diagnostic> problems;
        const lesson::Lesson lesson = lesson::read_lesson(path, problems);
        if (!problems.empty()) return problems.front();
        if (const std::string why = shell::write_file(target.string(), lesson::notebook_of(lesson)); !why.empty())
            return error("not-written", fmt::format("{} can't be written: {}", target.string(), why),
                         "name another folder: cudash serve FOLDER");
    }
    return std::nullopt;
}

/// The folder of the notebooks.
Result<fs::path> chosen_folder(const ServeCommand& command) {
    if (!command.folder.empty()) return fs::path(command.folder);
    const char* const home = std::getenv("HOME");
    if (home && *home) return fs::path(home) / "cudash-notebooks";
    return error("bad-argument", "HOME is not set, and no folder for the notebooks is named", "cudash serve FOLDER");
}

/// Cells can do what their user can; who calls sudo rarely means that.
std::optional<Diagnostic> refuse_sudo() {
    const char* const caller = std::getenv("SUDO_UID");
    if (geteuid() != 0 || !caller || !*caller || std::string_view(caller) == "0") return std::nullopt;
    return error("as-root", "with sudo, the cells of all notebooks would run as root, and their files would be root's",
                 "use `cudash serve` without sudo");
}

/// Its exit code; nullopt: it can't be started.
std::optional<int> run_server(const char* program, const ServeCommand& command, int port,
                              const std::vector<std::string>& variables) {
    std::vector<std::string> words = {program, "--ip=127.0.0.1", fmt::format("--port={}", port), "--port-retries=0"};
    if (command.no_browser) words.emplace_back("--no-browser");
    if (geteuid() == 0) words.emplace_back("--allow-root");
    std::vector<char*> arguments, environment;
    for (std::string& word : words) arguments.push_back(word.data());
    std::vector<std::string> changed = variables;
    for (std::string& variable : changed) environment.push_back(variable.data());
    for (char** each = environ; *each; ++each) {
        const std::string_view name = std::string_view(*each).substr(0, std::string_view(*each).find('=') + 1);
        const bool is_changed =
            std::ranges::any_of(variables, [&](const std::string& variable) { return variable.starts_with(name); });
        if (!is_changed) environment.push_back(*each);
    }
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    // Ctrl-C is for the server, which asks; it ends, and then what was made for it goes.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t process = -1;
    const int failed = posix_spawnp(&process, program, nullptr, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    if (failed != 0) return std::nullopt;
    static volatile sig_atomic_t server = 0;
    server = process;
    std::signal(SIGTERM, [](int) { kill(server, SIGTERM); });
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : exit_codes::signal_base + WTERMSIG(status);
}

}  // namespace

int run_serve_command(const ServeCommand& command, const view::Display& display) {
    if (const auto missing = missing_server()) return fail(*missing, display, exit_codes::unavailable);
    const auto server = std::ranges::find_if(servers, [](const char* each) { return shell::is_program(each); });
    if (server == servers.end())
        return fail(error("no-jupyter", "Jupyter's notebook server is not installed",
                          "install the package jupyter-notebook (apt-get install jupyter-notebook); or use the kernel "
                          "from an editor: cudash kernel install --user"),
                    display, exit_codes::unavailable);
    if (const auto problem = refuse_sudo()) return fail(*problem, display, exit_codes::usage);
    const auto port = choose_port(command.port);
    if (!port) return fail(port.error(), display, exit_codes::unavailable);

    const auto folder = chosen_folder(command);
    if (!folder) return fail(folder.error(), display, exit_codes::usage);
    if (const auto problem = write_lessons(*folder)) return fail(*problem, display, exit_codes::cannot_create);
    std::error_code failed;
    fs::current_path(*folder, failed);
    if (failed)
        return fail(error("not-written", fmt::format("{} can't be entered: {}", folder->string(), failed.message())),
                    display, exit_codes::cannot_create);

    // The kernel of this very program, whether or not one is installed.
    const TemporaryFolder own;
    const auto kernel = install_kernelspec({.prefix = own.path(), .device = command.device});
    if (own.path().empty() || !kernel)
        return fail(kernel ? error("not-written", "no temporary folder can be made") : kernel.error(), display,
                    exit_codes::cannot_create);
    const std::string token = make_token();
    const char* const path = std::getenv("JUPYTER_PATH");
    display.messages(fmt::format("http://127.0.0.1:{}/?token={}\n  the notebooks are in {}; Ctrl-C ends the server\n",
                                 *port, token, fs::current_path(failed).string()));
    const auto code =
        run_server(*server, command, *port,
                   {fmt::format("JUPYTER_PATH={}/share/jupyter{}{}", own.path(), path ? ":" : "", path ? path : ""),
                    "JUPYTER_PREFER_ENV_PATH=0", fmt::format("JUPYTER_TOKEN={}", token)});
    if (!code)
        return fail(error("no-jupyter", fmt::format("{} can't be started", *server)), display, exit_codes::unavailable);
    return *code;
}

}  // namespace cudash::notebook
