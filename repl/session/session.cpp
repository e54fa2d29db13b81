#include "repl/session/session.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include "repl/session/call_place.h"
#include "repl/session/clang/code_uses.h"
#include "repl/session/clang/dwarf_reader.h"
#include "repl/session/clang/host_engine.h"
#include "repl/session/clang/prelude.h"
#include "repl/session/compile_help.h"
#include "repl/session/debug/debug_session.h"
#include "repl/session/device/device_unit.h"
#include "repl/session/display_api.h"
#include "repl/session/fault.h"
#include "repl/session/guard.h"
#include "repl/session/host_memory.h"
#include "repl/session/host_waits.h"
#include "repl/session/inspect.h"
#include "repl/session/libraries.h"
#include "repl/session/long_work.h"
#include "repl/session/memory/memory.h"
#include "repl/session/openmp.h"
#include "repl/session/profile_api.h"
#include "repl/session/runtime_setup.h"
#include "repl/session/slip_help.h"
#include "repl/session/transfer.h"
#include "repl/trim.h"
#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/libraries/serve.h"
#include "runtime_wrappers/nvrtc/cancel.h"
#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/nvrtc/toolkit.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"
#include "runtime_wrappers/virtual_gpu/jit/generator.h"

namespace cudash::session {
namespace {

/// The runtime that Ctrl-C must stop; the signal handler reaches it here.
api::Runtime* interruptible = nullptr;
std::atomic<bool> interrupt_wanted{false};  ///< for the debugger, which may have no launch to stop
void stop_device() noexcept {
    interrupt_wanted = true;
    nvrtc::cancel_compilations();
    if (interruptible) interruptible->cancel();
}

Diagnostic note(std::string code, std::string message) {
    Diagnostic made = error(std::move(code), std::move(message));
    made.severity = Diagnostic::Severity::note;
    return made;
}

bool is_one_line(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last).find('\n') == std::string_view::npos;
}

/// "reverse(int*, int)" of a mangled name.
std::string signature(std::string_view mangled) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status), &std::free);
    return name ? name.get() : std::string(mangled) + " (extern \"C\")";
}

/// The device text lacks a kernel that was declared, or has it with other parameters.
Diagnostic no_such_kernel(const KernelFact& kernel, std::string_view ptx) {
    std::string names;
    for (std::size_t at = 0; (at = ptx.find(".entry ", at)) != std::string_view::npos; ++at) {
        const std::size_t begin = at + 7, end = ptx.find_first_of(" (\n", begin);
        names += (names.empty() ? "" : ", ") + signature(ptx.substr(begin, end - begin));
    }
    return error("no-such-kernel", fmt::format("there is no kernel {}", signature(kernel.mangled)),
                 names.empty()
                     ? "a kernel is a function with __global__ before it"
                     : fmt::format("the file has {}; names and types of parameters must be those of the task", names));
}

/// On a real GPU the toolkit's libraries work as they are, and some on any: each is loaded when the first of its
/// functions is called.
const void* function_of_library(std::string_view name, bool has_gpu) {
    const LibraryRow* row = library_of_function(name);
    if (!row || row->shared.empty() || (row->needs_gpu && !has_gpu)) return nullptr;
    void* library = nvrtc::open_toolkit_library(std::string(row->shared));
    return library ? dlsym(library, std::string(name).c_str()) : nullptr;
}

HostEngine::Setup setup_for(const Options& options) {
    HostEngine::Setup setup;
    setup.include_dirs = options.include_dirs;
    setup.standard = options.standard;
    setup.cuda_include = nvrtc::toolkit_include();
    // A program's calls are not explained unasked, and a confined worker has no second opinion.
    setup.openmp = !options.report_api_errors && options.second_opinion;
    return setup;
}

