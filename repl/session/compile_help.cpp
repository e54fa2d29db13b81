#include "repl/session/compile_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "repl/session/header_errors.h"
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

constexpr std::string_view of_the_samples =
    "{} comes with NVIDIA's CUDA samples, not with the toolkit: clone github.com/NVIDIA/cuda-samples, and give its "
    "folder "
    "with -I cuda-samples/Common";
constexpr std::string_view no_synchronize_in_kernels =
    "since CUDA 12 a kernel can't wait for those that it launches: launch what needs their results behind them, into "
    "cudaStreamTailLaunch, or from the host";

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
    Help{"invalid operands to binary expression ('void (",
         "a kernel launch needs three angle brackets on each side: <<< and >>>"},
    Help{"out-of-line definition of",
         "a class keeps the definitions of its members: to change one, enter the class again, and then its members"},
    Help{"initializer not allowed for __shared__",
         "shared memory begins without values: let threads store them, then call __syncthreads()"},
    Help{"dynamic initialization is not supported for",
         "variables of device memory begin with constants: set others with cudaMemcpyToSymbol or in a kernel"},
    Help{device_memory_by_name,
         "the host has a copy of its own, which no kernel sees: use cudaMemcpyFromSymbol and cudaMemcpyToSymbol; "
         ":show looks at the device's"},
    Help{"is an array of host code, which nvcc refuses",
         "write __constant__ before the definition of {}, or define it in the kernel"},
    Help{"is a static member of host code", "pass its value to the kernel as an argument"},
    Help{"use of undeclared identifier '_'",
         "_ is the last value that was shown; there is none, its definition has changed, or its type has no name"},
    Help{"is 0 in integers: the sum is not divided",
         "a bracket closes too late: (n + threads - 1) / threads blocks cover n elements"},
    Help{
        "its elements hold whatever was in memory",
        "if a kernel's result belongs in {0}, copy it to the host first: cudaMemcpy({0}, ..., cudaMemcpyDeviceToHost)"},
    Help{"of unsigned expression >= 0 is always true", "an unsigned number never goes below 0: count down with int"},
    Help{"is rounded down before",
         "(n + threads - 1) / threads rounds up; so does ceil of a quotient of double or float"},
    Help{"are integers, and so is their quotient", "give one of the two as a floating-point number, such as 1.0f"},
    Help{"its elements are elsewhere", "{}.data() points to its elements"},
    Help{"is where the pointer itself is", "pass {}, not its address"},
    Help{"bytes goes beyond", "copy at most sizeof {0} bytes, or make {0} larger"},
    Help{"its elements are in device memory", "thrust::raw_pointer_cast({}.data()) points to its elements"},
    Help{"sets bytes, not elements",
         "0 is the same for both; set other values in a kernel, or copy them from the host"},
    Help{"fills the host's copy of it",
         "have cudaMalloc fill a pointer p of the host, then cudaMemcpyToSymbol({}, &p, sizeof p)"},
    Help{"is the size of the pointer", "give the bytes of the array: the number of elements times sizeof(*{0})"},
    Help{"to 'void **' for 1st argument",
         "{0} stores the memory's address in a pointer variable, int *p for example: {0}(&p, ...)"},
    Help{"by zero is undefined", "integers can't be divided by 0, so there is no value; 1.0 / 0 is inf"},
    Help{"'helper_cuda.h' file not found", of_the_samples},
    Help{"'helper_functions.h' file not found", of_the_samples},
    Help{"'helper_timer.h' file not found", of_the_samples},
    Help{"'helper_string.h' file not found", of_the_samples},
    Help{"'helper_image.h' file not found", of_the_samples},
    Help{"'helper_math.h' file not found", of_the_samples},
    Help{"expression must have a constant value",
         "the size of an array in device code must be known when it is compiled: use a constant or a template "
         "parameter, or extern __shared__ memory whose size the launch gives"},
};

/// {0} may come often, {} once: more would throw where the hint is made.
constexpr bool can_be_formatted(std::string_view hint) {
    std::size_t next = 0, numbered = 0;
    for (std::size_t at = 0; (at = hint.find_first_of("{}", at)) != hint.npos;) {
        const std::string_view rest = hint.substr(at);
        if (!rest.starts_with("{}") && !rest.starts_with("{0}")) return false;
        ++(rest.starts_with("{}") ? next : numbered);
        at += rest.starts_with("{}") ? 2 : 3;
    }
    return next <= 1 && (next == 0 || numbered == 0);
}
static_assert(std::ranges::all_of(table, can_be_formatted, &Help::hint));

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

