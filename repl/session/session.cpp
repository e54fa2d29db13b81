#include "repl/session/session.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "repl/session/call_place.h"
#include "repl/session/clang/code_uses.h"
#include "repl/session/clang/prelude.h"
#include "repl/session/compile_help.h"
#include "repl/session/display_api.h"
#include "repl/session/host_waits.h"
#include "repl/session/interpreted_session.h"
#include "repl/session/libraries.h"
#include "repl/session/memory_functions.h"
#include "repl/session/openmp.h"
#include "repl/session/profile_api.h"
#include "repl/session/transfer.h"
#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/libraries/serve.h"
#include "runtime_wrappers/nvrtc/cancel.h"
#include "runtime_wrappers/nvrtc/toolkit.h"
#include "runtime_wrappers/virtual_gpu/jit/generator.h"
#include "runtime_wrappers/virtual_gpu/runtime/driver_entry.h"

namespace cudash::session {
namespace {

bool is_one_line(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last).find('\n') == std::string_view::npos;
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

}  // namespace

InterpretedSession* InterpretedSession::of_this_process = nullptr;
api::Runtime* InterpretedSession::interruptible = nullptr;
std::atomic<bool> InterpretedSession::interrupt_wanted{false};

void InterpretedSession::stop_device() noexcept {
    interrupt_wanted = true;
    nvrtc::cancel_compilations();
    if (interruptible) interruptible->cancel();
}

InterpretedSession::~InterpretedSession() {
    interruptible = nullptr;
    of_this_process = nullptr;
    // Static objects end while there is a device that what they free belongs to.
    if (engine_ && runtime_) (void)Guard::run([this] { engine_->run_destructors(); });
    flush_output();
    serve_profile(nullptr);
    serve_display({});
}

std::optional<Diagnostic> InterpretedSession::start() {
    auto engine = HostEngine::create(setup_for(options_));
    if (!engine) return engine.error();
    engine_ = std::move(*engine);

    unit_ = std::make_unique<DeviceUnit>(
        DeviceUnit::Settings{options_.include_dirs, options_.defines, options_.standard, options_.second_opinion,
                             prelude_includes()},
        [this](std::string_view symbol) { return engine_->address(symbol); },
        [this](std::string_view symbol) { return engine_->earlier_address(symbol); });
    auto runtime = open_runtime(options_, *unit_, events(), virtual_gpu::create_code_generator);
    if (!runtime) return runtime.error();
    runtime_ = std::move(*runtime);
    runtime_->set_tracing(false, tracer_.show_launches);
    serve_host_code();

    interruptible = runtime_.get();
    Guard::install(&stop_device, &nvrtc::is_cancelable);
    of_this_process = this;
    Guard::on_other_thread([](const GuardedEnd& end) {
        if (of_this_process) of_this_process->tell_fault_on_thread(end);
    });
    return define_options();
}

api::Events InterpretedSession::events() {
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
    return events;
}

void InterpretedSession::serve_host_code() {
    for (const api::Symbol& symbol : api::entry_points()) engine_->define(symbol.name, symbol.address);
    for (const api::Symbol& symbol : Guard::replacements()) engine_->define(symbol.name, symbol.address);
    for (const api::Symbol& symbol : memory_functions()) engine_->define_default(symbol.name, symbol.address);
    for (const api::Symbol& symbol : waiting_functions()) engine_->define_default(symbol.name, symbol.address);
    serve_profile(runtime_.get());
    serve_display([this](Displayed array, const void* frame) { display(std::move(array), frame); });
    engine_->set_device_check([this](const CellFacts& facts) {
        auto refused = checks_device_ ? unit_->refusal(facts, runtime_->target()) : std::nullopt;
        if (!refused) unit_->begin_compiling(facts, runtime_->target());
        return refused;
    });
    engine_->set_resolver([this](std::string_view name) { return resolve(name); });
    engine_->set_peek([this](std::uint64_t address, void* buffer, std::size_t bytes) {
        return runtime_->peek(address, buffer, bytes);
    });
    engine_->set_describe(
        [this](std::uint64_t address) { return runtime_->describe_address(address).value_or(std::string()); });
}

const void* InterpretedSession::resolve(std::string_view name) const {
    const void* found = api::find_symbol(name);
    if (!found) found = profile_function(name);
    if (!found) found = display_function(name);
    if (!found) found = openmp_function(name);
    if (found) return found;
    if (runtime_->is_virtual()) found = libraries::find_function(name);
    // Of the driver API, what keeps no state. Programs that call more of it are built by nvcc.
    if (!found && runtime_->is_virtual() && name.starts_with("cuTensorMap"))
        found = virtual_gpu::runtime::driver_function(name);
    return found ? found : function_of_library(name, !runtime_->is_virtual());
}

std::optional<Diagnostic> InterpretedSession::define_options() {
    if (options_.defines.empty()) return std::nullopt;
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

/// Where interpreted code is now.
api::CallPlace InterpretedSession::place(const void* frame) const {
    api::CallPlace place = place_of_call(*engine_, frame);
    if (place.where.file.empty()) place.where.file = current_cell_;
    if (one_line_cells_.contains(place.where.file)) place.where.line = 0;
    return place;
}

SourceSpot InterpretedSession::spot(const CodePlace& place) const {
    return {place.file, one_line_cells_.contains(place.file) ? 0 : place.line, 0};
}

void Session::prepare(const Options& options) {
    HostEngine::prepare(setup_for(options));
}

Result<std::unique_ptr<Session>> Session::create(const Options& options, Listener listener) {
    auto session = std::make_unique<InterpretedSession>(options, std::move(listener));
    if (auto problem = session->start()) return std::move(*problem);
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace cudash::session