/// What the text `arguments[1]` uses, behind the declarations `arguments[0]`: a row for each, and one that says whether
/// all of the text was understood.
Outcome uses_of(const Cell& cell, const HostEngine::Setup& setup) {
    if (cell.arguments.size() != 2) return refuse(error("bad-argument", "uses: declarations and a text are needed"));
    const auto read = read_code_uses(setup, cell.arguments[0], cell.arguments[1]);
    if (!read) return refuse(read.error());
    Table table{{"use", "name", "line", "offset"}, {}};
    for (const CodeUse& use : read->uses)
        table.rows.push_back({use.kind, use.name, fmt::format("{}", use.line), fmt::format("{}", use.offset)});
    if (read->complete) table.rows.push_back({"complete", "", "0", "0"});
    Outcome outcome;
    outcome.table = std::move(table);
    return outcome;
}

class InterpretedSession : public Session {
public:
    InterpretedSession(const Options& options, Listener listener)
        : options_(options), listener_(std::move(listener)), tracer_([this](const Told& told) {
              flush_output();
              if (listener_.told) listener_.told(told);
          }) {
        tracer_.show_calls = options.trace;
        tracer_.show_launches = options.launches;
    }
    ~InterpretedSession() override {
        interruptible = nullptr;
        of_this_process = nullptr;
        // Static objects end while there is a device that what they free belongs to.
        if (engine_ && runtime_) (void)Guard::run([this] { engine_->run_destructors(); });
        flush_output();
        serve_profile(nullptr);
        serve_display({});
    }

    std::optional<Diagnostic> start();
    Outcome evaluate(const Cell& cell) override;
    Answer answer(const Query& query, std::span<std::byte> window) override {
        Answer result = session::answer(inspected(), query, window);
        flush_output();
        return result;
    }
    Completions complete(const Complete& request) override { return engine_->complete(request.text); }
    std::string device_description() const override { return runtime_->device_description(); }

private:
    Outcome answer(const Cell& cell);
    Inspected inspected() {
        return {*engine_,
                *unit_,
                *runtime_,
                tracer_,
                shown_,
                with_last_value_,
                [this](const std::string& file, unsigned line) { return source_line(file, line); }};
    }
    HostEngine::Compiled compile(const Cell& cell);
    Outcome compile_and_run(const Cell& cell);
    Outcome initialize(const Cell& cell, const HostEngine::Compiled& compiled, Outcome outcome);
    Outcome take_device_text(const Cell& cell);
    Outcome link_unresolved();
    Outcome compile_device();
    Outcome debug(const Cell& cell);
    Outcome debug_main(const Cell& cell);
    debug::DebugSession::Setup debug_setup();
    Outcome compile_program();
    void note_finding(const Diagnostic& diagnostic);
    Outcome run_main(const Cell& cell);
    void place_managed(const std::string& shadow);
    void show_device_variable(const Cell& cell, Outcome& outcome);
    void conclude(const GuardedEnd& end, const Cell& cell, Outcome& outcome);
    void conclude_device(const Cell& cell, Outcome& outcome);
    Diagnostic fault(const GuardedEnd& end, const Cell& cell, std::optional<Diagnostic> missing) const;
    void tell_fault_on_thread(const GuardedEnd& end);
    api::CallPlace place() const { return place(api::frame_of_call()); }
    api::CallPlace place(const void* frame) const;
    void display(Displayed array, const void* frame);
    std::string source_line(const std::string& file, unsigned line) const;
    SourceSpot spot(const CodePlace& place) const;

    static InterpretedSession* of_this_process;
    Options options_;
    Listener listener_;
    std::string current_cell_;
    std::set<std::string> one_line_cells_;  ///< their name says enough
    std::map<std::string, std::string> cell_texts_;
    std::vector<std::pair<std::string, std::uint64_t>> first_launches_;  ///< of the cells, in their order
    std::optional<FoundInLaunch> found_;                                 ///< in this cell
    std::vector<Cell> unresolved_;                                       ///< files that wait for a definition
    /// Files of a program: their global variables begin when all of it is known to compile.
    std::vector<std::pair<Cell, HostEngine::Compiled>> to_initialize_;
    std::uint32_t files_ = 0;                   ///< compiled so far
    std::map<std::string, std::string> shown_;  ///< types of cells' values
    std::set<std::string> with_last_value_;     ///< cells that use `_`
    Tracer tracer_;
    bool checks_device_ = false;  ///< the cell fails if device code refuses what it declares
    bool linking_ = false;        ///< the last attempt: what is missing now is an error
    std::unique_ptr<HostEngine> engine_;
    std::unique_ptr<DeviceUnit> unit_;
    std::unique_ptr<api::Runtime> runtime_;
};

