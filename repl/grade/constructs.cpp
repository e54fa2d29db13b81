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
    std::vector<Token> tokens;              ///< only of a text that clang did not understand as a whole
    std::vector<session::CodeUse> uses;     ///< by the syntax tree
    std::vector<std::string> instructions;  ///< of the PTX, where nobody but the submission has any
    std::set<std::string> own;              ///< names of its kernels
    /// Of each kernel that was launched, the sum over its launches, or the largest of what a launch asked for.
    std::map<std::string, std::map<std::string, double>> launches;

    double counted(std::initializer_list<std::string_view> metrics) const {
        double sum = 0;
        for (const auto& [kernel, counters] : launches)
            for (const auto& [name, value] : counters)
                if (std::ranges::find(metrics, name) != metrics.end()) sum += value;
        return sum;
    }
};

/// "k" of "space::k<int>".
std::string plain_name(std::string_view kernel) {
    kernel = kernel.substr(0, kernel.find('<'));
    const std::size_t space = kernel.rfind("::");
    return std::string(space == std::string_view::npos ? kernel : kernel.substr(space + 2));
}

/// Where a text has it: "line 12: atomicAdd"; empty: nowhere.
std::string first_use(const Evidence& evidence, std::string_view kind, bool (*is)(const Token&)) {
    const session::CodeUse* first = nullptr;
    for (const session::CodeUse& use : evidence.uses)
        if (use.kind == kind && (!first || use.line < first->line)) first = &use;
    if (first) return fmt::format("line {}: {}", first->line, first->name);
    for (const Token& token : evidence.tokens)
        if (is(token)) return fmt::format("line {}: {}", token.line, token.text);
    return {};
}

/// The first instruction, or declaration, that begins so; empty: there is none.
std::string first_instruction(const Evidence& evidence, std::initializer_list<std::string_view> beginnings) {
    for (const std::string& each : evidence.instructions)
        if (std::ranges::any_of(beginnings, [&](std::string_view begin) { return each.starts_with(begin); }))
            return "compiled to " + each;
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
         for (const auto& [kernel, counters] : evidence.launches)
             if (evidence.own.contains(plain_name(kernel))) return "launched: " + kernel;
         return "";
     },
     "no kernel was launched", "a kernel was launched"},
    {"shared_memory", &Constructs::shared_memory,
     [](const Evidence& evidence) {
         const std::string text = first_use(evidence, "shared", is_shared);
         return text.empty() ? first_instruction(evidence, {".shared"}) : text;
     },
     [](const Evidence& evidence) -> std::string {
         const double wavefronts = evidence.counted({"memory_l1_wavefronts_shared"});
         return wavefronts > 0 ? fmt::format("{:g} wavefronts of shared memory", wavefronts) : "";
     },
     "the kernels do not work in shared memory", "shared memory is not allowed here"},
    {"atomics", &Constructs::atomics,
     [](const Evidence& evidence) {
         const std::string text = first_use(evidence, "atomic", is_atomic);
         return text.empty() ? first_instruction(evidence, {"atom.", "red.", "cp.reduce."}) : text;
     },
     [](const Evidence& evidence) -> std::string {
         const double requests = evidence.counted({"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                                                   "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"});
         return requests > 0 ? fmt::format("{:g} atomic requests", requests) : "";
     },
     "no atomic operation was executed", "atomic operations are not allowed here"},
    {"libraries", &Constructs::libraries,
     [](const Evidence& evidence) { return first_use(evidence, "library", is_library); }, nullptr,
     "a library is to be used here", "libraries are not allowed here"},
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

/// Of kernels that `is_asked` is true for.
std::map<std::string, std::map<std::string, double>> launches_of(
    SubmissionWorker& worker, const std::function<bool(const std::string&)>& is_asked) {
    std::map<std::string, std::map<std::string, double>> launches;
    const session::Outcome outcome = worker.inspect("executed");
    if (!outcome.table) return launches;
    for (const auto& row : outcome.table->rows) {
        if (row.size() != 3 || !is_asked(row[0])) continue;
        double& value = launches[row[0]][row[1]];
        const double more = std::strtod(row[2].c_str(), nullptr);
        value = row[1].starts_with("launch__") ? std::max(value, more) : value + more;
    }
    return launches;
}

/// Without white space and predicates: "atom.global.add.u32", ".shared".
std::vector<std::string> instructions_of(std::string_view ptx) {
    std::vector<std::string> words;
    while (!ptx.empty()) {
        std::string_view line = ptx.substr(0, ptx.find('\n'));
        ptx.remove_prefix(std::min(ptx.size(), line.size() + 1));
        const auto next = [&] {
            line.remove_prefix(std::min(line.find_first_not_of(" \t{"), line.size()));
            const std::string_view word = line.substr(0, line.find_first_of(" \t;"));
            line.remove_prefix(word.size());
            return word;
        };
        std::string_view word = next();
        while (word.starts_with('@') || word == ".visible" || word == ".extern" || word == ".weak") word = next();
        if (!word.empty()) words.emplace_back(word);
    }
    return words;
}

/// The harness has kernels or device functions of its own.
bool has_device_code(const std::string& harness) {
    return std::ranges::any_of(tokens_of(harness), [](const Token& token) {
        return token.text == "__device__" || token.text == "__global__" || token.text == "__shared__";
    });
}

Evidence evidence_of(const Check& check, const Checks& checks, const std::string& text,
                     const std::optional<session::CodeUses>& uses, SubmissionWorker& worker) {
    Evidence evidence;
    if (uses) evidence.uses = uses->uses;
    for (const session::CodeUse& use : evidence.uses)
        if (use.kind == "kernel") evidence.own.insert(use.name);
    if (!uses || !uses->complete) {
        evidence.tokens = tokens_of(text);
        for (const std::string& kernel : kernel_names(text)) evidence.own.insert(kernel);
    }
    if (!check.constructs.are_executed()) return evidence;
    const bool is_device = checks.kind == SubmissionKind::device;
    // A library's kernels are the program's; those of a harness are nobody's.
    evidence.launches = launches_of(worker, [&](const std::string& kernel) {
        if (!check.kernel.empty()) return kernel == check.kernel;
        return !is_device || evidence.own.contains(plain_name(kernel));
    });
    if (is_device && check.kernel.empty() && !has_device_code(checks.harness))
        evidence.instructions = instructions_of(worker.inspect("ptx").text);
    return evidence;
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

bool demand_constructs(const Check& check, const Checks& checks, const std::string& text,
                       const std::optional<session::CodeUses>& uses, SubmissionWorker& worker, CheckResult& result) {
    const Constructs& wanted = check.constructs;
    if (!wanted.any()) return true;
    const Evidence evidence = evidence_of(check, checks, text, uses, worker);
    for (const Presence& row : presences)
        if (wanted.*row.wanted && !demand_presence(row, *(wanted.*row.wanted), evidence, result)) return false;
    if (wanted.shared_bytes && !demand_shared_bytes(*wanted.shared_bytes, evidence, result)) return false;
    if (!wanted.only_calls) return true;
    std::set<std::string> calls = calls_in(evidence.tokens);
    for (const session::CodeUse& use : evidence.uses)
        if (use.kind == "call") calls.insert(use.name);
    // Of device code the harness makes the calls.
    if (checks.kind == SubmissionKind::program)
        if (const session::Outcome outcome = worker.inspect("calls"); outcome.table)
            for (const auto& row : outcome.table->rows)
                if (!row.empty() && row[0] != launch) calls.insert(row[0]);
    return demand_only_calls(*wanted.only_calls, std::move(calls), result);
}

}  // namespace cudash::grade
