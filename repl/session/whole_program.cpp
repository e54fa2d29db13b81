// Files with a main function.
#include "repl/session/interpreted_session.h"

#include <unistd.h>

#include <algorithm>

#include "repl/session/compile_help.h"
#include "repl/session/fault.h"

namespace cudash::session {

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
    load_compiler();
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
        // What they free is not a leak.
        (void)Guard::run([this] { engine_->run_destructors(); });
    }
    if (outcome.status != Outcome::Status::interrupted) add_end_of_program(*runtime_, outcome);
    return outcome;
}

}  // namespace cudash::session