InterpretedSession* InterpretedSession::of_this_process = nullptr;

std::optional<Diagnostic> InterpretedSession::start() {
    auto engine = HostEngine::create(setup_for(options_));
    if (!engine) return engine.error();
    engine_ = std::move(*engine);

    unit_ =
        std::make_unique<DeviceUnit>(DeviceUnit::Settings{options_.include_dirs, options_.defines, options_.standard,
                                                          options_.second_opinion, prelude_includes()},
                                     [this](std::string_view symbol) { return engine_->address(symbol); });

    api::Events events = runtime_events(listener_);
    events.diagnostic = [this, tell = std::move(events.diagnostic)](Diagnostic diagnostic) {
        if (diagnostic.code == "interrupted") return;  // that the cell was interrupted is told once
        note_finding(diagnostic);
        name_as_written(diagnostic);
        if (diagnostic.code == "nvrtc-compile" || diagnostic.code == "nvcc-compile") explain(diagnostic);
        tell(diagnostic);
    };
    // A program has no prompt at which its calls could be asked for.
    if (options_.report_api_errors)
        events.trace = [this](std::string_view call, std::string_view result) {
            tracer_.called(*runtime_, call, result);
        };
    events.launched = [this](const api::Launched& launch) { tracer_.launched(launch); };
    events.place = [this] { return place(); };
    events.spot = [this](std::span<const std::uint64_t> instructions) -> std::optional<SourceSpot> {
        const auto place = own_place(*engine_, instructions);
        return place ? std::optional(spot(*place)) : std::nullopt;
    };
    auto runtime = open_runtime(options_, *unit_, std::move(events), virtual_gpu::create_code_generator);
    if (!runtime) return runtime.error();
    runtime_ = std::move(*runtime);
    runtime_->set_tracing(false, tracer_.show_launches);

    for (const api::Symbol& symbol : api::entry_points()) engine_->define(symbol.name, symbol.address);
    for (const api::Symbol& symbol : Guard::replacements()) engine_->define(symbol.name, symbol.address);
    for (const api::Symbol& symbol : memory_functions()) engine_->define_default(symbol.name, symbol.address);
    for (const api::Symbol& symbol : waiting_functions()) engine_->define_default(symbol.name, symbol.address);
    serve_profile(runtime_.get());
    serve_display([this](Displayed array, const void* frame) { display(std::move(array), frame); });
    engine_->set_device_check([this](const CellFacts& facts) {
        return checks_device_ ? unit_->refusal(facts, runtime_->target()) : std::nullopt;
    });
    engine_->set_resolver([this](std::string_view name) {
        const void* found = api::find_symbol(name);
        if (!found) found = profile_function(name);
        if (!found) found = display_function(name);
        if (!found) found = openmp_function(name);
        if (found) return found;
        if (runtime_->is_virtual()) found = libraries::find_function(name);
        return found ? found : function_of_library(name, !runtime_->is_virtual());
    });
    engine_->set_peek([this](std::uint64_t address, void* buffer, std::size_t bytes) {
        return runtime_->peek(address, buffer, bytes);
    });
    engine_->set_describe(
        [this](std::uint64_t address) { return runtime_->describe_address(address).value_or(std::string()); });

    interruptible = runtime_.get();
    Guard::install(&stop_device, &nvrtc::is_cancelable);
    of_this_process = this;
    Guard::on_other_thread([](const GuardedEnd& end) {
        if (of_this_process) of_this_process->tell_fault_on_thread(end);
    });

    if (!options_.defines.empty()) {
        std::string text;
        for (const std::string& define : options_.defines) {
            const auto equals = define.find('=');
            text += "#define " + define.substr(0, equals) + " " +
                    (equals == std::string::npos ? "1" : define.substr(equals + 1)) + "\n";
        }
        auto compiled = engine_->compile("command line", text);
        if (!compiled.ok)
            return compiled.diagnostics.empty() ? error("bad-define", "a -D option is not valid")
                                                : compiled.diagnostics.front();
        // Sources are numbered from the first cell on.
        unit_->add(std::move(compiled.facts));
    }
    return std::nullopt;
}

