#include "repl/session/device/device_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "repl/session/device/text_scan.h"

namespace cudash::session {
namespace {

/// The text with everything but code made white.
std::string only_code(std::string_view text) {
    std::string code(text);
    for (const TextRun& run : scan_text(text))
        if (run.kind != TextRun::Kind::code)
            for (std::size_t i = run.begin; i < run.end; ++i)
                if (code[i] != '\n') code[i] = ' ';
    return code;
}

/// The header that an #include names; empty if the directive is another.
std::string included(std::string_view directive) {
    std::size_t at = directive.find_first_not_of(" \t", 1);
    if (at == std::string_view::npos || !directive.substr(at).starts_with("include")) return {};
    const std::size_t open = directive.find_first_of("<\"", at);
    if (open == std::string_view::npos) return {};
    const std::size_t close = directive.find(directive[open] == '<' ? '>' : '"', open + 1);
    return close == std::string_view::npos ? std::string() : std::string(directive.substr(open + 1, close - open - 1));
}

std::vector<std::string> words_in(std::string_view code) {
    std::set<std::string> words;
    for (std::size_t i = 0; i < code.size();) {
        std::size_t end = i;
        while (end < code.size() && is_word(code[end])) ++end;
        if (end > i && !std::isdigit(static_cast<unsigned char>(code[i]))) words.emplace(code.substr(i, end - i));
        i = std::max(end, i + 1);
    }
    return {words.begin(), words.end()};
}

}  // namespace

TextRange find_main(std::string_view text) {
    const std::string code = only_code(text);
    int depth = 0;
    std::size_t declaration = 0;  // where the present declaration begins
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (c == '{') ++depth;
        if (c == '}') --depth;
        if (depth == 0 && (c == ';' || c == '}')) declaration = i + 1;
        if (depth != 0 || code.compare(i, 4, "main") != 0 || (i > 0 && is_word(code[i - 1])) ||
            (i + 4 < code.size() && is_word(code[i + 4])))
            continue;
        const std::size_t open = code.find_first_not_of(" \t\r\n", i + 4);
        const std::size_t body = code.find_first_of("{;", i);
        if (open == std::string::npos || code[open] != '(' || body == std::string::npos || code[body] == ';') continue;
        std::size_t end = body;
        for (int inside = 0; end < code.size(); ++end) {
            if (code[end] == '{') ++inside;
            if (code[end] == '}' && --inside == 0) break;
        }
        const std::size_t begin = code.find_first_not_of(" \t\r\n", declaration);
        return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(std::min(end + 1, code.size()))};
    }
    return {};
}

DeviceText device_text(const std::string& name, const std::string& text, const std::vector<std::string>& folders) {
    DeviceText result{name, text, words_in(only_code(text))};
    const auto erase = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            if (result.text[i] != '\n') result.text[i] = ' ';
    };
    for (const TextRun& run : scan_text(text)) {
        if (run.kind != TextRun::Kind::directive) continue;
        const std::string header = included(std::string_view(text).substr(run.begin, run.end - run.begin));
        const bool found = std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
            std::error_code ignored;
            return std::filesystem::is_regular_file(std::filesystem::path(folder) / header, ignored);
        });
        if (!header.empty() && !found) erase(run.begin, run.end);
    }
    const TextRange main = find_main(text);
    erase(main.begin, main.end);
    return result;
}

}  // namespace cudash::session
