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

/// The launch whose opening brackets end at `at`: its closing ones, the braces among its arguments, and the block of
/// one thread that nvcc takes where it has one argument. False if it has no end.
bool read_launch(std::string_view code, std::size_t at, std::vector<Change>& changes) {
    int depth = 0;
    unsigned arguments = 0;
    bool begins = true;  // an argument
    for (; at < code.size(); ++at) {
        const char c = code[at];
        if (c == ';') return false;
        if (depth == 0 && c == '>') {
            const std::size_t end = end_of_three(code, at, '>');
            if (end == std::string_view::npos) continue;
            if (end > at + 3 || arguments == 1)
                changes.push_back({at, end, (arguments == 1 ? ", 1" : "") + joined(code.substr(at, end - at), '>')});
            return true;
        }
        if (depth == 0 && begins && c == '{') changes.push_back({at, at, "dim3"});
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth < 0) return false;
        if (is_white(c)) continue;
        arguments += begins ? 1 : 0;
        begins = depth == 0 && c == ',';
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

constexpr std::string_view shared_word = "__shared__", device_word = "__device__", host_word = "__host__",
                           global_word = "__global__", template_word = "template";

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

bool has_any_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
        if (has_word(text, at, word)) return true;
    return false;
}

/// "__host__ __device__ " of a declaration that has both; "" of a kernel's, which nvcc wants to be repeated, too.
std::string spaces_in(std::string_view declaration) {
    if (has_any_word(declaration, global_word)) return {};
    std::string spaces;
    for (const std::string_view word : {host_word, device_word})
        if (has_any_word(declaration, word)) spaces.append(word).append(" ");
    return spaces;
}

/// Of the function template `name` in the same text; "" if it has none, or if there is no such template.
std::string spaces_of_template(std::string_view code, std::string_view name) {
    for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
        const std::size_t next = code.find_first_not_of(" \t\r\n", at + name.size());
        if (!has_word(code, at, name) || next == std::string_view::npos || code[next] != '(') continue;
        const std::size_t before = at == 0 ? std::string_view::npos : code.find_last_of(";{}", at - 1);
        const std::string_view head = code.substr(before + 1, at - before - 1);
        const std::size_t first = head.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos || !has_word(head, first, template_word)) continue;
        if (std::string spaces = spaces_in(head); !spaces.empty()) return spaces;
    }
    return {};
}

/// The name of the function of `template int twice<int>(int)`, which stands behind `template`; "" if it is something
/// else.
std::string_view instantiated_function(std::string_view declaration) {
    const std::size_t first = declaration.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || declaration[first] == '<') return {};
    for (const std::string_view word : {"class", "struct", "union"})
        if (has_word(declaration, first, word)) return {};
    int depth = 0;
    for (std::size_t at = declaration.rfind(')'); at != std::string_view::npos; --at) {
        depth += declaration[at] == ')' ? 1 : declaration[at] == '(' ? -1 : 0;
        if (depth > 0) continue;
        std::string_view name = declaration.substr(0, at);
        name = name.substr(0, name.find_last_not_of(" \t\r\n") + 1);
        if (name.ends_with('>')) {
            int open = 0;
            std::size_t begin = name.size();
            do {
                --begin;
                open += name[begin] == '>' ? 1 : name[begin] == '<' ? -1 : 0;
            } while (begin > 0 && open > 0);
            name = name.substr(0, begin);
        }
        std::size_t begin = name.size();
        while (begin > 0 && (name[begin - 1] == '_' || std::isalnum(static_cast<unsigned char>(name[begin - 1]))))
            --begin;
        // A member of an instance of a class has the class's own text.
        return name.substr(0, begin).ends_with(">::") ? std::string_view() : name.substr(begin);
    }
    return {};
}

/// clang wants an explicit instantiation to repeat the execution spaces of its template.
void read_instantiations(std::string_view code, const SpacesOf& spaces_of, std::vector<Change>& changes) {
    for (std::size_t at = code.find(template_word); at != std::string_view::npos;
         at = code.find(template_word, at + 1)) {
        if (!has_word(code, at, template_word)) continue;
        const std::size_t begin = at + template_word.size(), end = code.find_first_of(";{}", begin);
        if (end == std::string_view::npos || code[end] != ';') continue;
        const std::string_view declaration = code.substr(begin, end - begin);
        const std::string_view name = instantiated_function(declaration);
        if (name.empty() || has_any_word(declaration, global_word) || !spaces_in(declaration).empty()) continue;
        std::string spaces = spaces_of_template(code, name);
        if (spaces.empty() && spaces_of) spaces = spaces_of(name);
        if (!spaces.empty()) changes.push_back({begin, begin, " " + spaces});
    }
}

}  // namespace

std::optional<std::string> as_clang_spells(std::string_view text, const SpacesOf& spaces_of) {
    const bool has_both =
        text.find(shared_word) != std::string_view::npos && text.find(device_word) != std::string_view::npos;
    if (!has_both && text.find('<') == std::string_view::npos && text.find(template_word) == std::string_view::npos)
        return std::nullopt;
    const std::string code = only_code(text);
    std::vector<Change> changes;
    read_launches(code, changes);
    if (has_both) read_shared(code, changes);
    read_instantiations(code, spaces_of, changes);
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
