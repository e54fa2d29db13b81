#include "repl/view/highlight.h"

#include <algorithm>
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

using Paint = PaintedRun::Paint;

/// Joins what is drawn alike.
void add(std::vector<PaintedRun>& runs, Paint paint, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    if (!runs.empty() && runs.back().paint == paint) {
        runs.back().end = end;
    } else {
        runs.push_back({paint, begin, end});
    }
}

void add_code(std::vector<PaintedRun>& runs, std::string_view text, std::size_t begin, std::size_t end) {
    while (begin < end) {
        std::size_t stop = begin;
        while (stop < end && is_word(text[stop])) ++stop;
        const std::string_view word = text.substr(begin, stop - begin);
        if (stop == begin) ++stop;
        add(runs, is_keyword(word) ? Paint::keyword : is_cuda(word) ? Paint::cuda : Paint::plain, begin, stop);
        begin = stop;
    }
}

bool is_code(Paint paint) {
    return paint == Paint::plain || paint == Paint::keyword || paint == Paint::cuda;
}

}  // namespace

std::vector<PaintedRun> paint(std::string_view text) {
    std::vector<PaintedRun> runs;
    if (text.starts_with(':')) {
        const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
        add(runs, Paint::command, 0, end);
        add(runs, Paint::plain, end, text.size());
        return runs;
    }
    for (const session::TextRun& run : session::scan_text(text)) {
        switch (run.kind) {
            case session::TextRun::Kind::code:
                add_code(runs, text, run.begin, run.end);
                break;
            case session::TextRun::Kind::comment:
                add(runs, Paint::comment, run.begin, run.end);
                break;
            case session::TextRun::Kind::literal:
                add(runs, Paint::literal, run.begin, run.end);
                break;
            case session::TextRun::Kind::directive:
                add(runs, Paint::keyword, run.begin, run.end);
                break;
        }
    }
    return runs;
}

std::string painted(Paint paint, std::string_view part, const Style& style) {
    switch (paint) {
        case Paint::plain:
            break;
        case Paint::command:
            return style.bold(part);
        case Paint::keyword:
            return style.cyan(part);
        case Paint::cuda:
            return style.magenta(part);
        case Paint::comment:
            return style.dim(part);
        case Paint::literal:
            return style.green(part);
    }
    return std::string(part);
}

std::string highlight(std::string_view text, const Style& style) {
    if (!style.colour) return std::string(text);
    std::string result;
    for (const PaintedRun& run : paint(text))
        result += painted(run.paint, text.substr(run.begin, run.end - run.begin), style);
    return result;
}

std::optional<std::pair<std::size_t, std::size_t>> matching_brackets(std::string_view text,
                                                                     const std::vector<PaintedRun>& runs,
                                                                     std::size_t cursor) {
    constexpr std::string_view openers = "([{", closers = ")]}";
    std::vector<std::size_t> open;
    std::optional<std::pair<std::size_t, std::size_t>> before;
    for (const PaintedRun& run : runs) {
        if (!is_code(run.paint)) continue;
        for (std::size_t i = run.begin; i < run.end; ++i) {
            if (openers.find(text[i]) != std::string_view::npos) open.push_back(i);
            const std::size_t kind = closers.find(text[i]);
            if (kind == std::string_view::npos || open.empty()) continue;
            const std::size_t opener = open.back();
            open.pop_back();
            if (text[opener] != openers[kind]) continue;
            if (opener == cursor || i == cursor) return std::pair{opener, i};
            if (opener + 1 == cursor || i + 1 == cursor) before = std::pair{opener, i};
        }
    }
    return before;
}

}  // namespace cudash::view
