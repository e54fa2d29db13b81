#include "repl/session/device/text_scan.h"

#include <algorithm>
#include <cctype>

namespace cudash::session {
namespace {

bool is_identifier(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The end of a string or character literal whose quote is at `i`.
std::size_t literal_end(std::string_view text, std::size_t i) {
    const char quote = text[i];
    for (++i; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == quote)
            return i + 1;
        else if (text[i] == '\n')
            return i;
    }
    return text.size();
}

/// The end of a raw string literal whose R is before the quote at `i`.
std::size_t raw_literal_end(std::string_view text, std::size_t i) {
    const std::size_t open = text.find('(', i);
    if (open == std::string_view::npos || open - i > 17) return literal_end(text, i);
    const std::string close = ")" + std::string(text.substr(i + 1, open - i - 1)) + "\"";
    const std::size_t end = text.find(close, open);
    return end == std::string_view::npos ? text.size() : end + close.size();
}

/// The end of the line at `i`, past continuations.
std::size_t logical_line_end(std::string_view text, std::size_t i) {
    for (; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '\n' || text[i + 1] == '\r')) {
            i += text[i + 1] == '\r' ? 2 : 1;
        } else if (text[i] == '\n') {
            return i;
        } else if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '*') {
            const std::size_t end = text.find("*/", i + 2);
            if (end == std::string_view::npos) return text.size();
            i = end + 1;
        }
    }
    return text.size();
}

}  // namespace

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
}

std::vector<TextRun> scan_text(std::string_view text) {
    std::vector<TextRun> runs;
    const auto add = [&](TextRun::Kind kind, std::size_t begin, std::size_t end) {
        if (begin == end) return;
        if (kind == TextRun::Kind::code && !runs.empty() && runs.back().kind == kind && runs.back().end == begin)
            runs.back().end = end;
        else
            runs.push_back({kind, begin, end});
    };
    bool line_start = true;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        std::size_t end = i + 1;
        auto kind = TextRun::Kind::code;
        if (c == '/' && next == '/') {
            kind = TextRun::Kind::comment;
            end = std::min(text.find('\n', i), text.size());
        } else if (c == '/' && next == '*') {
            kind = TextRun::Kind::comment;
            const std::size_t close = text.find("*/", i + 2);
            end = close == std::string_view::npos ? text.size() : close + 2;
        } else if (c == '#' && line_start) {
            kind = TextRun::Kind::directive;
            end = logical_line_end(text, i);
        } else if (c == '"') {
            kind = TextRun::Kind::literal;
            const bool raw = i > 0 && text[i - 1] == 'R';
            end = raw ? raw_literal_end(text, i) : literal_end(text, i);
        } else if (c == '\'' &&
                   !(i > 0 && is_identifier(text[i - 1]) && std::isdigit(static_cast<unsigned char>(next)))) {
            kind = TextRun::Kind::literal;
            end = literal_end(text, i);
        }
        add(kind, i, end);
        if (kind == TextRun::Kind::comment) {
            // A comment does not end the beginning of a line.
        } else if (c == '\n') {
            line_start = true;
        } else if (!std::isspace(static_cast<unsigned char>(c))) {
            line_start = false;
        }
        i = end;
    }
    return runs;
}

std::size_t leading_directives(std::string_view text) {
    std::size_t safe = 0;
    int depth = 0;
    for (const TextRun& run : scan_text(text)) {
        const std::string_view part = text.substr(run.begin, run.end - run.begin);
        if (run.kind == TextRun::Kind::literal) break;
        if (run.kind == TextRun::Kind::code) {
            if (part.find_first_not_of(" \t\r\n") != std::string_view::npos) break;
        } else if (run.kind == TextRun::Kind::directive) {
            std::string_view word = part.substr(1);
            word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
            if (word.starts_with("if")) ++depth;
            if (word.starts_with("endif")) --depth;
        }
        if (depth == 0 && (run.end == text.size() || text[run.end] == '\n')) safe = std::min(run.end + 1, text.size());
    }
    return depth < 0 ? 0 : safe;
}

}  // namespace cudash::session
