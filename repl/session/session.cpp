#include "repl/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <span>
#include <utility>

#include "repl/session/call_place.h"
#include "repl/session/clang/host_engine.h"
#include "repl/session/compile_help.h"
#include "repl/session/device/device_unit.h"
#include "repl/session/guard.h"
#include "repl/session/host_memory.h"
#include "repl/session/inspect.h"
#include "repl/session/openmp.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/virtual_gpu/exec/kernel_name.h"

namespace cudash::session {
namespace {

/// The runtime that Ctrl-C must stop; the signal handler reaches it here.
api::Runtime* interruptible = nullptr;
void stop_kernels() noexcept {
    if (interruptible) interruptible->cancel();
}

/// What interpreted code has printed appears before what the session says next.
void flush_output() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
}

bool is_one_line(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last).find('\n') == std::string_view::npos;
}

/// PTX knows a kernel by its mangled name, and a cell as a file in the current folder.
void name_as_written(Diagnostic& diagnostic) {
    if (diagnostic.thread) diagnostic.thread->kernel = virtual_gpu::readable_kernel(diagnostic.thread->kernel);
    std::error_code ignored;
    const std::string folder = std::filesystem::current_path(ignored).string() + "/";
    const auto shorten = [&](SourceSpot& spot) {
        if (spot.file.starts_with(folder)) spot.file.erase(0, folder.size());
    };
    shorten(diagnostic.where);
    for (Diagnostic::Note& note : diagnostic.notes) shorten(note.where);
}

class InterpretedSession : public Session {
public:
    InterpretedSession(const Options& options, Listener listener) : options_(options), listener_(std::move(listener)) {}
    ~InterpretedSession() override { interruptible = nullptr; }

    std::optional<Diagnostic> start();
    Outcome evaluate(const Cell& cell) override;
    std::string device_description() const override { return runtime_->device_description(); }

private:
    Outcome compile_and_run(const Cell& cell);
    Outcome link_unresolved();
    Outcome run_main(const Cell& cell);
    void place_managed(const std::string& shadow);
    void conclude(const GuardedEnd& end, const Cell& cell, Outcome& outcome);
    void conclude_device(const Cell& cell, Outcome& outcome);
    Diagnostic fault(const GuardedEnd& end, const Cell& cell) const;
    api::CallPlace place() const;
    SourceSpot spot(const CodePlace& place) const;

    Options options_;
    Listener listener_;
    std::string current_cell_;
    std::set<std::string> one_line_cells_;  ///< their name says enough
    std::vector<Cell> unresolved_;          ///< files that wait for a definition
    bool linking_ = false;                  ///< the last attempt: what is missing now is an error
    std::unique_ptr<HostEngine> engine_;
    std::unique_ptr<DeviceUnit> unit_;
    std::unique_ptr<api::Runtime> runtime_;
};