/// Of a cell, or of a file as it is now.
std::string InterpretedSession::source_line(const std::string& file, unsigned line) const {
    // NVRTC makes a path of the name of a cell.
    const auto cell = cell_texts_.find(std::filesystem::path(file).filename().string());
    std::ifstream stream;
    std::istringstream text;
    std::istream* from = &stream;
    if (cell != cell_texts_.end()) {
        text.str(cell->second);
        from = &text;
    } else {
        stream.open(file);
    }
    std::string found;
    for (unsigned number = 0; number < line; ++number)
        if (!std::getline(*from, found)) return {};
    return found;
}

Outcome InterpretedSession::answer(const Cell& cell) {
    switch (cell.kind) {
        case Cell::Kind::inspect:
            if (cell.text == "uses") return uses_of(cell, setup_for(options_));
            return inspect(inspected(), cell.text);
        case Cell::Kind::run_main:
            return run_main(cell);
        case Cell::Kind::compile_device:
            return compile_device();
        case Cell::Kind::device:
            return take_device_text(cell);
        case Cell::Kind::load:
        case Cell::Kind::store:
            return transfer(*engine_, cell);
        case Cell::Kind::debug:
            return debug(cell);
        case Cell::Kind::debug_main:
            return debug_main(cell);
        case Cell::Kind::debug_command:
            return refuse(
                error("not-debugging", "no launch is stopped in the debugger", ":debug k<<<1, 32>>>(p) starts one"));
        case Cell::Kind::code:
        case Cell::Kind::file:
        case Cell::Kind::kernels:
            break;
    }
    return compile_and_run(cell);
}

/// A finding of a launch is what `:debug last` opens it at.
void InterpretedSession::note_finding(const Diagnostic& diagnostic) {
    const std::uint64_t number = runtime_ ? runtime_->launch_told_of() : 0;
    if (number == 0 || found_ || diagnostic.code == "kernel-cancelled" || diagnostic.code == "kernel-timeout") return;
    // It may have been launched by an earlier cell.
    for (const auto& [cell, before] : first_launches_)
        if (before < number) found_ = {cell, number - before - 1, diagnostic.code, diagnostic.where};
}

/// What follows `name=` among the arguments; empty: nothing does.
std::string named(const std::vector<std::string>& arguments, std::string_view name) {
    for (const std::string& each : arguments)
        if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=')
            return each.substr(name.size() + 1);
    return {};
}

debug::DebugSession::Setup InterpretedSession::debug_setup() {
    debug::DebugSession::Setup setup;
    setup.ask = [this](const Outcome& stopped) {
        Guard::hold_interrupts(true);
        Outcome shown = stopped;
        for (Diagnostic& diagnostic : shown.diagnostics) name_as_written(diagnostic);
        return listener_.debug ? listener_.debug(shown) : std::nullopt;
    };
    setup.ptx = [this]() -> std::shared_ptr<const std::string> {
        const auto unit = unit_->debug_unit(runtime_->target());
        return unit ? std::make_shared<const std::string>((*unit)->code) : nullptr;
    };
    setup.read = [this](std::string_view ptx) {
        debug::DebugInfo info;
        for (const DeviceUnit::DebugPart& part : unit_->debug_parts())
            info.append(read_debug_info(std::string(ptx) + "\n" + part.sections), part.renamed);
        if (unit_->debug_parts().empty()) info = read_debug_info(ptx);
        engine_->complete_debug_info(info);
        return info;
    };
    setup.forget_interrupt = [this] {
        interrupt_wanted = false;
        runtime_->forget_interrupt();
    };
    return setup;
}

