#include "repl/session/fault.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstring>
#include <regex>

namespace cudash::session {

Diagnostic describe_fault(const GuardedEnd& end, const api::Runtime* runtime) {
    Diagnostic problem;
    const auto device = runtime ? runtime->describe_address(end.address) : std::nullopt;
    const auto unusable = runtime ? runtime->describe_unusable(end.address) : std::nullopt;
    switch (end.signal) {
        case SIGSEGV:
        case SIGBUS:
            if (end.stack_overflow) {
                problem = error("stack-overflow",
                                "stack overflow: the calls are nested too deeply, or a local variable is too big",
                                "look for a recursion without an end; put big arrays on the heap");
            } else if (device) {
                problem = error("device-pointer-on-host", "host code used a device pointer: " + *device,
                                "only kernels may use device pointers; copy with cudaMemcpy, or allocate with "
                                "cudaMallocManaged or cudaMallocHost");
            } else if (end.address < 4096) {
                problem = error("null-pointer", fmt::format("null pointer used (address {:#x})", end.address),
                                "a pointer was not set, or an allocation failed");
            } else {
                problem = error("segmentation-fault",
                                fmt::format("invalid memory access at address {:#x}{}", end.address,
                                            unusable ? ": " + *unusable : ""),
                                "an index out of range, or memory that was freed or never allocated");
            }
            break;
        case SIGFPE:
            problem =
                error("division-by-zero", "integer division by zero (or INT_MIN / -1)", "check the divisor first");
            break;
        case SIGABRT:
            if (end.heap_corrupted)
                problem = error("heap-corruption",
                                fmt::format("the host's heap is destroyed, or is given back what is not its own: {}",
                                            end.said_at_abort.data()),
                                "free what malloc gave, delete what new gave, each once; cudaFree and cudaFreeHost "
                                "are for what CUDA gave");
            else
                problem = error("abort", "the code called abort()", "a failed assertion or a library's check");
            break;
        case SIGILL:
        case SIGTRAP:
            problem =
                error("undefined-behavior",
                      "execution reached code that can't be run: a function without a return, or one never defined",
                      "check that every path of a function returns a value");
            break;
        default:
            problem = error("signal", fmt::format("ended by signal {} ({})", end.signal, strsignal(end.signal)));
            break;
    }
    return problem;
}

std::string help_with_null(std::string_view line, std::optional<std::size_t> argument_count) {
    using Match = std::match_results<std::string_view::const_iterator>;
    static const std::regex argument(R"(\b(?:argv|args|av)\s*\[\s*(\d{1,9})\s*\])");
    static const std::regex of_file(
        R"(\b(?:f(?:read|write|scanf|printf|gets|getc|puts|putc|seek|tell|close|eof)|getc|rewind|getline)\s*\()");
    for (std::regex_iterator at(line.begin(), line.end(), argument), end = decltype(at)(); at != end; ++at) {
        std::size_t index = 0;
        const std::string digits = (*at)[1].str(), place = (*at)[0].str();
        std::from_chars(digits.data(), digits.data() + digits.size(), index);
        if (index < argument_count.value_or(1)) continue;
        const std::string given = argument_count ? fmt::format("argc is {}, so {} is null", *argument_count, place)
                                                 : fmt::format("{} may be null", place);
        return given + "; arguments follow the program's name: cudash run FILE -- ARGUMENTS";
    }
    if (Match match; std::regex_search(line.begin(), line.end(), match, of_file))
        return "fopen returns a null pointer if it can't open the file: check its result, the file's name, and the "
               "folder in which the program runs";
    return {};
}

Diagnostic uncaught_exception(const GuardedEnd& end) {
    return error("uncaught-exception", "uncaught exception of type " + end.what,
                 "catch it with try { ... } catch, or mend what throws it");
}

void conclude(const GuardedEnd& end, Outcome& outcome) {
    using Kind = GuardedEnd::Kind;
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
            break;
        case Kind::exception:
            outcome.status = Outcome::Status::faulted;
            outcome.exit_code = 128 + SIGABRT;
            break;
    }
}

void add_end_of_program(api::Runtime& runtime, Outcome& outcome) {
    const bool as_it_should = outcome.status == Outcome::Status::exited && outcome.exit_code == 0;
    for (Diagnostic& finding : runtime.end_of_program(as_it_should)) {
        if (finding.code == "kernel-not-run") outcome.exit_code = 1;
        outcome.diagnostics.push_back(std::move(finding));
    }
}

}  // namespace cudash::session
