#include "repl/session/slip_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <string>

namespace cudash::session {
namespace {

/// `pattern`: of the message, a line break, and the line of the cell that it is about; `hint` may use its groups.
struct Slip {
    const char* pattern;
    const char* hint;
    bool is_no_cpp = false;  ///< what else is wrong with the line as C++ does not matter
};

#define UNKNOWN "(?:undeclared identifier|unknown type name) '"
#define END "\\s*;?\\s*$"  // a declaration gets its semicolon before it is compiled

const Slip slips[] = {
    // Programs.
    {UNKNOWN "clear'.*\\n\\s*clear" END, "Ctrl-L clears the screen", true},
    {UNKNOWN "cd'.*\\n\\s*cd\\b", "chdir(\"FOLDER\") changes the folder; `!pwd` shows it", true},
    {UNKNOWN
     "(ls|pwd|cat|cp|mv|rm|mkdir|man|vi|vim|nano|emacs|less|head|tail|grep|git|make|cmake|gcc|g|clang|nvcc|nvidia|"
     "nsys|ncu|compute|cuda|gdb|python3?|pip3?|sudo|which|echo|whoami|top|sh|bash)'.*\\n\\s*"
     "(\\1(?:\\+\\+|-[a-z]+)?(?:\\s+[^=(\\s].*?)?)" END,
     "`!$2` runs it as a command of the system's shell", true},
    {".*\\n\\s*(?:exit|quit)\\s+(\\d+)" END, "`:quit $1` leaves with that exit code"},
    // Python and Julia.
    {"undeclared identifier 'print(?:ln)?'", "printf(\"%d\\n\", x) prints a number; a name alone shows its value"},
    {UNKNOWN "(?:import|from)'", "C++ reads headers: `#include <vector>`", true},
    {UNKNOWN "def'.*\\n\\s*def\\s+(\\w+)",
     "a function begins with the type of its result: `int $1(int x) { return x; }`", true},
    {UNKNOWN "(?:let|var)'.*\\n\\s*(?:let|var)\\s+(\\w+)\\s*=\\s*(.*?)" END,
     "a declaration begins with a type or auto: `auto $1 = $2`", true},
    {UNKNOWN "main'.*\\n\\s*main\\s*\\(", "a function begins with the type of its result: `int main() { ... }`"},
    {"undeclared identifier 'len'", "std::size(x) is the number of elements of an array or container"},
    {"undeclared identifier 'range'", "a loop counts for itself: `for (int i = 0; i < n; ++i)`"},
    {"expected '\\(' after 'for'\\n.*\\bfor\\s+(\\w+)",
     "a loop counts for itself: `for (int $1 = 0; $1 < n; ++$1) { ... }`", true},
    {"undeclared identifier '(\\w+)'.*\\n\\s*\\1\\s*:?=(?!=)\\s*(.*?)" END, "declare a new variable: `auto $1 = $2`"},
    {"expected expression\\n\\s*(\\w+)\\s*:=\\s*(.*?)" END, "declare a new variable: `auto $1 = $2`"},
    {"expected .*\\n\\s*([A-Za-z_][\\w.]*)\\s*(\\[[^\\]?\"']*:[^\\]?\"']*\\])" END, "`:show $1 $2` shows a slice",
     true},
    {"is before the beginning of the array\\n\\s*([A-Za-z_]\\w*)\\s*(\\[-\\d+\\])" END,
     "`:show $1 $2` counts from the end"},
    {"multi-character character constant\\n.*?'([^'\\\\]+)'", "strings stand in double quotes: \"$1\""},
    // Sizes.
    {"invalid suffix '[Kk].*\\n.*?\\b(\\d+)[Kk]", "in code, $1 KiB are $1ull << 10"},
    {"invalid suffix 'M.*\\n.*?\\b(\\d+)M", "in code, $1 MiB are $1ull << 20"},
    {"invalid suffix 'G.*\\n.*?\\b(\\d+)G", "in code, $1 GiB are $1ull << 30"},
    // CUDA.
    {"expected '\\('\\n.*?([A-Za-z_]\\w*)\\s*<<<(.*)>>>" END,
     "a launch ends with the arguments of its kernel: `$1<<<$2>>>(...)`, or () if it has none"},
    {"file not found", "check the name; for headers of your own, start with `cudash -I FOLDER`"},
};

#undef UNKNOWN
#undef END

/// A container where a pointer is wanted, in a call of the runtime's or in a launch.
std::string help_with_container(const Diagnostic& diagnostic, std::string_view line) {
    static const std::regex conversion("conversion from '(?:std::)?(?:vector|array)<.*' to '[^']*\\*'");
    const auto says = [](const std::string& message) { return std::regex_search(message, conversion); };
    if (!says(diagnostic.message) && std::ranges::none_of(diagnostic.notes, says, &Diagnostic::Note::message))
        return {};
    return line.find("<<<") == std::string_view::npos
               ? "v.data() is the address of a vector's elements"
               : "a kernel needs device memory: cudaMalloc it, and copy v.data() there with cudaMemcpy";
}

constexpr std::array<std::string_view, 42> keywords = {
    "int",       "float",    "double",   "char",       "short",      "long",      "unsigned",  "signed", "void",
    "bool",      "auto",     "const",    "static",     "struct",     "class",     "return",    "while",  "switch",
    "break",     "continue", "sizeof",   "template",   "typename",   "using",     "namespace", "public", "private",
    "constexpr", "volatile", "default",  "nullptr",    "true",       "false",     "typedef",   "extern", "inline",
    "size_t",    "uint8_t",  "uint32_t", "__global__", "__shared__", "__device__"};

/// By one letter too many, too few or other, or two that changed places.
bool is_slip_of(std::string_view word, std::string_view keyword) {
    if (word.size() + 1 < keyword.size() || keyword.size() + 1 < word.size()) return false;
    const auto [a, b] = std::ranges::mismatch(word, keyword);
    std::string_view x(a, word.end()), y(b, keyword.end());
    if (x.size() == y.size()) {
        if (x.size() < 2) return false;
        if (x[0] == y[1] && x[1] == y[0] && x.substr(2) == y.substr(2)) return true;
        return keyword.size() > 4 && x.substr(1) == y.substr(1);
    }
    return x.size() > y.size() ? x.substr(1) == y : keyword.size() > 3 && x == y.substr(1);
}

std::string help_with_keyword(std::string_view message) {
    if (message.find("; did you mean") != std::string_view::npos) return {};
    for (const std::string_view said : {"unknown type name '", "use of undeclared identifier '"}) {
        if (!message.starts_with(said) || !message.ends_with("'")) continue;
        const std::string_view word = message.substr(said.size(), message.size() - said.size() - 1);
        const auto meant =
            std::ranges::find_if(keywords, [&](std::string_view each) { return is_slip_of(word, each); });
        if (word.size() >= 3 && meant != keywords.end()) return fmt::format("did you mean {}?", *meant);
    }
    return {};
}

std::string line_of(std::string_view text, unsigned number) {
    for (; number > 1 && !text.empty(); --number)
        text.remove_prefix(
            std::min(text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1));
    return std::string(text.substr(0, text.find('\n')));
}

const Slip* slip_in(const Diagnostic& diagnostic, const std::string& line, std::string& hint) {
    constexpr std::size_t longest = 400;  // patterns are matched by backtracking
    if (line.size() > longest) return nullptr;
    const std::string both = diagnostic.message + "\n" + line;
    for (const Slip& slip : slips) {
        std::smatch match;
        if (!std::regex_search(both, match, std::regex(slip.pattern))) continue;
        hint = match.format(slip.hint);
        return &slip;
    }
    return nullptr;
}

bool is_note_of_candidate(const Diagnostic::Note& note) {
    return note.message.starts_with("candidate ");
}

}  // namespace

void explain_slips(std::vector<Diagnostic>& diagnostics, std::string_view cell, std::string_view text) {
    for (Diagnostic& each : diagnostics) {
        if (!each.hint.empty() || each.where.line == 0 || each.where.file != cell) continue;
        const std::string line = line_of(text, each.where.line);
        if (each.hint = help_with_container(each, line); !each.hint.empty()) {
            std::erase_if(each.notes, is_note_of_candidate);
            continue;
        }
        const Slip* slip = slip_in(each, line, each.hint);
        if (!slip) each.hint = help_with_keyword(each.message);
        if (!slip || !slip->is_no_cpp) continue;
        each.notes.clear();
        diagnostics.assign(1, Diagnostic(each));
        return;
    }
}

}  // namespace cudash::session