/// Where a header of the system declares what was meant helps nobody once a hint says what to do, and where a built-in
/// variable is declared never does.
void drop_notes_on_headers(Diagnostic& diagnostic) {
    std::erase_if(diagnostic.notes, [&](const Diagnostic::Note& note) {
        if (note.where.file.find("/include/") == std::string::npos) return false;
        return note.message.ends_with("declared here") ||
               (!diagnostic.hint.empty() && note.message.starts_with("candidate "));
    });
    const auto is_candidate = [](const Diagnostic::Note& note) { return note.message.starts_with("candidate "); };
    if (std::ranges::none_of(diagnostic.notes, is_candidate))
        std::erase_if(diagnostic.notes, [](const Diagnostic::Note& note) {
            return note.message.ends_with("more candidates are not viable either");
        });
}

/// After a quotation mark that is never closed, everything else that is said is wrong.
void keep_open_literal(std::vector<Diagnostic>& diagnostics) {
    const auto open = std::ranges::find_if(diagnostics, [](const Diagnostic& each) {
        return each.message.starts_with("missing terminating ") && each.message.ends_with(" character");
    });
    if (open == diagnostics.end()) return;
    Diagnostic said = std::move(*open);
    said.severity = Diagnostic::Severity::error;
    diagnostics.assign(1, std::move(said));
}

/// `spin<<<1, 32>>>()`, where there is no kernel spin: clang takes the most similar function, and what it says of that
/// one helps nobody.
void keep_unknown_kernel(std::vector<Diagnostic>& diagnostics) {
    for (Diagnostic& each : diagnostics) {
        const std::size_t guess = each.message.find("; did you mean '");
        if (!each.message.starts_with("use of undeclared identifier") || guess == std::string::npos) continue;
        const auto is_of_guess = [&](const Diagnostic& other) {
            return other.where.line == each.where.line && other.where.file == each.where.file &&
                   other.message.starts_with("kernel call to non-global function");
        };
        if (std::ranges::none_of(diagnostics, is_of_guess)) continue;
        each.message.resize(guess);
        each.hint =
            fmt::format("no kernel is called {}: define it first, or is its name another?", first_name(each.message));
        each.notes.clear();
        const Diagnostic kept = each;
        std::erase_if(diagnostics, [&](const Diagnostic& other) {
            return other.severity == Diagnostic::Severity::error && other.where.line == kept.where.line &&
                   other.where.file == kept.where.file && other.message != kept.message;
        });
        return;
    }
}

/// `_global_ void f(...)`: what follows from that is not told.
void keep_misspelt_qualifier(std::vector<Diagnostic>& diagnostics) {
    constexpr std::array<std::string_view, 6> qualifiers = {"global", "device",  "host",
                                                            "shared", "managed", "constant"};
    for (Diagnostic& each : diagnostics) {
        if (!each.message.starts_with("unknown type name")) continue;
        std::string bare;
        for (const char c : first_name(each.message))
            if (c != '_') bare += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (std::ranges::find(qualifiers, bare) == qualifiers.end()) continue;
        each.hint = fmt::format("did you mean __{}__?", bare);
        Diagnostic kept = std::move(each);
        diagnostics.assign(1, std::move(kept));
        return;
    }
}

/// An expression without `;` at its end is what our cells are made of: it is wrong only if nothing else is.
void drop_semicolon_after_error(std::vector<Diagnostic>& diagnostics) {
    std::set<std::pair<std::string, unsigned>> lines;
    std::erase_if(diagnostics, [&](const Diagnostic& each) {
        const bool of_end = each.message == "expected ';' after expression" ||
                            each.message == "expected ';' after top level declarator";
        const auto line = std::pair(each.where.file, each.where.line);
        if (of_end && lines.contains(line)) return true;
        if (each.severity == Diagnostic::Severity::error) lines.insert(line);
        return false;
    });
}

/// `'hello'`: that it is too long for one character is not the point.
void drop_length_of_character(std::vector<Diagnostic>& diagnostics) {
    const auto says = [&](std::string_view text) {
        return std::ranges::any_of(diagnostics, [&](const Diagnostic& each) { return each.message == text; });
    };
    if (!says("multi-character character constant")) return;
    std::erase_if(diagnostics,
                  [](const Diagnostic& each) { return each.message == "character constant too long for its type"; });
}