std::optional<Diagnostic> InterpretedSession::start() {
    const auto selection = api::parse_device(options_.device);
    if (!selection) return selection.error();

    HostEngine::Setup setup;
    setup.include_dirs = options_.include_dirs;
    setup.standard = options_.standard;
    setup.cuda_include = nvrtc::toolkit_include();
    auto engine = HostEngine::create(setup);
    if (!engine) return engine.error();
    engine_ = std::move(*engine);

    unit_ =
        std::make_unique<DeviceUnit>(DeviceUnit::Settings{options_.include_dirs, options_.defines, options_.standard},
                                     [this](std::string_view symbol) { return engine_->address(symbol); });

    api::Options runtime_options;
    runtime_options.device = *selection;
    runtime_options.kernel_timeout_ms = options_.kernel_timeout_ms;
    runtime_options.check = options_.check;
    runtime_options.profile = options_.profile;
    runtime_options.report_errors = options_.report_api_errors;
    runtime_options.keep_unseen_errors = !options_.report_api_errors;
    api::Events events;
    events.diagnostic = [this](Diagnostic diagnostic) {
        flush_output();
        name_as_written(diagnostic);
        if (diagnostic.code == "nvrtc-compile") explain(diagnostic);
        if (listener_.diagnostic) listener_.diagnostic(diagnostic);
    };
    events.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
    events.progress = [this](std::string_view kernel, std::uint64_t done, std::uint64_t all) {
        if (listener_.progress) listener_.progress(kernel, done, all);
    };
    events.place = [this] { return place(); };
    events.spot = [this](std::span<const std::uint64_t> instructions) -> std::optional<SourceSpot> {
        const auto place = own_place(*engine_, instructions);
        return place ? std::optional(spot(*place)) : std::nullopt;
    };
    auto runtime = api::Runtime::create(runtime_options, *unit_, std::move(events));
    if (!runtime) return runtime.error();
    runtime_ = std::move(*runtime);

    for (const api::Symbol& symbol : api::entry_points()) engine_->define(symbol.name, symbol.address);
    for (const api::Symbol& symbol : Guard::replacements()) engine_->define(symbol.name, symbol.address);
    for (const api::Symbol& symbol : memory_functions()) engine_->define_default(symbol.name, symbol.address);
    engine_->set_resolver([](std::string_view name) {
        const void* found = api::find_symbol(name);
        return found ? found : openmp_function(name);
    });
    engine_->set_peek([this](std::uint64_t address, void* buffer, std::size_t bytes) {
        return runtime_->peek(address, buffer, bytes);
    });
    engine_->set_describe(
        [this](std::uint64_t address) { return runtime_->describe_address(address).value_or(std::string()); });

    interruptible = runtime_.get();
    Guard::install(&stop_kernels);

    if (!options_.defines.empty()) {
        std::string text;
        for (const std::string& define : options_.defines) {
            const auto equals = define.find('=');
            text += "#define " + define.substr(0, equals) + " " +
                    (equals == std::string::npos ? "1" : define.substr(equals + 1)) + "\n";
        }
        const auto compiled = engine_->compile("command line", text);
        if (!compiled.ok)
            return compiled.diagnostics.empty() ? error("bad-define", "a -D option is not valid")
                                                : compiled.diagnostics.front();
    }
    return std::nullopt;
}

Outcome InterpretedSession::evaluate(const Cell& cell) {
    const auto begin = std::chrono::steady_clock::now();
    current_cell_ = cell.name;
    if (cell.kind == Cell::Kind::code && is_one_line(cell.text)) one_line_cells_.insert(cell.name);
    Outcome outcome = cell.kind == Cell::Kind::inspect    ? inspect({*engine_, *unit_, *runtime_}, cell.text)
                      : cell.kind == Cell::Kind::run_main ? run_main(cell)
                                                          : compile_and_run(cell);
    flush_output();
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return outcome;
}

/// Where interpreted code is now.
api::CallPlace InterpretedSession::place() const {
    api::CallPlace place = place_of_call(*engine_, api::frame_of_call());
    if (place.where.file.empty()) place.where.file = current_cell_;
    if (one_line_cells_.contains(place.where.file)) place.where.line = 0;
    return place;
}

SourceSpot InterpretedSession::spot(const CodePlace& place) const {
    return {place.file, one_line_cells_.contains(place.file) ? 0 : place.line, 0};
}

Outcome InterpretedSession::compile_and_run(const Cell& cell) {
    Outcome outcome;
    HostEngine::Compiled compiled;
    if (cell.kind == Cell::Kind::file) {
        std::error_code failure;
        compiled = engine_->compile_file(cell.text, std::filesystem::absolute(cell.text, failure).string());
    } else {
        compiled = engine_->compile(cell.name, cell.text);
    }
    outcome.diagnostics = std::move(compiled.diagnostics);
    explain(outcome.diagnostics);
    for (Diagnostic& diagnostic : outcome.diagnostics) name_as_written(diagnostic);
    // Part of the cell (its #include lines) may have been read even if the rest failed.
    std::vector<std::string> managed;
    for (const VariableFact& variable : compiled.facts.variables)
        if (variable.kind == VariableFact::Kind::managed) managed.push_back(variable.shadow_symbol);
    unit_->add(std::move(compiled.facts));
    for (const std::string& shadow : managed) place_managed(shadow);
    if (!compiled.ok) {
        const bool only_unresolved =
            std::all_of(outcome.diagnostics.begin(), outcome.diagnostics.end(), [](const Diagnostic& diagnostic) {
                return diagnostic.severity != Diagnostic::Severity::error || diagnostic.code == "undefined-symbol";
            });
        if (cell.kind == Cell::Kind::file && only_unresolved && !linking_) {
            // A later file may define what this one lacks.
            unresolved_.push_back(cell);
            return {};
        }
        outcome.status = Outcome::Status::compile_error;
        return outcome;
    }
    const auto end = Guard::run([&] {
        for (auto* initializer : compiled.initializers) initializer();
    });
    Guard::end_forked_child(end, 0);
    if (end.kind == GuardedEnd::Kind::returned) outcome.value = engine_->take_value();
    conclude(end, cell, outcome);
    return outcome;
}

