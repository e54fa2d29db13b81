// What code does when it comes: it is compiled, and what stands in it at the top level runs.
#include "repl/session/interpreted_session.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "repl/session/compile_help.h"
#include "repl/session/device/device_text.h"
#include "repl/session/libraries.h"
#include "repl/session/long_work.h"
#include "repl/session/slip_help.h"
#include "repl/trim.h"
#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/nvrtc/toolkit.h"

namespace cudash::session {
namespace {

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

}  // namespace

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
    load_compiler();
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

/// Ctrl-C takes code of a library that comes while cells run for theirs, and stops it in its midst.
void InterpretedSession::load_compiler() const {
    if (!unit_->empty()) (void)nvrtc::version();
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

}  // namespace cudash::session
