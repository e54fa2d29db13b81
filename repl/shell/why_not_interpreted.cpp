#include "repl/shell/why_not_interpreted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <string_view>

#include "repl/shell/text_check.h"

namespace cudash::shell {
namespace {

using session::Outcome;

/// Mistakes that no compiler takes: that they are told at once is worth more than a second opinion.
constexpr std::array codes_of_mistakes = {"no-main", "undefined-symbol", "multiple-definition",
                                          "device-function-on-host"};

/// A name of the program's own, which no header of a compiler's could have declared.
bool is_own_name(std::string_view name) {
    return std::ranges::none_of(std::array{"_", "cu", "CU", "nv", "NV"},
                                [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_mistake(const Diagnostic& error) {
    if (std::ranges::find(codes_of_mistakes, error.code) != codes_of_mistakes.end()) return true;
    const std::string_view message = error.message;
    if (message.starts_with("expected ';'") || message.ends_with("' file not found")) return true;
    if (message == "use of undeclared identifier 'main'") return false;  // nvcc takes a main() without a type
    for (const std::string_view undeclared : {"use of undeclared identifier '", "unknown type name '"})
        if (message.starts_with(undeclared)) return is_own_name(message.substr(undeclared.size()));
    return false;
}

const std::regex& start_of_program() {
    static const std::regex call(R"(\b(execve?|execvpe?|execlp?|execle|posix_spawnp?)[ \t]*\()");
    return call;
}

using TextMatch = std::match_results<std::string_view::const_iterator>;

unsigned line_of(std::string_view text, std::string_view::const_iterator at) {
    return 1 + static_cast<unsigned>(std::count(text.begin(), at, '\n'));
}

/// The first header of Thrust or CUB that a file's text includes.
std::optional<Diagnostic> slow_header_of(const std::string& path, std::string_view text) {
    static const std::regex include(R"(^[ \t]*#[ \t]*include[ \t]*[<"]((thrust|cub)/[^>"]*)[>"])",
                                    std::regex::multiline);
    TextMatch found;
    if (!std::regex_search(text.begin(), text.end(), found, include)) return std::nullopt;
    Diagnostic reason =
        error(slow_headers, fmt::format("it includes <{}>, which is quicker once built", found[1].str()));
    reason.where = {path, line_of(text, found[1].first), 0};
    return reason;
}

/// The headers beside a file and in `folders` that its text includes.
std::vector<std::filesystem::path> own_headers_of(const std::filesystem::path& path, std::string_view text,
                                                  const std::vector<std::string>& folders) {
    static const std::regex include(R"(^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"])", std::regex::multiline);
    std::vector<std::filesystem::path> headers;
    using Matches = std::regex_iterator<std::string_view::const_iterator>;
    for (Matches match(text.begin(), text.end(), include); match != Matches(); ++match) {
        std::vector<std::filesystem::path> places = {path.parent_path()};
        places.insert(places.end(), folders.begin(), folders.end());
        for (const std::filesystem::path& place : places) {
            std::error_code failed;
            const auto header = std::filesystem::canonical(place / (*match)[1].str(), failed);
            if (failed || !std::filesystem::is_regular_file(header, failed)) continue;
            headers.push_back(header);
            break;
        }
    }
    return headers;
}

/// None of its code has run yet.
bool is_compiler_fault(const session::Cell& cell, const Outcome& outcome) {
    return outcome.status == Outcome::Status::lost && cell.kind == session::Cell::Kind::file && cell.more &&
           std::ranges::any_of(outcome.diagnostics, [](const Diagnostic& each) { return each.code == "worker-lost"; });
}

}  // namespace

std::optional<Diagnostic> why_not_interpreted(const session::Cell& cell, const Outcome& outcome) {
    if (is_compiler_fault(cell, outcome))
        return error("compiler-fault", fmt::format("clang, which compiles host code here, can't read {}", cell.name));
    if (outcome.status != Outcome::Status::compile_error) return std::nullopt;
    const auto is_error = [](const Diagnostic& each) { return each.severity == Diagnostic::Severity::error; };
    const auto first = std::ranges::find_if(outcome.diagnostics, is_error);
    if (first == outcome.diagnostics.end() || is_mistake(*first)) return std::nullopt;
    return *first;
}

std::optional<Diagnostic> why_not_interpreted(worker::Client& client) {
    const Outcome outcome = client.evaluate({session::Cell::Kind::inspect, ":undefined", "undefined", {}});
    if (!outcome.table) return std::nullopt;
    for (const auto& row : outcome.table->rows)
        if (row[1] == "the CUDA driver API")
            return error("driver-api", fmt::format("{} is a function of the CUDA driver API", row[0]));
    return std::nullopt;
}

std::optional<Diagnostic> why_built_first(const std::string& path, std::string_view text,
                                          const std::vector<std::string>& folders) {
    if (auto reason = slow_header_of(path, text)) return reason;
    TextMatch found;
    if (std::regex_search(text.begin(), text.end(), found, start_of_program())) {
        Diagnostic reason =
            error("starts-programs", fmt::format("it calls {}, perhaps to start itself again", found[1].str()));
        reason.where = {path, line_of(text, found[1].first), 0};
        return reason;
    }
    std::set<std::filesystem::path> known;
    std::vector<std::filesystem::path> headers = own_headers_of(path, text, folders);
    constexpr std::size_t most_headers = 100;
    while (!headers.empty() && known.size() < most_headers) {
        const std::filesystem::path header = std::move(headers.back());
        headers.pop_back();
        if (!known.insert(header).second) continue;
        const auto content = read_file(header.string());
        if (!content) continue;
        if (auto reason = slow_header_of(header.string(), *content)) return reason;
        std::ranges::move(own_headers_of(header, *content, folders), std::back_inserter(headers));
    }
    return std::nullopt;
}

bool starts_programs(std::string_view text) {
    return std::regex_search(text.begin(), text.end(), start_of_program());
}

}  // namespace cudash::shell