std::shared_ptr<virtual_gpu::Debugger> debugger_for(debug::DebugSession& session, std::function<void()> over,
                                                    const std::string& memory,
                                                    std::optional<virtual_gpu::SoughtFinding> sought = {}) {
    virtual_gpu::Debugger::Setup setup{
        .converse = [&session](virtual_gpu::Debugger& at,
                               const virtual_gpu::Stopped& stopped) { return session.converse(at, stopped); },
        .breaks = [&session](const virtual_gpu::Arrival& arrival) { return session.breaks(arrival); },
        .over = std::move(over),
        .sought = std::move(sought)};
    if (!memory.empty()) setup.most_bytes = std::strtoull(memory.c_str(), nullptr, 10) << 20;
    return std::make_shared<virtual_gpu::Debugger>(std::move(setup));
}

/// The cell runs as any other, with its first launch under the debugger.
Outcome InterpretedSession::debug(const Cell& cell) {
    if (!runtime_->is_virtual())
        return refuse(error("needs-virtual", "the debugger needs the virtual GPU", "try :device virtual"));
    debug::DebugSession::Setup setup = debug_setup();
    const std::string launch = named(cell.arguments, "launch"), memory = named(cell.arguments, "memory");
    std::optional<virtual_gpu::SoughtFinding> sought;
    if (!launch.empty()) {
        sought = {named(cell.arguments, "code"), named(cell.arguments, "file"),
                  static_cast<unsigned>(std::strtoul(named(cell.arguments, "line").c_str(), nullptr, 10))};
        setup.seeks_finding = true;
    }
    debug::DebugSession session(std::move(setup));
    bool launched = false;
    std::uint64_t before = std::strtoull(launch.c_str(), nullptr, 10);  // launches that run as ever
    runtime_->debug_launches([&](const std::string&, bool) -> std::shared_ptr<virtual_gpu::Debugger> {
        if (launched) return nullptr;
        if (before != 0) {
            --before;
            return nullptr;
        }
        launched = true;
        return debugger_for(
            session, [] { Guard::hold_interrupts(false); }, memory, sought);
    });
    Outcome outcome = compile_and_run(cell);
    runtime_->debug_launches({});
    Guard::hold_interrupts(false);
    outcome.taken_back = session.was_abandoned();
    if (session.was_abandoned()) outcome.text += "the launch was taken back: memory is as it was before it\n";
    if (!launched && outcome.status == Outcome::Status::ok) {
        Diagnostic note = error("nothing-to-debug", "the code launched no kernel", ":debug k<<<1, 32>>>(p)");
        note.severity = Diagnostic::Severity::warning;
        outcome.diagnostics.push_back(std::move(note));
    }
    return outcome;
}

/// A program with all of its launches under one debugger. Who leaves it ends the process: a launch that was taken back
/// would be none that its host code could go on from.
Outcome InterpretedSession::debug_main(const Cell& cell) {
    if (!runtime_->is_virtual())
        return refuse(error("needs-virtual", "the debugger needs the virtual GPU", "leave --device gpu away"));
    if (Outcome compiled = compile_program(); compiled.status != Outcome::Status::ok) return compiled;
    if (unit_->empty()) return refuse(error("nothing-to-debug", "the program has no kernel", "`cudash run` runs it"));
    if (const auto unit = unit_->debug_unit(runtime_->target()); !unit) return refuse(unit.error());
    debug::DebugSession::Setup setup = debug_setup();
    setup.is_program = true;
    setup.was_interrupted = [] { return interrupt_wanted.exchange(false); };
    setup.ask = [this, ask = std::move(setup.ask)](const Outcome& stopped) {
        flush_output();
        auto line = ask(stopped);
        if (!line) std::_Exit(0);
        return line;
    };
    debug::DebugSession session(std::move(setup));
    const std::string memory = named({cell.text}, "memory");
    interrupt_wanted = false;
    session.before_program();
    std::set<std::string> told;
    runtime_->debug_launches([&](const std::string& kernel, bool has_source) -> std::shared_ptr<virtual_gpu::Debugger> {
        if (has_source)
            return debugger_for(
                session, [&] { session.launch_ends(); }, memory);
        if (told.insert(kernel).second && listener_.diagnostic)
            listener_.diagnostic(note("library-kernel", fmt::format("the debugger doesn't stop in {}: it is a "
                                                                    "library's, and its source is not known",
                                                                    kernel)));
        return nullptr;
    });
    // Until it ends, Ctrl-C stops the launch that runs, or the next one.
    Guard::hold_interrupts(true);
    Outcome outcome = run_main(cell);
    runtime_->debug_launches({});
    Guard::hold_interrupts(false);
    if (session.launches() == 0)
        outcome.diagnostics.push_back(note("nothing-to-debug", "the program launched no kernel"));
    else if (session.was_quiet() && session.breakpoints() != 0)
        outcome.diagnostics.push_back(
            note("no-breakpoint-hit",
                 session.launches() == 1
                     ? "the program ended: its launch reached no breakpoint"
                     : fmt::format("the program ended: its {} launches reached no breakpoint", session.launches())));
    return outcome;
}

