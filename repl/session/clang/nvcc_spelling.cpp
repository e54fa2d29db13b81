#include "repl/session/clang/nvcc_spelling.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "repl/session/device/text_scan.h"

namespace cudash::session {
namespace {

bool is_white(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Everything but code made white, so that offsets stay.
std::string only_code(std::string_view text) {
    std::string code(text);
    for (const TextRun& run : scan_text(text))
        if (run.kind != TextRun::Kind::code)
            for (std::size_t i = run.begin; i < run.end; ++i) code[i] = '"';
    return code;
}

/// The end of three brackets that begin at `at`, white space between them allowed; npos if there are not three.
std::size_t end_of_three(std::string_view code, std::size_t at, char bracket) {
    for (int count = 0;; ++at) {
        while (count > 0 && at < code.size() && is_white(code[at])) ++at;
        if (at >= code.size() || code[at] != bracket) return std::string_view::npos;
        if (++count == 3) return at + 1;
    }
}

/// What is to be put at [begin, end).
struct Change {
    std::size_t begin, end;
    std::string text;
};

/// The brackets, then the white space that was between them: lines stay.
std::string joined(std::string_view apart, char bracket) {
    std::string text(3, bracket);
    for (const char c : apart)
        if (is_white(c)) text += c;
    return text;
}

/// The launch whose opening brackets end at `at`: its closing ones, and the braces among its arguments. False if it has
/// no end.
bool read_launch(std::string_view code, std::size_t at, std::vector<Change>& changes) {
    int depth = 0;
    bool begins = true;  // an argument
    for (; at < code.size(); ++at) {
        const char c = code[at];
        if (c == ';') return false;
        if (depth == 0 && c == '>') {
            const std::size_t end = end_of_three(code, at, '>');
            if (end == std::string_view::npos) continue;
            if (end > at + 3) changes.push_back({at, end, joined(code.substr(at, end - at), '>')});
            return true;
        }
        if (depth == 0 && begins && c == '{') changes.push_back({at, at, "dim3"});
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth < 0) return false;
        if (!is_white(c)) begins = depth == 0 && c == ',';
    }
    return false;
}

void read_launches(std::string_view code, std::vector<Change>& changes) {
    for (std::size_t at = code.find('<'); at != std::string_view::npos; at = code.find('<', at)) {
        const std::size_t end = end_of_three(code, at, '<');
        if (end == std::string_view::npos) {
            ++at;
            continue;
        }
        std::vector<Change> launch;
        if (end > at + 3) launch.push_back({at, end, joined(code.substr(at, end - at), '<')});
        if (read_launch(code, end, launch)) changes.insert(changes.end(), launch.begin(), launch.end());
        at = end;
    }
}

constexpr std::string_view shared_word = "__shared__", device_word = "__device__";

bool has_word(std::string_view code, std::size_t at, std::string_view word) {
    const auto in_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
    return code.substr(at).starts_with(word) && (at == 0 || !in_name(code[at - 1])) &&
           (at + word.size() == code.size() || !in_name(code[at + word.size()]));
}

/// Shared memory is the device's anyway.
void read_shared(std::string_view code, std::vector<Change>& changes) {
    for (std::size_t at = code.find(shared_word); at != std::string_view::npos; at = code.find(shared_word, at + 1)) {
        if (!has_word(code, at, shared_word)) continue;
        const std::size_t next = code.find_first_not_of(" \t\r\n", at + shared_word.size());
        const std::size_t last = at == 0 ? std::string_view::npos : code.find_last_not_of(" \t\r\n", at - 1);
        const std::string blanks(device_word.size(), ' ');
        if (next != std::string_view::npos && has_word(code, next, device_word))
            changes.push_back({next, next + device_word.size(), blanks});
        else if (last != std::string_view::npos && last + 1 >= device_word.size() &&
                 has_word(code, last + 1 - device_word.size(), device_word))
            changes.push_back({last + 1 - device_word.size(), last + 1, blanks});
    }
}

}  // namespace

std::optional<std::string> as_clang_spells(std::string_view text) {
    const bool has_both =
        text.find(shared_word) != std::string_view::npos && text.find(device_word) != std::string_view::npos;
    if (!has_both && text.find('<') == std::string_view::npos) return std::nullopt;
    const std::string code = only_code(text);
    std::vector<Change> changes;
    read_launches(code, changes);
    if (has_both) read_shared(code, changes);
    if (changes.empty()) return std::nullopt;
    std::ranges::sort(changes, {}, &Change::begin);
    std::string result;
    std::size_t done = 0;
    for (const Change& change : changes) {
        result.append(text.substr(done, change.begin - done)).append(change.text);
        done = change.end;
    }
    return result.append(text.substr(done));
}

}  // namespace cudash::session
