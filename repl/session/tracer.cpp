#include "repl/session/tracer.h"

#include <fmt/format.h>

namespace cudash::session {
namespace {

/// Describing a call takes about a microsecond: a loop of calls soon runs without.
constexpr std::size_t most_calls = 1000;

std::string shape(const std::array<unsigned, 3>& size) {
    if (size[1] == 1 && size[2] == 1) return fmt::format("{}", size[0]);
    if (size[2] == 1) return fmt::format("({},{})", size[0], size[1]);
    return fmt::format("({},{},{})", size[0], size[1], size[2]);
}

std::string time_text(double nanoseconds) {
    if (nanoseconds < 1e6) return fmt::format("{:.4g} us", nanoseconds / 1e3);
    return fmt::format("{:.4g} ms", nanoseconds / 1e6);
}

}  // namespace

void Tracer::begin(api::Runtime& runtime) {
    calls_.clear();
    forgotten_ = false;
    runtime.set_tracing(true, show_launches);
}

void Tracer::end(api::Runtime& runtime) {
    runtime.set_tracing(false, show_launches);
}

void Tracer::called(api::Runtime& runtime, std::string_view call, std::string_view result) {
    std::string line = fmt::format("{} = {}", call, result);
    if (show_calls) say_({.text = line, .call = std::string(call), .result = std::string(result)});
    if (calls_.size() < most_calls) {
        calls_.push_back(std::move(line));
        return;
    }
    forgotten_ = true;
    if (!show_calls) runtime.set_tracing(false, show_launches);
}

void Tracer::launched(const api::Launched& launch) {
    std::string line = fmt::format("{}<<<{}, {}{}>>>: {}", launch.kernel, shape(launch.grid), shape(launch.block),
                                   launch.shared ? fmt::format(", {}", launch.shared) : "",
                                   launch.failed ? "failed" : time_text(launch.nanoseconds));
    if (launch.findings) line += fmt::format(", {} {}", launch.findings, launch.findings == 1 ? "finding" : "findings");
    const auto size = [](const std::array<unsigned, 3>& of) { return Dim3{of[0], of[1], of[2]}; };
    say_({.text = std::move(line),
          .launch = TraceLine::Launch{launch.kernel, size(launch.grid), size(launch.block), launch.shared,
                                      launch.nanoseconds, launch.findings, launch.failed}});
}

}  // namespace cudash::session
