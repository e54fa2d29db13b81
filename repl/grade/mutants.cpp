#include "repl/grade/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string_view>

#include "repl/grade/tokens.h"

namespace cudash::grade {
namespace {

struct Kernel {
    std::string name, parameters;
    std::size_t body;  ///< behind its `{`
};

/// The token behind the parenthesis that `open` closes; the end if there is none.
std::size_t behind_parentheses(const std::vector<Token>& tokens, std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        if (tokens[i].text == "(") ++depth;
        if (tokens[i].text == ")" && --depth == 0) return i + 1;
    }
    return tokens.size();
}

/// Of the definitions with a body. No regular expression: a stranger's text may be of any kind.
std::vector<Kernel> kernels_of(const std::string& text) {
    const std::vector<Token> tokens = tokens_of(text);
    const auto offset = [&](std::size_t i) { return static_cast<std::size_t>(tokens[i].text.data() - text.data()); };
    std::vector<Kernel> kernels;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].text != "__global__") continue;
        std::size_t open = i + 1;
        const auto ends = [&](std::string_view sign) { return sign == "{" || sign == ";" || sign == "__global__"; };
        while (open < tokens.size() && !ends(tokens[open].text)) {
            if (tokens[open].text != "(") {
                ++open;
            } else if (tokens[open - 1].text.starts_with("__")) {
                open = behind_parentheses(tokens, open);  // __launch_bounds__(256)
            } else {
                break;
            }
        }
        if (open >= tokens.size()) break;
        if (tokens[open].text != "(" || tokens[open - 1].kind != Token::Kind::word) continue;
        const std::size_t end = behind_parentheses(tokens, open);
        if (end >= tokens.size()) break;  // what is not closed leaves nothing behind it
        if (tokens[end].text != "{") continue;
        const std::size_t first = offset(open) + 1;
        kernels.push_back(
            {std::string(tokens[open - 1].text), text.substr(first, offset(end - 1) - first), offset(end) + 1});
        i = end;
    }
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

std::vector<std::string> kernel_names(const std::string& text) {
    std::vector<std::string> names;
    for (const Kernel& kernel : kernels_of(text)) names.push_back(kernel.name);
    return names;
}

std::string with_idle_kernels(const std::string& text, const std::optional<session::CodeUses>& uses) {
    std::set<std::size_t> bodies;
    if (uses) {
        for (const session::CodeUse& use : uses->uses)
            if (use.kind == "kernel" && use.offset <= text.size()) bodies.insert(use.offset);
    }
    if (!uses || !uses->complete)
        for (const Kernel& kernel : kernels_of(text)) bodies.insert(kernel.body);
    std::string result = text;
    // From behind, so that the places of the others stay.
    for (auto body = bodies.rbegin(); body != bodies.rend(); ++body) result.insert(*body, " return; ");
    return result;
}

std::string declared(const std::string& text) {
    std::string result;
    std::size_t from = 0;
    for (const Kernel& kernel : kernels_of(text)) {
        if (kernel.body < from) continue;  // within another's
        result += text.substr(from, kernel.body - 1 - from) + ";";
        std::size_t depth = 1, at = kernel.body;
        for (const Token& token : tokens_of(std::string_view(text).substr(kernel.body))) {
            depth += token.text == "{" ? 1 : token.text == "}" ? -1 : 0;
            at = static_cast<std::size_t>(token.text.data() - text.data()) + token.text.size();
            if (depth == 0) break;
        }
        from = at;
    }
    return result + text.substr(from);
}

}  // namespace cudash::grade
