#include "repl/notebook/notebook_command.h"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <string_view>
#include <vector>

#include "repl/exit_codes.h"
#include "repl/notebook/failure.h"
#include "repl/notebook/kernel.h"
#include "repl/notebook/server.h"

namespace cudash::notebook {
namespace {

/// kernel.json names the program by its path: one that was moved or removed is not found by Jupyter any more.
void tell_of_others(const std::vector<InstalledKernel>& before, const std::string& folder,
                    const view::Display& display) {
    const auto name_of = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
    bool is_first = true;
    for (const InstalledKernel& each : before) {
        if (each.folder == folder) {
            is_first = false;
            if (!each.starts)
                display.messages(
                    fmt::format("  it takes the place of one that started {}, which is gone\n", each.program));
        } else if (!each.starts) {
            display.messages(fmt::format("  {} starts {}, which is gone: `rm -r {}` removes that kernel\n", each.folder,
                                         each.program, each.folder));
        } else if (is_first && name_of(each.folder) == name_of(folder)) {
            display.messages(
                fmt::format("  Jupyter takes {} before it: give this one another name, or "
                            "`cudash kernel uninstall --user` first\n",
                            each.folder));
        }
    }
}

int install(const NotebookCommand& command, const view::Display& display) {
    if (const auto missing = missing_server()) return fail(*missing, display, exit_codes::unavailable);
    const std::vector<InstalledKernel> before = installed_kernels();
    const auto folder = install_kernelspec(command.spec);
    if (!folder) return fail(folder.error(), display, exit_codes::cannot_create);
    display.results(fmt::format("installed the kernel in {}\n", *folder));
    tell_of_others(before, *folder, display);
    return 0;
}

int uninstall(const NotebookCommand& command, const view::Display& display) {
    const auto folder = uninstall_kernelspec(command.spec);
    if (!folder) return fail(folder.error(), display, exit_codes::failed);
    display.results(fmt::format("removed the kernel in {}\n", *folder));
    return 0;
}

int run(const NotebookCommand& command, const view::Display& display) {
    // The session takes interrupts where it waits for a cell; elsewhere they must not end the process.
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
    if (const auto missing = missing_server()) return fail(*missing, display, exit_codes::unavailable);
    const auto connection = read_connection(command.words[1]);
    if (!connection) return fail(connection.error(), display, exit_codes::no_input);
    const auto problem = serve_kernel(*connection, [&](Publisher& publisher) {
        auto kernel = std::make_unique<Kernel>(command.worker, command.values, publisher);
        kernel->start();
        return kernel;
    });
    return problem ? fail(*problem, display, exit_codes::unavailable) : 0;
}

struct Row {
    std::string_view word;
    std::size_t arguments;
    int (*run)(const NotebookCommand&, const view::Display&);
};
constexpr std::array rows = {Row{"install", 0, install}, Row{"uninstall", 0, uninstall}, Row{"run", 1, run}};

}  // namespace

int run_kernel_command(const NotebookCommand& command, const view::Display& display) {
    for (const Row& row : rows)
        if (!command.words.empty() && command.words[0] == row.word && command.words.size() == row.arguments + 1)
            return row.run(command, display);
    return fail(error("usage", "cudash kernel: expected install, uninstall, or run CONNECTION_FILE",
                      "`cudash kernel install --user`, then choose \"CUDA C++ (cudash)\" in Jupyter"),
                display, exit_codes::usage);
}

}  // namespace cudash::notebook