/// Host code may use a __managed__ variable before any kernel runs: the runtime must have placed it, initial value and
/// all.
void InterpretedSession::place_managed(const std::string& shadow) {
    using GetSymbolAddress = int (*)(void**, const void*);
    for (const api::Symbol& symbol : api::entry_points()) {
        if (symbol.name != "cudaGetSymbolAddress") continue;
        void* ignored = nullptr;
        reinterpret_cast<GetSymbolAddress>(const_cast<void*>(symbol.address))(&ignored, engine_->address(shadow));
    }
}

/// Compiles again the files that lacked a definition when they were read, as long as that helps.
Outcome InterpretedSession::link_unresolved() {
    while (!unresolved_.empty()) {
        const auto waiting = std::exchange(unresolved_, {});
        for (const Cell& file : waiting) compile_and_run(file);
        if (unresolved_.size() < waiting.size()) continue;
        linking_ = true;
        Outcome outcome = compile_and_run(unresolved_.front());
        linking_ = false;
        unresolved_.clear();
        return outcome;
    }
    return {};
}

Outcome InterpretedSession::run_main(const Cell& cell) {
    Outcome outcome = link_unresolved();
    if (outcome.status != Outcome::Status::ok) return outcome;
    const auto main = engine_->main_function();
    if (!main) {
        outcome.status = Outcome::Status::compile_error;
        outcome.diagnostics.push_back(error("no-main", "the program has no main function",
                                            "define `int main()`, or run the file's cells in the shell"));
        return outcome;
    }
    // As with nvcc, device code that does not compile ends it before it starts.
    if (!unit_->empty()) {
        if (const auto compiled = unit_->unit(runtime_->target()); !compiled)
            outcome.diagnostics.push_back(compiled.error());
        else if (auto failure = unit_->failure())
            outcome.diagnostics.push_back(std::move(*failure));
        if (!outcome.diagnostics.empty()) {
            for (Diagnostic& diagnostic : outcome.diagnostics) name_as_written(diagnostic);
            outcome.status = Outcome::Status::compile_error;
            return outcome;
        }
    }
    std::vector<std::string> storage = cell.arguments;
    if (storage.empty()) storage.push_back("a.out");
    std::vector<char*> arguments;
    for (std::string& argument : storage) arguments.push_back(argument.data());
    arguments.push_back(nullptr);

    int code = 0;
    const auto end = Guard::run([&] {
        const int count = static_cast<int>(storage.size());
        if (main->parameters == 0) {
            const int result = reinterpret_cast<int (*)()>(main->address)();
            if (main->returns_int) code = result;
        } else {
            const int result =
                reinterpret_cast<int (*)(int, char**, char**)>(main->address)(count, arguments.data(), environ);
            if (main->returns_int) code = result;
        }
    });
    Guard::end_forked_child(end, code);
    conclude(end, cell, outcome);
    if (end.kind == GuardedEnd::Kind::returned) {
        outcome.exit_code = code;
        if (outcome.status == Outcome::Status::ok) outcome.status = Outcome::Status::exited;
    }
    if (end.kind == GuardedEnd::Kind::returned || end.kind == GuardedEnd::Kind::exited) {
        Guard::run_exit_handlers();
        // What they free is no leak.
        (void)Guard::run([this] { engine_->run_destructors(); });
    }
    const bool as_it_should = outcome.status == Outcome::Status::exited && outcome.exit_code == 0;
    if (outcome.status != Outcome::Status::interrupted)
        for (Diagnostic& finding : runtime_->end_of_program(as_it_should))
            outcome.diagnostics.push_back(std::move(finding));
    return outcome;
}

