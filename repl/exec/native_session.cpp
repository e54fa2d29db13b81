// The session of a program that nvcc built: the program itself calls the CUDA runtime, and the front end asks for its
// run and for profiles.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "repl/exec/compiler_library.h"
#include "repl/exec/debug_library.h"
#include "repl/exec/host_code.h"
#include "repl/exec/program.h"
#include "repl/session/debug/debugged_program.h"
#include "repl/session/fault.h"
#include "repl/session/guard.h"
#include "repl/session/profile_answer.h"
#include "repl/session/runtime_setup.h"
#include "repl/session/session.h"
#include "repl/view/diagnostic_printer.h"
#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/cudart/registration.h"

namespace cudash::exec {
namespace {

using session::Cell;
using session::Guard;
using session::GuardedEnd;
using session::Outcome;

std::string line_of_file(const std::string& file, unsigned line) {
    std::ifstream stream(file);
    std::string found;
    for (unsigned number = 0; number < line; ++number)
        if (!std::getline(stream, found)) return {};
    return found;
}

/// Files below the current folder go by their names from there.
std::string as_written(std::string file) {
    std::error_code ignored;
    const std::string folder = std::filesystem::current_path(ignored).string() + "/";
    if (file.starts_with(folder)) file.erase(0, folder.size());
    return file;
}

/// A forked copy has no front end: what is found in it goes to stderr as text.
session::Listener listener_of_copy() {
    session::Listener listener;
    listener.diagnostic = [](const Diagnostic& finding) {
        const auto line = [](std::string_view file, unsigned number) -> std::optional<std::string> {
            return line_of_file(std::string(file), number);
        };
        const std::string text = view::print(finding, line, {});
        std::fwrite(text.data(), 1, text.size(), stderr);
    };
    return listener;
}

Diagnostic no_cuda(const std::string& name) {
    Diagnostic problem = error("no-cuda", name + " has ended without a call of the CUDA runtime",
                               "cudash exec runs what nvcc has built; a script's programs are not looked at");
    problem.severity = Diagnostic::Severity::warning;
    return problem;
}

class NativeSession final : public session::Session {
public:
    NativeSession(const session::Options& options, session::Listener listener)
        : options_(options), listener_(std::move(listener)) {}

    std::optional<Diagnostic> start();
    Outcome evaluate(const Cell& cell) override;
    session::Answer answer(const session::Query&, std::span<std::byte>) override {
        return error("no-session", "a program that nvcc built has no variables that could be shown");
    }
    session::Completions complete(const session::Complete&) override { return {}; }
    std::string device_description() const override { return device_; }
    bool is_open() const { return runtime_ != nullptr; }

private:
    void open();
    Outcome run(const Cell& cell);
    Outcome debug(const Cell& cell);
    void settle();
    Diagnostic fault(const GuardedEnd& end);
    void locate(const GuardedEnd& end, Diagnostic& problem);
    [[noreturn]] void end_by_fault(const GuardedEnd& end);
    void note_lack_of_lines(Diagnostic& finding);

    api::CallPlace place();

