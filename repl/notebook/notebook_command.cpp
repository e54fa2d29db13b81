#include "repl/notebook/notebook_command.h"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <string_view>

#include "repl/exit_codes.h"
#include "repl/notebook/kernel.h"
#include "repl/notebook/server.h"

namespace cudash::notebook {
namespace {

int fail(const Diagnostic& problem, const view::Display& display, int code) {
    display.show(problem, {});
    return code;
}

int install(const NotebookCommand& command, const view::Display& display) {
    if (const auto missing = missing_server()) return fail(*missing, display, exit_codes::unavailable);
    const auto folder = install_kernelspec(command.spec);
    if (!folder) return fail(folder.error(), display, exit_codes::cannot_create);
    display.results(fmt::format("installed the kernel in {}\n", *folder));
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