void InterpretedSession::conclude(const GuardedEnd& end, const Cell& cell, Outcome& outcome) {
    using Kind = GuardedEnd::Kind;
    outcome.sound = end.sound;
    switch (end.kind) {
        case Kind::returned:
            break;
        case Kind::exited:
            outcome.status = Outcome::Status::exited;
            outcome.exit_code = end.exit_code;
            break;
        case Kind::interrupted:
            outcome.status = Outcome::Status::interrupted;
            outcome.exit_code = 128 + SIGINT;
            break;
        case Kind::signal:
            outcome.status = Outcome::Status::faulted;
            outcome.exit_code = 128 + end.signal;
            flush_output();
            outcome.diagnostics.push_back(fault(end, cell));
            break;
        case Kind::exception:
            outcome.status = Outcome::Status::faulted;
            outcome.exit_code = 128 + SIGABRT;
            outcome.diagnostics.push_back(error("uncaught-exception", "uncaught exception of type " + end.what,
                                                "catch it with try { ... } catch, or mend what throws it"));
            outcome.diagnostics.back().where.file = cell.name;
            break;
    }
    conclude_device(cell, outcome);
}

void InterpretedSession::conclude_device(const Cell& cell, Outcome& outcome) {
    if (outcome.status == Outcome::Status::interrupted) runtime_->abandon();
    // Host functions that wait in streams run now.
    const auto end = Guard::run([this] { (void)runtime_->synchronize(); });
    if (end.kind != GuardedEnd::Kind::returned && outcome.status == Outcome::Status::ok) {
        conclude(end, cell, outcome);
        return;
    }
    const int sticky = runtime_->sticky_error();
    if (sticky == 0) return;
    if (outcome.status == Outcome::Status::ok) {
        outcome.status = Outcome::Status::device_error;
        outcome.exit_code = 1;
    }
    if (cell.kind == Cell::Kind::run_main) return;
    if (runtime_->is_virtual() && options_.restore_after_sticky) {
        runtime_->recover();
    } else if (!runtime_->is_virtual()) {
        outcome.sound = false;
        outcome.diagnostics.push_back(
            error("context-lost",
                  "the error above ended the CUDA context of this process: every further CUDA "
                  "call would return it",
                  "`:replay` runs the session again in a new process"));
    }
}

Diagnostic InterpretedSession::fault(const GuardedEnd& end, const Cell& cell) const {
    Diagnostic problem;
    switch (end.signal) {
        case SIGSEGV:
        case SIGBUS:
            if (end.stack_overflow) {
                problem = error("stack-overflow",
                                "stack overflow: the calls are nested too deeply, or a local variable is too big",
                                "look for a recursion without an end; put big arrays on the heap");
            } else if (const auto device = runtime_->describe_address(end.address)) {
                problem = error("device-pointer-on-host", "host code used a device pointer: " + *device,
                                "only kernels may use device pointers; copy with cudaMemcpy, or allocate with "
                                "cudaMallocManaged or cudaMallocHost");
            } else if (end.address < 4096) {
                problem = error("null-pointer", fmt::format("null pointer used (address {:#x})", end.address),
                                "a pointer was not set, or an allocation failed");
            } else {
                problem =
                    error("segmentation-fault", fmt::format("invalid memory access at address {:#x}", end.address),
                          "an index out of range, or memory that was freed or never allocated");
            }
            break;
        case SIGFPE:
            problem =
                error("division-by-zero", "integer division by zero (or INT_MIN / -1)", "check the divisor first");
            break;
        case SIGABRT:
            problem = error("abort", "the code called abort()", "a failed assertion or a library's check");
            break;
        case SIGILL:
        case SIGTRAP:
            problem =
                error("undefined-behaviour",
                      "execution reached code that can't be run: a function without a return, or one never defined",
                      "check that every path of a function returns a value");
            break;
        default:
            problem = error("signal", fmt::format("ended by signal {} ({})", end.signal, strsignal(end.signal)));
            break;
    }
    problem.where.file = cell.name;
    if (const auto place = own_place(*engine_, std::span(end.stack).first(end.depth))) problem.where = spot(*place);
    return problem;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::create(const Options& options, Listener listener) {
    auto session = std::make_unique<InterpretedSession>(options, std::move(listener));
    if (auto problem = session->start()) return std::move(*problem);
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace cudash::session