/// `int* p; cudaMaloc(&p, 16);`: clang looks for a type of that name first, and says that there is none.
void drop_guess_of_type(std::vector<Diagnostic>& diagnostics) {
    std::erase_if(diagnostics, [&](const Diagnostic& each) {
        const auto is_of_same_name = [&](const Diagnostic& other) {
            return other.message.starts_with("use of undeclared identifier") && other.where.line == each.where.line &&
                   other.where.column == each.where.column && other.where.file == each.where.file &&
                   first_name(other.message) == first_name(each.message);
        };
        const bool guesses =
            each.message.starts_with("no template named") || each.message.starts_with("unknown type name");
        return guesses && std::ranges::any_of(diagnostics, is_of_same_name);
    });
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
    diagnostic.message = "threadIdx, blockIdx, blockDim and gridDim exist only in device code";
    diagnostic.hint = "use them in kernels and device functions; pass values of the host as kernel arguments";
    diagnostic.notes.clear();
}

/// "P" of "no known conversion from 'P' to 'const P &' for 1st argument": one name for two types. "" if the names
/// differ.
std::string name_of_two_types(std::string_view message) {
    constexpr std::string_view begin = "conversion from '", middle = "' to '";
    const std::size_t from = message.find(begin), to = message.find(middle, from);
    if (from == std::string_view::npos || to == std::string_view::npos) return {};
    const std::size_t end = message.find('\'', to + middle.size());
    if (end == std::string_view::npos) return {};
    const auto bare = [](std::string_view type) {
        if (type.starts_with("const ")) type.remove_prefix(6);
        return type.substr(0, type.find_last_not_of(" &*") + 1);
    };
    const std::string_view source = bare(message.substr(from + begin.size(), to - from - begin.size()));
    const std::string_view target = bare(message.substr(to + middle.size(), end - to - middle.size()));
    return source == target ? std::string(source) : std::string();
}

/// A struct was defined again, and a kernel that takes the earlier one was not.
std::string help_with_earlier_type(const Diagnostic& diagnostic) {
    std::string name = name_of_two_types(diagnostic.message);
    for (const Diagnostic::Note& note : diagnostic.notes)
        if (name.empty()) name = name_of_two_types(note.message);
    if (name.empty()) return {};
    return fmt::format("{0} has been defined again since: what takes the earlier {0} has to be entered again, too",
                       name);
}

/// Of what CUDA 13 removed, clang's guess names something else.
void drop_guess_for_removed(Diagnostic& diagnostic) {
    const std::size_t guess = diagnostic.message.find("; did you mean '");
    if (!diagnostic.hint.starts_with(removed_by_cuda_13) || guess == std::string::npos) return;
    diagnostic.message.resize(guess);
    drop_notes_on_headers(diagnostic);
}

}  // namespace

void explain(Diagnostic& diagnostic) {
    tell_at_own_line(diagnostic);
    shorten_candidates(diagnostic);
    name_built_in_variables(diagnostic);
    if (!diagnostic.hint.empty()) return;
    if (diagnostic.message.ends_with("' file not found") && diagnostic.message.find('\\') != std::string::npos) {
        diagnostic.hint = "write / in a header's name, not \\";
        return;
    }
    if (diagnostic.hint = help_with_name(diagnostic); !diagnostic.hint.empty())
        return drop_guess_for_removed(diagnostic);
    diagnostic.hint = help_with_earlier_type(diagnostic);
    for (const Help& row : table) {
        if (!diagnostic.hint.empty() || !says(diagnostic, row.said)) continue;
        const bool of_library = row.hint == on_both_sides && names_a_header(diagnostic);
        const std::string name = first_name(diagnostic.message);
        const bool waits = of_library && name == "cudaDeviceSynchronize";
        diagnostic.hint = waits ? std::string(no_synchronize_in_kernels)
                                : fmt::format(fmt::runtime(of_library ? not_for_devices : row.hint), name);
        break;
    }
    drop_notes_on_headers(diagnostic);
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
    tell_at_own_lines(diagnostics);
    drop_guess_of_type(diagnostics);
    name_open_macro(diagnostics);
    keep_open_literal(diagnostics);
    keep_misspelt_qualifier(diagnostics);
    keep_unknown_kernel(diagnostics);
    drop_semicolon_after_error(diagnostics);
    drop_length_of_character(diagnostics);
    for (Diagnostic& each : diagnostics) explain(each);
    // What follows from a name that is missing.
    std::set<std::pair<std::string, unsigned>> missing;
    for (const Diagnostic& each : diagnostics)
        if (!help_with_name(each).empty()) missing.insert(place(each));
    std::erase_if(diagnostics, [&](const Diagnostic& each) {
        const bool follows = each.severity == Diagnostic::Severity::error || each.message.ends_with("' is deprecated");
        return follows && help_with_name(each).empty() && missing.contains(place(each));
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