Outcome InterpretedSession::evaluate(const Cell& cell) {
    const auto begin = std::chrono::steady_clock::now();
    current_cell_ = cell.name;
    const bool is_code = cell.kind == Cell::Kind::code || cell.kind == Cell::Kind::debug;
    checks_device_ = is_code && !cell.more;
    if (is_code) cell_texts_[cell.name] = cell.text;
    if (runtime_) first_launches_.emplace_back(cell.name, runtime_->launches());
    found_.reset();
    if (is_code && is_one_line(cell.text)) one_line_cells_.insert(cell.name);
    Outcome outcome = answer(cell);
    flush_output();
    outcome.found = std::exchange(found_, std::nullopt);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return outcome;
}

/// Where interpreted code is now.
/// What can't be shown is a finding of the line that asks for it; the program goes on.
void InterpretedSession::display(Displayed array, const void* frame) {
    auto problem = find_displayed(inspected(), array);
    if (!problem) {
        if (listener_.displayed) listener_.displayed(array);
        return;
    }
    problem->where = place(frame).where;
    flush_output();
    name_as_written(*problem);
    if (listener_.diagnostic) listener_.diagnostic(*problem);
}

api::CallPlace InterpretedSession::place(const void* frame) const {
    api::CallPlace place = place_of_call(*engine_, frame);
    if (place.where.file.empty()) place.where.file = current_cell_;
    if (one_line_cells_.contains(place.where.file)) place.where.line = 0;
    return place;
}

SourceSpot InterpretedSession::spot(const CodePlace& place) const {
    return {place.file, one_line_cells_.contains(place.file) ? 0 : place.line, 0};
}

HostEngine::Compiled InterpretedSession::compile(const Cell& cell) {
    std::function<void(std::string_view)> tell;
    if (options_.tell_of_compiling)
        tell = [this](std::string_view what) {
            if (listener_.progress) listener_.progress(what, 0, 0);
        };
    const LongWork compiling("compiling", std::move(tell));
    if (cell.kind != Cell::Kind::file) return engine_->compile(cell.name, cell.text);
    std::error_code failure;
    return engine_->compile_file(cell.text, std::filesystem::absolute(cell.text, failure).string());
}

