#include "repl/session/compile_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "repl/session/name_help.h"

namespace cudash::session {
namespace {

constexpr const char* device_memory_by_name = "is device memory, and cannot be";  // device_use.cpp says it

/// `said`: in the message, or in a note of clang's. "{}" in a hint is the first name in quotes of the message.
struct Help {
    std::string_view said;
    std::string_view hint;
};

constexpr std::string_view on_both_sides =
    "write __device__ before the definition of {}, or __host__ __device__ to have it on both sides";
constexpr std::string_view not_for_devices =
    "{} belongs to the host's library: device code has arrays, CUDA's own functions and what is constexpr";

constexpr std::array table = {
    Help{"call to __host__ function from __global__", on_both_sides},
    Help{"call to __host__ function from __device__", on_both_sides},
    Help{"reference to __host__ function", on_both_sides},
    Help{"calling a __host__ function", on_both_sides},
    Help{
        "call to __device__ function from __host__",
        "only kernels and other device functions can call {}; __host__ __device__ before its definition has it on both "
        "sides"},
    Help{"reference to __device__ function", "{} is for device code: call it in a kernel or a __device__ function"},
    Help{"must have void return type",
         "a kernel returns nothing: have it store its result through a pointer to device memory"},
    Help{"kernel call to non-global function",
         "<<<...>>> launches kernels: write __global__ void before the definition of {}, or call it without <<<...>>>"},
    Help{"not configured", "a kernel needs its grid and block: {}<<<blocks, threadsPerBlock>>>(...)"},
    Help{"too few execution configuration arguments", "give the grid and the block: <<<blocks, threadsPerBlock>>>"},
    Help{"too many execution configuration arguments",
         "<<<grid, block, bytes of dynamic shared memory, stream>>>: the last two may be left out"},
    Help{"invalid operands to binary expression ('void (", "a kernel is launched with three: <<< and >>>"},
    Help{"initializer not allowed for __shared__",
         "shared memory begins without values: let threads store them, then call __syncthreads()"},
    Help{"dynamic initialization is not supported for",
         "variables of device memory begin with constants: set others with cudaMemcpyToSymbol or in a kernel"},
    Help{device_memory_by_name,
         "the host has a copy of its own, which no kernel sees: use cudaMemcpyFromSymbol and cudaMemcpyToSymbol; "
         ":show looks at the device's"},
    Help{"use of undeclared identifier '_'",
         "_ is the last value that was shown; there is none, its definition has changed, or its type has no name"},
    Help{"is 0 in integers: the sum is not divided",
         "a bracket closes too late: (n + threads - 1) / threads blocks cover n elements"},
    Help{"to 'void **' for 1st argument",
         "{0} stores the address of the memory in your pointer: give the address of the pointer, {0}(&p, ...)"},
    Help{"by zero is undefined", "integers can't be divided by 0, so there is no value; 1.0 / 0 is inf"},
    Help{"expression must have a constant value",
         "the size of an array in device code must be known when it is compiled: use a constant or a template "
         "parameter, or extern __shared__ memory whose size the launch gives"},
};

/// What stands between the first quotes: '...' with clang, "..." with NVRTC.
std::string first_name(std::string_view message) {
    const auto open = message.find_first_of("'\"");
    if (open == std::string_view::npos) return "it";
    const auto close = message.find(message[open], open + 1);
    std::string_view name = message.substr(open + 1, close == std::string_view::npos ? close : close - open - 1);
    return std::string(name.substr(0, name.find('(')));
}

bool says(const Diagnostic& diagnostic, std::string_view text) {
    if (diagnostic.message.find(text) != std::string::npos) return true;
    // The notes of NVRTC's errors are its other messages.
    return diagnostic.code == "compile-error" &&
           std::any_of(diagnostic.notes.begin(), diagnostic.notes.end(),
                       [&](const Diagnostic::Note& note) { return note.message.find(text) != std::string::npos; });
}

/// The function that the first note is about stands in a header of the system.
bool names_a_header(const Diagnostic& diagnostic) {
    return !diagnostic.notes.empty() && diagnostic.notes.front().where.file.find("/include/") != std::string::npos;
}

void shorten_candidates(Diagnostic& diagnostic) {
    constexpr std::size_t shown = 2;
    std::size_t candidates = 0;
    std::erase_if(diagnostic.notes, [&](const Diagnostic::Note& note) {
        return note.message.starts_with("candidate ") && ++candidates > shown;
    });
    if (candidates > shown)
        diagnostic.notes.push_back({fmt::format("{} more candidates are not viable either", candidates - shown), {}});
}

/// clang says two things where a cell ends within the arguments of a macro: the first is about our mark of the end.
void name_open_macro(std::vector<Diagnostic>& diagnostics) {
    const auto is_open = [](const Diagnostic& each) {
        return each.message == "unterminated function-like macro invocation";
    };
    if (std::none_of(diagnostics.begin(), diagnostics.end(), is_open)) return;
    std::erase_if(diagnostics, [](const Diagnostic& each) {
        return each.message.starts_with("embedding a #pragma directive within macro arguments");
    });
    for (Diagnostic& each : diagnostics) {
        if (!is_open(each)) continue;
        const std::string macro = each.notes.empty() ? "" : " '" + first_name(each.notes.front().message) + "'";
        each.message =
            fmt::format("expected ')'; the arguments of the macro{} at line {} are open", macro, each.where.line);
    }
}

/// clang reads threadIdx.x through a function of that name.
void name_built_in_variables(Diagnostic& diagnostic) {
    if (diagnostic.message.find("__fetch_builtin_") == std::string::npos) return;
    diagnostic.message = "threadIdx, blockIdx, blockDim and gridDim are not there in host code";
    diagnostic.hint =
        "they have values in kernels and device functions; what the host knows it passes as a kernel argument";
    diagnostic.notes.clear();
}

}  // namespace

void explain(Diagnostic& diagnostic) {
    shorten_candidates(diagnostic);
    name_built_in_variables(diagnostic);
    if (!diagnostic.hint.empty()) return;
    if (diagnostic.hint = help_with_name(diagnostic); !diagnostic.hint.empty()) return;
    for (const Help& row : table) {
        if (!says(diagnostic, row.said)) continue;
        const bool of_library = row.hint == on_both_sides && names_a_header(diagnostic);
        diagnostic.hint =
            fmt::format(fmt::runtime(of_library ? not_for_devices : row.hint), first_name(diagnostic.message));
        return;
    }
}

void explain(std::vector<Diagnostic>& diagnostics) {
    // What clang says again of a device function or threadIdx, when another error has named it better.
    const auto says_again = [](const Diagnostic& each) {
        return each.message == "cannot compile this builtin function yet" ||
               each.message.starts_with("cannot find suitable getter for property");
    };
    const auto place = [](const Diagnostic& each) { return std::pair(each.where.file, each.where.line); };
    std::set<std::pair<std::string, unsigned>> explained;
    for (const Diagnostic& each : diagnostics)
        if (!says_again(each)) explained.insert(place(each));
    std::erase_if(diagnostics,
                  [&](const Diagnostic& each) { return says_again(each) && explained.contains(place(each)); });
    name_open_macro(diagnostics);
    for (Diagnostic& each : diagnostics) explain(each);
    // What follows from a name that is missing.
    std::set<std::pair<std::string, unsigned>> missing;
    for (const Diagnostic& each : diagnostics)
        if (!help_with_name(each).empty()) missing.insert(place(each));
    std::erase_if(diagnostics, [&](const Diagnostic& each) {
        return each.severity == Diagnostic::Severity::error && help_with_name(each).empty() &&
               missing.contains(place(each));
    });
    // A template's mistake is told once, and not of each of its instances.
    std::set<std::tuple<std::string, unsigned, unsigned, std::string>> told;
    std::erase_if(diagnostics, [&](const Diagnostic& each) {
        return !told.emplace(each.where.file, each.where.line, each.where.column, each.message).second;
    });
}

bool is_about_device_memory(const Diagnostic& diagnostic) {
    return diagnostic.message.find(device_memory_by_name) != std::string::npos;
}

}  // namespace cudash::session
