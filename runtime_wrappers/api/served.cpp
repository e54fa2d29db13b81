#include "runtime_wrappers/api/served.h"

#include <fmt/format.h>

namespace cudash::api {
namespace {

std::uint64_t generations = 0;

}  // namespace

Served::Served(DeviceCode& code, Events events, const Options& options) {
    state.code = &code;
    state.events = std::move(events);
    state.trace_calls = static_cast<bool>(state.events.trace);
    state.report_errors = options.report_errors;
    state.keep_failed_calls = options.keep_failed_calls;
    state.generation = ++generations;
    state.ledger = std::make_unique<host_check::Ledger>();
}

Served::~Served() {
    if (active() == &state) set_active(nullptr);
}

void Served::begin(Backend& backend) {
    state.backend = &backend;
    set_active(&state);
}

HostChecks host_checks(const virtual_gpu::Selection& selection) {
    using virtual_gpu::Checker;
    return {.copies = selection.has(Checker::copy),
            .unchecked = selection.has(Checker::unchecked),
            .leaks = selection.has(Checker::leak)};
}

std::vector<Diagnostic> what_leaks(std::span<const host_check::Leak> memory, const host_check::Ledger& ledger) {
    std::vector<Diagnostic> found;
    if (auto leak = host_check::describe_leaks(memory)) found.push_back(std::move(*leak));
    if (auto left = host_check::describe_undestroyed(ledger.objects())) found.push_back(std::move(*left));
    return found;
}

std::vector<Diagnostic> what_is_left(const Runtime& runtime, const Active& state, bool as_it_should) {
    std::vector<Diagnostic> found = state.failed_calls.take(as_it_should);
    if (!state.host_checks.unchecked) found.clear();
    if (!as_it_should || runtime.sticky_error() != cudaSuccess || !state.host_checks.leaks) return found;
    for (Diagnostic& leak : runtime.leaks()) found.push_back(std::move(leak));
    return found;
}

std::string details_of_pitched(std::uint64_t pitch, std::uint64_t width, std::uint64_t height) {
    return fmt::format("pitch {}, rows of {} bytes, {} rows", pitch, width, height);
}

}  // namespace cudash::api
