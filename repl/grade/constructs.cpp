#include "repl/grade/constructs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "repl/grade/mutants.h"
#include "repl/grade/submission_worker.h"
#include "repl/grade/tokens.h"

namespace cudash::grade {
namespace {

/// What is known of the submission.
struct Evidence {
    const std::vector<Token>& tokens;
    /// The counters of the last launch of each of its kernels that was launched.
    std::map<std::string, std::map<std::string, double>> launches;

    double counted(std::initializer_list<std::string_view> metrics) const {
        double sum = 0;
        for (const auto& [kernel, counters] : launches)
            for (const auto& [name, value] : counters)
                if (std::ranges::find(metrics, name) != metrics.end()) sum += value;
        return sum;
    }
};

/// Where a text has it: "line 12: atomicAdd"; empty: nowhere.
std::string first_token(const Evidence& evidence, bool (*is)(const Token&)) {
    for (const Token& token : evidence.tokens)
        if (is(token)) return fmt::format("line {}: {}", token.line, token.text);
    return {};
}

bool is_shared(const Token& token) {
    return token.kind == Token::Kind::word && token.text == "__shared__";
}

bool is_atomic(const Token& token) {
    // Of strings: what stands in asm().
    if (token.kind == Token::Kind::text)
        return token.text.find("atom.") != std::string_view::npos || token.text.find("red.") != std::string_view::npos;
    return token.kind == Token::Kind::word && (token.text == "atomic" || token.text == "atomic_ref" ||
                                               (token.text.starts_with("atomic") && token.text.size() > 6 &&
                                                std::isupper(static_cast<unsigned char>(token.text[6]))));
}

constexpr std::string_view launch = "cudaLaunchKernel";  ///< what `<<<>>>` becomes

constexpr std::string_view libraries[] = {"thrust",   "cub",      "cublas",  "cufft", "curand",
                                          "cusparse", "cusolver", "cutlass", "cute"};

bool is_library(const Token& token) {
    const auto begins = [&](std::string_view library) {
        return token.text.starts_with(library) &&
               (token.text.size() == library.size() ||
                !std::islower(static_cast<unsigned char>(token.text[library.size()])));
    };
    return (token.kind == Token::Kind::include || token.kind == Token::Kind::word) &&
           std::ranges::any_of(libraries, begins);
}

/// A construct that is there or is not. Evidence is empty where there is none.
struct Presence {
    std::string_view key;
    std::optional<bool> Constructs::*wanted;
    std::string (*in_text)(const Evidence&);
    std::string (*executed)(const Evidence&);  ///< nullptr: the text decides
    std::string_view missing, unwanted;        ///< what students read
};
constexpr Presence presences[] = {
    {"launches", &Constructs::launches, [](const Evidence&) -> std::string { return "its kernels"; },
     [](const Evidence& evidence) -> std::string {
         return evidence.launches.empty() ? "" : "launched: " + evidence.launches.begin()->first;
     },
     "no kernel was launched", "a kernel was launched"},
    {"shared_memory", &Constructs::shared_memory,
     [](const Evidence& evidence) { return first_token(evidence, is_shared); },
     [](const Evidence& evidence) -> std::string {
         const double wavefronts = evidence.counted({"memory_l1_wavefronts_shared"});
         return wavefronts > 0 ? fmt::format("{:g} wavefronts of shared memory", wavefronts) : "";
     },
     "the kernels do not work in shared memory", "shared memory is not allowed here"},
    {"atomics", &Constructs::atomics, [](const Evidence& evidence) { return first_token(evidence, is_atomic); },
     [](const Evidence& evidence) -> std::string {
         const double requests = evidence.counted({"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                                                   "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"});
         return requests > 0 ? fmt::format("{:g} atomic requests", requests) : "";
     },
     "no atomic operation was executed", "atomic operations are not allowed here"},
    {"libraries", &Constructs::libraries, [](const Evidence& evidence) { return first_token(evidence, is_library); },
     nullptr, "a library is to be used here", "libraries are not allowed here"},
};

bool demand_presence(const Presence& row, bool wanted, const Evidence& evidence, CheckResult& result) {
    const std::string text = row.in_text(evidence), executed = row.executed ? row.executed(evidence) : "";
    if (wanted) {
        // In the text it may hide in a macro or a header; what ran can't.
        if (row.executed ? !executed.empty() : !text.empty()) return true;
        result.reason = row.missing;
        result.actual =
            text.empty() || row.key == "launches" ? "nothing of that kind\n" : text + ", which was not executed\n";
        return false;
    }
    const std::string& found = row.key == "launches" || text.empty() ? executed : text;
    if (found.empty()) return true;
    result.reason = row.unwanted;
    result.actual = found + "\n";
    return false;
}

bool demand_shared_bytes(double most, const Evidence& evidence, CheckResult& result) {
    for (const auto& [kernel, counters] : evidence.launches) {
        double bytes = 0;
        for (const char* name : {"launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"})
            if (const auto found = counters.find(name); found != counters.end()) bytes += found->second;
        if (bytes <= most) continue;
        result.reason = "a block takes more shared memory than is allowed here";
        result.expected = fmt::format("at most {:g} bytes\n", most);
        result.actual = fmt::format("{}: {:g} bytes\n", kernel, bytes);
        return false;
    }
    return true;
}

/// cudaMalloc, not cudaError_t or cudaSuccess: what stands before a parenthesis or the `<` of its arguments.
std::set<std::string> calls_in(const std::vector<Token>& tokens) {
    std::set<std::string> calls;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const Token& token = tokens[i];
        const bool is_runtime = token.kind == Token::Kind::word && token.text.starts_with("cuda") &&
                                token.text.size() > 4 && std::isupper(static_cast<unsigned char>(token.text[4]));
        if (is_runtime && (tokens[i + 1].text == "(" || tokens[i + 1].text == "<") && !token.text.ends_with("_t"))
            calls.emplace(token.text);
    }
    return calls;
}

bool demand_only_calls(const std::vector<std::string>& allowed, std::set<std::string> calls, CheckResult& result) {
    std::erase_if(calls, [&](const std::string& call) { return std::ranges::find(allowed, call) != allowed.end(); });
    if (calls.empty()) return true;
    const auto joined = [](const auto& names) {
        std::string text;
        for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
        return text;
    };
    result.reason = "a function of the CUDA runtime was called that is not allowed here";
    result.expected =
        allowed.empty() ? "no calls of the runtime\n" : fmt::format("calls of none but {}\n", joined(allowed));
    result.actual = fmt::format("called: {}\n", joined(calls));
    return false;
}

std::map<std::string, std::map<std::string, double>> launches_of(const std::string& text, const Check& check,
                                                                 SubmissionWorker& worker) {
    std::vector<std::string> kernels = kernel_names(text);
    if (!check.kernel.empty()) kernels = {check.kernel};
    std::map<std::string, std::map<std::string, double>> launches;
    for (const std::string& kernel : kernels) {
        const session::Outcome outcome = worker.inspect("metrics " + kernel);
        if (!outcome.table) continue;
        for (const auto& row : outcome.table->rows)
            if (row.size() == 2) launches[kernel][row[0]] = std::strtod(row[1].c_str(), nullptr);
    }
    return launches;
}

}  // namespace

void read_constructs(TomlTable& table, Constructs& constructs) {
    for (const Presence& row : presences) constructs.*row.wanted = table.flag(row.key);
    constructs.kernel_decides = table.flag("kernel_decides");
    constructs.shared_bytes = table.number("shared_bytes");
    constructs.only_calls = table.texts("only_calls");
    if (!constructs.kernel_decides.value_or(true)) table.problem("kernel_decides", "`kernel_decides` can only be true");
    if (constructs.shared_bytes.value_or(0) < 0) table.problem("shared_bytes", "`shared_bytes` can't be below 0");
}

bool demand_constructs(const Check& check, SubmissionKind kind, const std::string& text, SubmissionWorker& worker,
                       CheckResult& result) {
    const Constructs& wanted = check.constructs;
    if (!wanted.any()) return true;
    const std::vector<Token> tokens = tokens_of(text);
    Evidence evidence{tokens, {}};
    if (wanted.are_executed()) evidence.launches = launches_of(text, check, worker);
    for (const Presence& row : presences)
        if (wanted.*row.wanted && !demand_presence(row, *(wanted.*row.wanted), evidence, result)) return false;
    if (wanted.shared_bytes && !demand_shared_bytes(*wanted.shared_bytes, evidence, result)) return false;
    if (!wanted.only_calls) return true;
    std::set<std::string> calls = calls_in(tokens);
    // Of device code the harness makes the calls.
    if (kind == SubmissionKind::program)
        if (const session::Outcome outcome = worker.inspect("calls"); outcome.table)
            for (const auto& row : outcome.table->rows)
                if (!row.empty() && row[0] != launch) calls.insert(row[0]);
    return demand_only_calls(*wanted.only_calls, std::move(calls), result);
}

}  // namespace cudash::grade
