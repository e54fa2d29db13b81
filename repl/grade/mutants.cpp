#include "repl/grade/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string_view>

namespace cudash::grade {
namespace {

struct Kernel {
    std::string name, parameters;
    std::size_t body;  ///< behind its `{`
};

std::vector<Kernel> kernels_of(const std::string& text) {
    static const std::regex kernel(
        R"(__global__[^;{(]*?(?:__launch_bounds__\s*\([^)]*\)[^;{(]*?)?(\w+)\s*\(([^;{]*)\)\s*\{)");
    std::vector<Kernel> kernels;
    for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at)
        kernels.push_back({(*at)[1].str(), (*at)[2].str(), static_cast<std::size_t>(at->position() + at->length())});
    return kernels;
}

/// What makes all its whole numbers 64; empty: it has none.
std::string fixed_sizes(const Kernel& kernel) {
    static const std::regex size(R"((?:^|[\s,])((?:unsigned|int|long|size_t)(?: int| long)?)\s+(\w+)\s*(?=,|$))");
    std::string statements;
    for (std::sregex_iterator at(kernel.parameters.begin(), kernel.parameters.end(), size), end; at != end; ++at)
        statements += fmt::format("const_cast<{}&>({}) = 64; ", (*at)[1].str(), (*at)[2].str());
    return statements;
}

std::string returns_at_once(const Kernel&) {
    return "return; ";
}

std::string one_thread(const Kernel&) {
    return "if (threadIdx.x + threadIdx.y + threadIdx.z > 0) return; ";
}

std::string one_block(const Kernel&) {
    return "if (blockIdx.x + blockIdx.y + blockIdx.z > 0) return; ";
}

struct Mistake {
    std::string_view name;
    std::string (*statement)(const Kernel&);  ///< at the beginning of the kernel; empty: it can't be made there
};
constexpr Mistake mistakes[] = {
    {"returns at once", returns_at_once},
    {"works in thread 0 of each block alone", one_thread},
    {"works in block 0 alone", one_block},
    {"takes every size for 64", fixed_sizes},
};

}  // namespace

std::vector<Mutant> mutants_of(const std::string& solution) {
    std::vector<Mutant> mutants;
    for (const Kernel& kernel : kernels_of(solution))
        for (const Mistake& mistake : mistakes) {
            const std::string statement = mistake.statement(kernel);
            if (statement.empty()) continue;
            mutants.push_back({fmt::format("{} {}", kernel.name, mistake.name),
                               std::string(solution).insert(kernel.body, " " + statement)});
        }
    constexpr std::string_view barrier = "__syncthreads()";
    for (std::size_t at = solution.find(barrier); at != std::string::npos; at = solution.find(barrier, at + 1)) {
        const auto line = 1 + std::count(solution.begin(), solution.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        mutants.push_back({fmt::format("without the barrier in line {}", line),
                           std::string(solution).replace(at, barrier.size(), "")});
    }
    return mutants;
}

}  // namespace cudash::grade