Outcome InterpretedSession::compile_and_run(const Cell& cell) {
    Outcome outcome;
    HostEngine::Compiled compiled = compile(cell);
    outcome.diagnostics = std::move(compiled.diagnostics);
    for (Diagnostic& diagnostic : outcome.diagnostics)
        if (diagnostic.hint.empty()) diagnostic.hint = help_with_header(diagnostic);
    explain(outcome.diagnostics);
    if (cell.kind == Cell::Kind::code) explain_slips(outcome.diagnostics, cell.name, cell.text);
    for (Diagnostic& diagnostic : outcome.diagnostics) name_as_written(diagnostic);
    // Part of the cell (its #include lines) may have been read even if the rest failed.
    std::vector<std::string> managed;
    for (const VariableFact& variable : compiled.facts.variables)
        if (variable.kind == VariableFact::Kind::managed) managed.push_back(variable.shadow_symbol);
    // What only declares a device text's kernels gives host code their stubs, and device code nothing.
    if (cell.kind == Cell::Kind::kernels)
        for (Declaration& declaration : compiled.facts.declarations)
            if (declaration.role == Declaration::Role::device) declaration.role = Declaration::Role::host;
    unit_->add(std::move(compiled.facts), cell.kind == Cell::Kind::file ? ++files_ : 0);
    api::thread_state().in_preparation = true;
    for (const std::string& shadow : managed) place_managed(shadow);
    api::thread_state().in_preparation = false;
    if (!compiled.ok) {
        const bool only_unresolved =
            std::all_of(outcome.diagnostics.begin(), outcome.diagnostics.end(), [](const Diagnostic& diagnostic) {
                return diagnostic.severity != Diagnostic::Severity::error || diagnostic.code == "undefined-symbol" ||
                       diagnostic.code == "missing-library";
            });
        if (cell.kind == Cell::Kind::file && only_unresolved && !linking_) {
            // A later file may define what this one lacks.
            unresolved_.push_back(cell);
            return {};
        }
        outcome.status = Outcome::Status::compile_error;
        return outcome;
    }
    if (cell.kind == Cell::Kind::file && cell.more) {
        to_initialize_.emplace_back(cell, std::move(compiled));
        return outcome;
    }
    return initialize(cell, compiled, std::move(outcome));
}

Outcome InterpretedSession::initialize(const Cell& cell, const HostEngine::Compiled& compiled, Outcome outcome) {
    tracer_.begin(*runtime_);
    const auto end = Guard::run([&] {
        for (auto* initializer : compiled.initializers) initializer();
    });
    tracer_.end(*runtime_);
    Guard::end_forked_child(end, 0);
    if (compiled.uses_last_value) with_last_value_.insert(cell.name);
    if (end.kind == GuardedEnd::Kind::returned) outcome.value = engine_->take_value(true);
    // Undefined: what the compiler left there is no value.
    if (std::ranges::any_of(outcome.diagnostics,
                            [](const Diagnostic& each) { return each.message.ends_with("by zero is undefined"); }))
        outcome.value.reset();
    if (outcome.value) show_device_variable(cell, outcome);
    if (outcome.value) shown_[cell.name] = outcome.value->type;
    conclude(end, cell, outcome);
    return outcome;
}

/// A cell that only names a variable of device memory shows what is there, and not the host's copy, of which the
/// warning would speak.
void InterpretedSession::show_device_variable(const Cell& cell, Outcome& outcome) {
    const std::string_view name = trim(cell.text);
    const auto in_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':'; };
    if (!std::all_of(name.begin(), name.end(), in_name)) return;
    auto value = engine_->device_variable(name, &device_address);
    if (!value) return;
    outcome.value = std::move(value);
    std::erase_if(outcome.diagnostics, is_about_device_memory);
}