    session::Options options_;
    session::Listener listener_;
    HostCode host_code_;
    std::string device_;
    std::string name_;  ///< of the program, as it was given
    bool told_of_lines_ = false;
    std::unique_ptr<session::debug::DebuggedProgram> debugged_;
    std::unique_ptr<api::Runtime> runtime_;  ///< from the first call on
};

/// The session of this process: what opens the runtime and what handles signals has no argument that could lead to it.
NativeSession* opened_here = nullptr;
/// Ctrl-C, for the debugger, which may have no launch to stop.
std::atomic<bool> interrupted{false};

std::optional<Diagnostic> NativeSession::start() {
    const auto selection = api::parse_device(options_.device);
    if (!selection) return selection.error();
    device_ = api::describe_virtual(*selection);
    if (is_program()) tell_own_processes(options_.device, options_.check);
    opened_here = this;
    api::set_opener([] { opened_here->open(); });
    Guard::install([]() noexcept {});
    Guard::leave_interrupts();
    Guard::on_other_thread([](const GuardedEnd& end) { opened_here->end_by_fault(end); });
    return std::nullopt;
}

/// At the first call of the CUDA runtime.
void NativeSession::open() {
    if (!is_program()) listener_ = listener_of_copy();
    api::Events events = session::runtime_events(listener_);
    events.diagnostic = [this, tell = std::move(events.diagnostic)](Diagnostic finding) {
        note_lack_of_lines(finding);
        tell(finding);
    };
    events.place = [this] { return place(); };
    events.spot = [this](std::span<const std::uint64_t> instructions) -> std::optional<SourceSpot> {
        const auto own = host_code_.own_place(instructions);
        return own ? std::optional(SourceSpot{as_written(own->file), own->line, 0}) : std::nullopt;
    };
    auto runtime = session::open_runtime(options_, cudart::registered_code(), std::move(events), load_code_generator);
    if (runtime)
        runtime_ = std::move(*runtime);
    else if (listener_.diagnostic)
        listener_.diagnostic(runtime.error());
}

/// A finding in a kernel names no line: once, how to get them.
void NativeSession::note_lack_of_lines(Diagnostic& finding) {
    const bool has_line = finding.where.line != 0 && finding.where.file != "PTX";
    if (!finding.thread || has_line || std::exchange(told_of_lines_, true)) return;
    finding.notes.push_back({"nvcc -lineinfo puts the lines of kernels into the program, for findings to name", {}});
}

Diagnostic NativeSession::fault(const GuardedEnd& end) {
    Diagnostic problem = end.internal ? session::internal_error(name_, strsignal(end.signal))
                                      : session::describe_fault(end, runtime_.get());
    locate(end, problem);
    if (problem.code == "null-pointer" && problem.where.line != 0) {
        std::string hint = session::help_with_null(line_of_file(problem.where.file, problem.where.line), {});
        if (!hint.empty()) problem.hint = std::move(hint);
    }
    return problem;
}

void NativeSession::locate(const GuardedEnd& end, Diagnostic& problem) {
    problem.where.file = name_;
    if (const auto own = host_code_.own_place(std::span(end.stack).first(end.depth)))
        problem.where = {as_written(own->file), own->line, 0};
}

/// A fault on another thread than main's ends the process.
void NativeSession::end_by_fault(const GuardedEnd& end) {
    // The thread may have held a lock of the heap's: then nothing can be told.
    constexpr unsigned seconds = 5;
    std::signal(SIGALRM, SIG_DFL);
    alarm(seconds);
    if (listener_.diagnostic) listener_.diagnostic(fault(end));
    _exit(128 + end.signal);
}

api::CallPlace NativeSession::place() {
    api::CallPlace place = host_code_.place_of_call();
    place.where.file = as_written(place.where.file);
    return place;
}

Outcome NativeSession::evaluate(const Cell& cell) {
    if (cell.kind == Cell::Kind::run_main) return run(cell);
    if (cell.kind == Cell::Kind::debug_main) return debug(cell);
    constexpr std::string_view profile = "profile";
    const std::string_view request = cell.text;
    if (cell.kind != Cell::Kind::inspect || !request.starts_with(profile))
        return session::refuse(error("no-session", "a program that nvcc built can't be asked for " + cell.text));
    if (!runtime_) return {};
    const std::size_t argument = std::min(request.find_first_not_of(' ', profile.size()), request.size());
    return session::profile_answer(runtime_->profiler(), request.substr(argument), line_of_file);
}

/// The kernels as they stand in the program: nobody compiles them again. A copy that the program forks is not debugged.
Outcome NativeSession::debug(const Cell& cell) {
    if (!api::active() || !runtime_) return session::refuse(error("no-device", "the virtual GPU can't be opened"));
    if (cudart::registered_code().is_empty())
        return session::refuse(error("nothing-to-debug", cell.name + " brings no kernels along that nvcc has built",
                                     "`cudash exec` runs it without the debugger"));
    const api::Target target = runtime_->target();
    if (const auto unit = cudart::registered_code().debug_unit(target); !unit) return session::refuse(unit.error());
    session::debug::DebugSession::Setup setup;
    setup.is_program = true;
    setup.ask = [this](const Outcome& stopped) {
        session::flush_output();
        Outcome shown = stopped;
        for (Diagnostic& diagnostic : shown.diagnostics) session::name_as_written(diagnostic);
        auto line = listener_.debug ? listener_.debug(shown) : std::nullopt;
        if (!line) leave_process(0);
        return line;
    };
    setup.ptx = [target]() -> std::shared_ptr<const std::string> {
        const auto unit = cudart::registered_code().debug_unit(target);
        return unit ? std::make_shared<const std::string>((*unit)->code) : nullptr;
    };
    setup.read = [this](std::string_view ptx) {
        return read_debug_info(ptx, cudart::registered_code().debug_parts(), listener_.diagnostic);
    };
    setup.forget_interrupt = [this] {
        interrupted = false;
        runtime_->forget_interrupt();
    };
    setup.was_interrupted = [] { return interrupted.exchange(false); };
    debugged_ = std::make_unique<session::debug::DebuggedProgram>(
        std::move(setup), session::debug::named({cell.text}, "memory"), listener_.diagnostic);
    std::signal(SIGINT, [](int) {
        interrupted = true;
        opened_here->runtime_->cancel();
    });
    debugged_->begin();
    runtime_->debug_launches([this](const std::string& kernel, bool has_source) {
        return is_program() ? debugged_->debugger_of(kernel, has_source) : nullptr;
    });
    Outcome outcome = run(cell);
    runtime_->debug_launches({});
    debugged_->conclude(outcome);
    return outcome;
}

Outcome NativeSession::run(const Cell& cell) {
    name_ = cell.name;
    int code = 0;
    auto end = Guard::run([&] { code = call_main(); });
    const bool returned = end.kind == GuardedEnd::Kind::returned;
    if (!is_program() && !returned) Guard::end_forked_child(end, code);
    if (returned) {
        settle();
        // Handlers and destructors run, and what they free is not a leak; they end in Guard::leave.
        end = Guard::run([&] { std::exit(code); });
    }
    Outcome outcome;
    session::conclude(end, outcome);
    if (end.kind == GuardedEnd::Kind::signal) outcome.diagnostics.push_back(fault(end));
    if (end.kind == GuardedEnd::Kind::exception) {
        outcome.diagnostics.push_back(session::uncaught_exception(end));
        locate(end, outcome.diagnostics.back());
    }
    settle();
    if (!runtime_) {
        if (outcome.status == Outcome::Status::exited && cudart::registered_code().is_empty())
            outcome.diagnostics.push_back(no_cuda(name_));
        return outcome;
    }
    if (returned && outcome.status == Outcome::Status::exited && runtime_->sticky_error() != 0)
        outcome.status = Outcome::Status::device_error;
    session::add_end_of_program(*runtime_, outcome);
    return outcome;
}

/// Host functions that wait in streams run now.
void NativeSession::settle() {
    if (runtime_ && is_program()) (void)Guard::run([this] { (void)runtime_->synchronize(); });
}

}  // namespace

void serve_without_front_end(const char* device, const char* check) {
    session::Options options;
    if (device) options.device = device;
    if (check) options.check = check;
    options.report_api_errors = options.restore_after_sticky = false;
    static NativeSession session(options, listener_of_copy());
    (void)session.start();
}

bool has_device() {
    return opened_here && opened_here->is_open();
}

}  // namespace cudash::exec

namespace cudash::session {

void Session::prepare(const Options&) {}

Result<std::unique_ptr<Session>> Session::create(const Options& options, Listener listener) {
    auto session = std::make_unique<exec::NativeSession>(options, std::move(listener));
    if (auto problem = session->start()) return std::move(*problem);
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace cudash::session
