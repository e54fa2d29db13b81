#include "repl/shell/check_session.h"

#include <fmt/format.h>

#include <string>

namespace cudash::shell {

using session::Cell;
using session::Outcome;

namespace {

std::string count(std::size_t number, std::string_view what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

void check_session(Notebook& notebook) {
    const view::Display& display = notebook.display();
    std::size_t found = 0, cells = 0;
    worker::Observer observer;
    observer.diagnostic = [&](const Diagnostic& diagnostic) {
        ++found;
        display.show(diagnostic, notebook.lines());
    };
    observer.output = [](std::string_view) {};
    worker::Settings settings = notebook.client().settings();
    if (!settings.options.device.starts_with("virtual")) settings.options.device = "virtual";
    settings.options.check = "all";
    worker::Client client(settings, observer);
    for (const Cell& cell : notebook.cells()) {
        const Outcome outcome = client.evaluate(cell);
        ++cells;
        found += outcome.diagnostics.size();
        for (const Diagnostic& diagnostic : outcome.diagnostics) display.show(diagnostic, notebook.lines());
        if (outcome.status == Outcome::Status::exited || outcome.status == Outcome::Status::lost) break;
    }
    display.messages(fmt::format("{} run again on {} with all checkers: {}\n", count(cells, "cell"), client.device(),
                                 found == 0 ? "nothing found" : count(found, "finding")));
}

}  // namespace cudash::shell
