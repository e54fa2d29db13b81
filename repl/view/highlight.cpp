#include "repl/view/highlight.h"

#include <cctype>
#include <unordered_set>

#include "repl/session/device/text_scan.h"

namespace cudash::view {
namespace {

bool is_keyword(std::string_view word) {
    static const std::unordered_set<std::string_view> words = {
        "alignas", "alignof",  "asm",     "auto",      "bool",          "break",     "case",    "catch",
        "char",    "class",    "const",   "constexpr", "continue",      "decltype",  "default", "delete",
        "do",      "double",   "else",    "enum",      "explicit",      "extern",    "false",   "float",
        "for",     "friend",   "goto",    "if",        "inline",        "int",       "long",    "namespace",
        "new",     "noexcept", "nullptr", "operator",  "private",       "protected", "public",  "return",
        "short",   "signed",   "sizeof",  "static",    "static_assert", "struct",    "switch",  "template",
        "this",    "throw",    "true",    "try",       "typedef",       "typename",  "union",   "unsigned",
        "using",   "virtual",  "void",    "volatile",  "while"};
    return words.contains(word);
}

/// What CUDA adds to the language: qualifiers, built-in variables and functions.
bool is_cuda(std::string_view word) {
    static const std::unordered_set<std::string_view> words = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                                               "warpSize"};
    return words.contains(word) || (word.starts_with("__") && word.size() > 4 && word.ends_with("__")) ||
           word.starts_with("__sync");
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}

std::string highlight_code(std::string_view code, const Style& style) {
    std::string result;
    while (!code.empty()) {
        std::size_t size = 0;
        while (size < code.size() && is_word(code[size])) ++size;
        const std::string_view word = code.substr(0, size);
        if (size == 0) {
            result += code.front();
            size = 1;
        } else {
            result += is_keyword(word) ? style.cyan(word) : is_cuda(word) ? style.magenta(word) : std::string(word);
        }
        code.remove_prefix(size);
    }
    return result;
}

}  // namespace

std::string highlight(std::string_view text, const Style& style) {
    if (!style.colour) return std::string(text);
    if (text.starts_with(':')) {
        const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
        return style.bold(text.substr(0, end)) + std::string(text.substr(end));
    }
    std::string result;
    for (const session::TextRun& run : session::scan_text(text)) {
        const std::string_view part = text.substr(run.begin, run.end - run.begin);
        switch (run.kind) {
            case session::TextRun::Kind::code:
                result += highlight_code(part, style);
                break;
            case session::TextRun::Kind::comment:
                result += style.dim(part);
                break;
            case session::TextRun::Kind::literal:
                result += style.green(part);
                break;
            case session::TextRun::Kind::directive:
                result += style.cyan(part);
                break;
        }
    }
    return result;
}

}  // namespace cudash::view
