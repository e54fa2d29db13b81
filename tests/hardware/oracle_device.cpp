#include "tests/hardware/oracle_device.h"

#include <algorithm>

#include "tests/hardware/kernel_text.h"

namespace cudash::oracle {
namespace {

constexpr std::size_t cases_in_a_module = 64;

/// False: a launch failed and the rest was not run.
bool run_some(OracleDevice& device, std::span<const std::size_t> cases, bool stop_at_failure,
              const OutcomeHandler& handle) {
    const std::string refusal = device.load(module_text(cases), kernel_name(cases.front()));
    if (!refusal.empty() && cases.size() == 1) {
        handle(cases[0], {CaseOutcome::State::refused, refusal, {}});
        return true;
    }
    if (!refusal.empty()) {
        const std::size_t half = cases.size() / 2;
        return run_some(device, cases.first(half), stop_at_failure, handle) &&
               run_some(device, cases.subspan(half), stop_at_failure, handle);
    }
    for (std::size_t index : cases) {
        CaseOutcome outcome = device.launch(all_cases()[index], kernel_name(index));
        const bool failed = outcome.state == CaseOutcome::State::failed;
        handle(index, std::move(outcome));
        if (failed && stop_at_failure) return false;
    }
    return true;
}

}  // namespace

void run_cases(OracleDevice& device, std::span<const std::size_t> cases, bool stop_at_failure,
               const OutcomeHandler& handle) {
    while (!cases.empty()) {
        const std::size_t count = std::min(cases.size(), cases_in_a_module);
        if (!run_some(device, cases.first(count), stop_at_failure, handle)) return;
        cases = cases.subspan(count);
    }
}

}  // namespace cudash::oracle
