#include "repl/exec/call_text.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "repl/session/checked_libraries.h"
#include "repl/session/size_arguments.h"
#include "repl/trim.h"

namespace cudash::exec {
namespace {

constexpr unsigned most_lines = 8;  ///< that a call takes
constexpr std::size_t longest_target = 40;

bool in_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// A call in a text: cudaMalloc(&p, 400).
struct Call {
    std::string_view before;  ///< on its line
    std::string_view name;
    std::vector<std::string_view> arguments;
    std::string_view after;
};

/// Behind the parenthesis that closes the one at `open`, with the arguments between; nullopt: it is not in the text.
std::optional<std::size_t> read_arguments(std::string_view text, std::size_t open,
                                          std::vector<std::string_view>& arguments) {
    int depth = 0;
    std::size_t begin = open + 1;
    for (std::size_t at = open; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"' || c == '\'') {
            const std::size_t end = text.find(c, at + 1);
            if (end == std::string_view::npos) return std::nullopt;
            at = end;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}') {
            if (--depth > 0) continue;
            if (at > begin) arguments.push_back(trim(text.substr(begin, at - begin)));
            return at + 1;
        } else if (c == ',' && depth == 1) {
            arguments.push_back(trim(text.substr(begin, at - begin)));
            begin = at + 1;
        }
    }
    return std::nullopt;
}

/// The calls whose names are on the text's first line.
std::vector<Call> calls_on_line(std::string_view text) {
    std::vector<Call> calls;
    const std::string_view line = text.substr(0, text.find('\n'));
    for (std::size_t at = line.find("cu"); at != std::string_view::npos; at = line.find("cu", at + 1)) {
        if (at > 0 && in_name(line[at - 1])) continue;
        std::size_t end = at;
        while (end < line.size() && in_name(line[end])) ++end;
        const std::string_view name = line.substr(at, end - at);
        const std::size_t open = text.find_first_not_of(" \t", end);
        if (!session::has_prefix(name, "cuda") && !session::is_of_library(name)) continue;
        if (open == std::string_view::npos || text[open] != '(') continue;
        Call call{line.substr(0, at), name, {}, {}};
        const auto behind = read_arguments(text, open, call.arguments);
        if (!behind) continue;
        call.after = trim(text.substr(*behind));
        calls.push_back(std::move(call));
    }
    return calls;
}

/// A statement of its own: nothing takes what it returns. A cast to void says that this is meant.
bool is_discarded(const Call& call) {
    if (!call.after.starts_with(';')) return false;
    const std::string_view before = trim(call.before);
    if (before.empty() || before.ends_with(';') || before.ends_with('{') || before.ends_with('}') ||
        before.ends_with("else"))
        return true;
    return before.ends_with(')') &&
           (before.starts_with("if") || before.starts_with("for") || before.starts_with("while"));
}

std::string without_spaces(std::string_view text) {
    std::string result(text);
    std::erase_if(result, [](unsigned char c) { return std::isspace(c) != 0; });
    return result;
}

/// "d_a" of (void**)&d_a.
std::string target_of(std::string_view argument) {
    std::string text = without_spaces(argument);
    constexpr std::string_view casts[] = {"(void**)", "reinterpret_cast<void**>"};
    for (const std::string_view cast : casts)
        if (text.starts_with(cast)) text.erase(0, cast.size());
    while (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
    if (!text.starts_with('&') || text.size() > longest_target + 1) return {};
    text.erase(0, 1);
    const bool is_variable = std::ranges::all_of(
        text, [](char c) { return in_name(c) || std::string_view("[].->:").find(c) != std::string_view::npos; });
    return is_variable ? text : std::string();
}

/// Sizes of the types that sizeof names most; 0: not known.
std::uint64_t size_of(std::string_view type) {
    constexpr std::pair<std::string_view, std::uint64_t> sizes[] = {
        {"char", 1},    {"bool", 1},   {"short", 2},    {"half", 2},        {"__half", 2},
        {"int", 4},     {"float", 4},  {"unsigned", 4}, {"unsignedint", 4}, {"uint32_t", 4},
        {"int32_t", 4}, {"double", 8}, {"long", 8},     {"size_t", 8},      {"longlong", 8},
        {"float2", 8},  {"int2", 8},   {"float4", 16},  {"int4", 16},       {"double2", 16}};
    for (const auto& [name, size] : sizes)
        if (type == name) return size;
    return 0;
}

/// The factors of a product, sizeof apart.
void read_size(std::string_view argument, api::CallText& call) {
    const std::string text = without_spaces(argument);
    std::string product;
    std::uint64_t element = 0;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('*', at), text.size());
        const std::string_view factor = std::string_view(text).substr(at, end - at);
        at = end + 1;
        constexpr std::string_view of = "sizeof(";
        if (factor.starts_with(of) && factor.ends_with(')')) {
            const std::uint64_t size = size_of(factor.substr(of.size(), factor.size() - of.size() - 1));
            if (size == 0 || element != 0) return;
            element = size;
        } else if (!factor.empty() && std::ranges::all_of(factor, in_name)) {
            product += (product.empty() ? "" : "*") + std::string(factor);
        } else {
            return;
        }
    }
    (element ? call.elements : call.size) = std::move(product);
    call.element_bytes = element;
}

/// Lines of the files that calls stand in, as they are now.
std::string text_from(const std::string& path, unsigned line) {
    static std::mutex mutex;
    static std::map<std::string, std::vector<std::string>> files;
    const std::lock_guard lock(mutex);
    const auto [entry, is_new] = files.try_emplace(path);
    std::vector<std::string>& lines = entry->second;
    if (is_new) {
        std::ifstream file(path);
        for (std::string each; std::getline(file, each);) lines.push_back(each);
    }
    std::string text;
    for (unsigned i = line; i > 0 && i < line + most_lines && i <= lines.size(); ++i) text += lines[i - 1] + "\n";
    return text;
}

}  // namespace

api::CallText read_call_text(std::string_view text) {
    const std::vector<Call> calls = calls_on_line(text);
    api::CallText result;
    if (calls.empty()) return result;
    result.discarded = std::ranges::all_of(calls, is_discarded);
    if (calls.size() > 1) return result;
    const Call& call = calls.front();
    if (!call.arguments.empty()) result.target = target_of(call.arguments.front());
    for (const auto& [function, argument] : session::size_arguments)
        if (function == call.name && argument < call.arguments.size()) read_size(call.arguments[argument], result);
    return result;
}

api::CallText call_text_at(const std::string& file, unsigned line) {
    return read_call_text(text_from(file, line));
}

}  // namespace cudash::exec