/// Compiles it at once: its mistakes are told before anything is launched.
Outcome InterpretedSession::take_device_text(const Cell& cell) {
    std::vector<std::string> folders = options_.include_dirs;
    for (std::string& folder : nvrtc::toolkit_folders()) folders.push_back(std::move(folder));
    unit_->add(device_text(cell.name, cell.text, folders));
    Outcome outcome;
    const auto compiled = unit_->unit(runtime_->target());
    if (!compiled) {
        outcome.diagnostics.push_back(compiled.error());
    } else {
        outcome.text = (*compiled)->log;
        for (const KernelFact& kernel : unit_->kernels()) {
            const auto* symbol = unit_->kernel(engine_->address(kernel.stub_symbol));
            if (symbol && (*compiled)->code.find(".entry " + symbol->name + "(") == std::string::npos)
                outcome.diagnostics.push_back(no_such_kernel(kernel, (*compiled)->code));
        }
    }
    if (!outcome.diagnostics.empty()) outcome.status = Outcome::Status::compile_error;
    explain(outcome.diagnostics);
    for (Diagnostic& diagnostic : outcome.diagnostics) name_as_written(diagnostic);
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

Outcome InterpretedSession::compile_device() {
    Outcome outcome;
    if (unit_->empty()) return outcome;
    if (const auto compiled = unit_->unit(runtime_->target()); !compiled)
        outcome.diagnostics.push_back(compiled.error());
    else if (auto failure = unit_->failure())
        outcome.diagnostics.push_back(std::move(*failure));
    if (outcome.diagnostics.empty()) return outcome;
    if (outcome.diagnostics.front().code == "interrupted") {
        outcome.diagnostics.clear();
        outcome.status = Outcome::Status::interrupted;
        return outcome;
    }
    std::erase_if(outcome.diagnostics, [&](const Diagnostic& each) { return !unit_->tell(each); });
    explain(outcome.diagnostics);
    for (Diagnostic& diagnostic : outcome.diagnostics) name_as_written(diagnostic);
    outcome.status = Outcome::Status::compile_error;
    return outcome;
}

Outcome InterpretedSession::compile_program() {
    Outcome outcome = link_unresolved();
    if (outcome.status != Outcome::Status::ok) return outcome;
    if (!engine_->main_function())
        return refuse(error("no-main", "the program has no main function",
                            "define `int main()`, or run the file's cells in the shell"));
    // As with nvcc, device code that does not compile ends it before it starts.
    return compile_device();
}

Outcome InterpretedSession::run_main(const Cell& cell) {
    Outcome outcome = compile_program();
    if (outcome.status != Outcome::Status::ok) return outcome;
    const auto main = engine_->main_function();
    for (const auto& [file, compiled] : std::exchange(to_initialize_, {}))
        if (Outcome begun = initialize(file, compiled, {}); begun.status != Outcome::Status::ok) return begun;
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
    // A call of what is defined nowhere traps before it does anything.
    auto missing = end.kind == Kind::signal ? engine_->take_undefined() : std::nullopt;
    outcome.sound = end.sound || missing;
    session::conclude(end, outcome);
    if (end.kind == Kind::signal) {
        flush_output();
        outcome.diagnostics.push_back(fault(end, cell, std::move(missing)));
    } else if (end.kind == Kind::exception) {
        outcome.diagnostics.push_back(uncaught_exception(end));
        outcome.diagnostics.back().where.file = cell.name;
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
    if (cell.kind == Cell::Kind::run_main || cell.kind == Cell::Kind::debug_main) return;
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

/// A fault on a thread that a cell has started ends the process.
void InterpretedSession::tell_fault_on_thread(const GuardedEnd& end) {
    // The session's own thread: it is clang that fell.
    if (gettid() == getpid()) return;
    // The thread may have held a lock of the heap's: then nothing can be told.
    constexpr unsigned seconds = 5;
    std::signal(SIGALRM, SIG_DFL);
    alarm(seconds);
    Cell cell;
    cell.name = current_cell_;
    if (listener_.diagnostic) listener_.diagnostic(fault(end, cell, engine_->take_undefined()));
    flush_output();
}

Diagnostic InterpretedSession::fault(const GuardedEnd& end, const Cell& cell, std::optional<Diagnostic> missing) const {
    if (end.internal) {
        Diagnostic problem = internal_error(cell.name, strsignal(end.signal));
        if (const auto place = own_place(*engine_, std::span(end.stack).first(end.depth))) problem.where = spot(*place);
        return problem;
    }
    const bool trapped = end.signal == SIGILL || end.signal == SIGTRAP;
    Diagnostic problem = missing && trapped ? std::move(*missing) : describe_fault(end, runtime_.get());
    problem.where.file = cell.name;
    if (const auto place = own_place(*engine_, std::span(end.stack).first(end.depth))) problem.where = spot(*place);
    return problem;
}

}  // namespace

void Session::prepare(const Options& options) {
    HostEngine::prepare(setup_for(options));
}

Result<std::unique_ptr<Session>> Session::create(const Options& options, Listener listener) {
    auto session = std::make_unique<InterpretedSession>(options, std::move(listener));
    if (auto problem = session->start()) return std::move(*problem);
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace cudash::session
