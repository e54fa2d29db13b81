#include "repl/shell/shell.h"

#include <fmt/format.h>
#include <algorithm>

#include <csignal>
#include <utility>

#include "repl/exit_codes.h"
#include "repl/shell/commands.h"
#include "repl/shell/commands/debug.h"
#include "repl/shell/input/history.h"
#include "repl/shell/input/input.h"
#include "repl/shell/line_completion.h"
#include "repl/shell/main_call.h"
#include "repl/shell/pasted_text.h"
#include "repl/shell/split_input.h"
#include "repl/view/note.h"

namespace cudash::shell {
namespace {

using session::Outcome;
using State = worker::Client::State;

InputSetup input_setup(Notebook& notebook) {
    const settings::Values& values = notebook.settings().values();
    InputSetup setup;
    setup.history_file = values.history_file.empty() ? default_history_file() : values.history_file;
    setup.history_size = values.history_size;
    if (values.history_size == 0) setup.history_file.clear();
    setup.editor = [&notebook] { return notebook.settings().values().editor; };
    setup.complete = [&notebook](std::string_view text) { return complete(notebook, text); };
    return setup;
}

class Shell {
public:
    explicit Shell(Notebook& notebook)
        : notebook_(notebook), input_(standard_input(notebook.display(), input_setup(notebook))) {}

    int run() {
        notebook_.client().start();
        greet();
        while (true) {
            watch_start();
            input_->set_by_lines(notebook_.debugging());
            const Entry entry = input_->read(prompt());
            if (entry.kind == Entry::Kind::end) {
                notebook_.display().messages("\n");
                return 0;
            }
            if (entry.kind == Entry::Kind::interrupt) continue;
            if (notebook_.debugging()) {
                if (const auto code = debug(entry.text)) return *code;
                continue;
            }
            const PlainText plain = plain_text(entry.text);
            for (const std::string& note : plain.notes) view::note(notebook_.display(), note);
            if (lost_ && entry.text.find_first_not_of(" \t\n") == std::string::npos) {
                run_command(notebook_, ":replay");
                lost_ = false;
                continue;
            }
            const std::vector<InputPiece> pieces = split_input(plain.text);
            for (const InputPiece& piece : pieces) {
                if (!entry.shown) input_->show(prompt(), piece.text);
                input_->remember(piece.text);
                if (notebook_.debugging()) {
                    const std::string rest(feed_debugger(notebook_, piece.text));
                    if (rest.find_first_not_of(" \t\r\n") != std::string::npos) evaluate(rest, pieces.size() > 1);
                } else if (piece.is_command) {
                    if (const auto code = run_command(notebook_, piece.text)) return *code;
                } else {
                    evaluate(piece.text, pieces.size() > 1);
                }
                if (notebook_.code() == exit_codes::interrupted) break;
            }
            if (pieces.size() > 1 && notebook_.code() != exit_codes::interrupted) notebook_.check_device_code();
        }
    }

private:
    /// Lines that are for the debugger.
    std::optional<int> debug(const std::string& text) {
        input_->remember(text);
        if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
            if (input_->is_terminal()) notebook_.debug_command({});
            return std::nullopt;
        }
        std::string_view rest = text;
        while (!rest.empty() && notebook_.debugging()) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            if (const auto code = debug_line(notebook_, line)) return code;
        }
        if (notebook_.client().state() == State::stopped) notebook_.client().start();
        return std::nullopt;
    }

    std::string prompt() {
        if (notebook_.debugging()) return "(debug) ";
        const worker::Client& client = notebook_.client();
        const bool ready = client.state() == State::ready;
        // "virtual:a100" is called "virtual a100" when it is ready.
        std::string device = ready ? client.device() : client.settings().options.device;
        if (!ready) std::ranges::replace(device, ':', ' ');
        // A narrow terminal has room for the last word.
        if (const unsigned width = notebook_.display().width; width != 0 && width < 40)
            return fmt::format("[{}]> ", device.substr(device.rfind(' ') + 1));
        return fmt::format("cudash [{}]> ", device);
    }

    /// The prompt is there before the worker is; it names the device once that is known.
    void watch_start() {
        worker::Client& client = notebook_.client();
        client.poll_ready();
        if (client.state() != State::starting) {
            // It may have failed before anyone waited for it.
            if (std::exchange(starting_, false) && client.state() == State::failed)
                notebook_.display().show(client.failure(), {});
            input_->watch(-1, {});
            return;
        }
        starting_ = true;
        input_->watch(client.descriptor(), [this] {
            watch_start();
            return prompt();
        });
    }

    void greet() {
        if (!input_->is_terminal()) return;
        const unsigned width = notebook_.display().width;
        constexpr std::string_view all = "cudash: :help lists commands, :lesson teaches CUDA, Ctrl-D leaves\n";
        constexpr std::string_view narrow = ":help, :lesson; Ctrl-D leaves\n", narrowest = ":help\n";
        notebook_.display().messages(width == 0 || width > all.size() ? all
                                     : width > narrow.size()          ? narrow
                                                                      : narrowest);
    }

    void evaluate(const std::string& text, bool more) {
        lost_ = false;
        const Outcome outcome = notebook_.evaluate(text, more);
        const view::Display& display = notebook_.display();
        if (outcome.status == Outcome::Status::exited)
            display.messages(fmt::format("{} called exit({}); the session goes on\n", notebook_.cells().back().name,
                                         outcome.exit_code));
        if (outcome.status == Outcome::Status::lost && notebook_.client().state() == State::stopped) {
            if (notebook_.accepted() > 0) tell_of_replay();
            notebook_.client().start();
        }
        // A pasted program does nothing until someone calls its main.
        if (outcome.status == Outcome::Status::ok && main_form(text) != MainForm::none)
            view::note(display, "main() runs the program");
        if (outcome.status == Outcome::Status::device_error && input_->is_terminal() &&
            !std::exchange(told_of_reset_, true))
            view::note(
                display,
                "In a program every later CUDA call would fail now. The shell clears the error and keeps your memory.");
        if (display.fresh_line) display.fresh_line();
        if (outcome.found && input_->is_terminal() && !std::exchange(told_of_debugger_, true))
            view::note(display, "`:debug last` opens this launch at that moment, as a debugger");
        if (!told_of_cells_ && input_->is_terminal() && !notebook_.cited().empty()) {
            told_of_cells_ = true;
            view::note(display, fmt::format(":history {} shows {}", notebook_.cited().substr(5), notebook_.cited()));
        }
    }

    /// Enter at the next prompt replays, as nothing else is entered there.
    void tell_of_replay() {
        const std::size_t count = notebook_.accepted();
        const std::string cells = count == 1 ? "your cell" : fmt::format("your {} cells", count);
        lost_ = input_->is_terminal();
        view::note(notebook_.display(), fmt::format("Your variables are gone. {} runs {} again.",
                                                    lost_ ? "Enter (or :replay)" : "`:replay`", cells));
    }

    Notebook& notebook_;
    std::unique_ptr<Input> input_;
    bool starting_ = true;        ///< how the worker's start ends is not told yet
    bool told_of_cells_ = false;  ///< how to see one by its number
    bool told_of_reset_ = false;  ///< that the session goes on after a kernel's error
    bool told_of_debugger_ = false;
    bool lost_ = false;  ///< the last cell took the worker with it
};

}  // namespace

int run_shell(Notebook& notebook) {
    return Shell(notebook).run();
}

}  // namespace cudash::shell
