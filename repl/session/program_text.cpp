// `:save-session FILE.cu`: the session as a program for nvcc. What declares stands at namespace scope, what runs in
// main, both in the session's order; a declaration that a later cell replaced gets a name of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "repl/session/clang/prelude.h"
#include "repl/session/device/text_scan.h"
#include "repl/session/inspections.h"
#include "repl/trim.h"

namespace cudash::session {
namespace {

/// Prints a value as the shell shows it.
constexpr std::string_view show_helper = R"(
#include <charconv>
#include <type_traits>

// Values as the shell shows them.
template <int N>
struct Rank : Rank<N - 1> {};
template <>
struct Rank<0> {};
template <class T>
std::string text_of(const T& value);

template <class T>
std::string text_of(const T&, Rank<0>) {
    return "{...}";
}
template <class T>
auto text_of(const T& v, Rank<1>) -> decltype(v.x, std::string()) {
    return "{.x = " + text_of(v.x) + "}";
}
template <class T>
auto text_of(const T& v, Rank<2>) -> decltype(v.x, v.y, std::string()) {
    return "{.x = " + text_of(v.x) + ", .y = " + text_of(v.y) + "}";
}
template <class T>
auto text_of(const T& v, Rank<3>) -> decltype(v.x, v.y, v.z, std::string()) {
    return "{.x = " + text_of(v.x) + ", .y = " + text_of(v.y) + ", .z = " + text_of(v.z) + "}";
}
template <class T>
auto text_of(const T& v, Rank<4>) -> decltype(v.x, v.y, v.z, v.w, std::string()) {
    return "{.x = " + text_of(v.x) + ", .y = " + text_of(v.y) + ", .z = " + text_of(v.z) + ", .w = " + text_of(v.w) +
           "}";
}
template <class T>
auto text_of(const T& v, Rank<5>) -> decltype(std::begin(v), std::size(v), std::string()) {
    std::string text;
    std::size_t count = 0;
    for (const auto& each : v) {
        if (++count <= 16) text += (count > 1 ? ", " : "") + text_of(each);
    }
    return "{" + text + (count > 16 ? ", ... " + std::to_string(count) + " elements}" : "}");
}

template <class T>
std::string text_of(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, cudaError_t>) {
        return cudaGetErrorName(value);
    } else if constexpr (std::is_same_v<T, char>) {
        return std::string("'") + value + "'";
    } else if constexpr (std::is_floating_point_v<T>) {
        char digits[64];
        const std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
        return text + (text.find_first_of(".einf") == std::string::npos ? ".0" : "");
    } else if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else if constexpr (std::is_convertible_v<T, std::string>) {
        return '"' + std::string(value) + '"';
    } else if constexpr (std::is_enum_v<T>) {
        return std::to_string(static_cast<long long>(value));
    } else if constexpr (std::is_pointer_v<T>) {
        if (!value) return "nullptr";
        std::ostringstream address;
        address << reinterpret_cast<const void*>(value);
        return address.str();
    } else {
        return text_of(value, Rank<5>());
    }
}

template <class T>
void show(const char* type, const T& value) {
    std::cout << '(' << type << ") " << text_of(value) << std::endl;
}
)";

/// A cell that only names a variable of device memory shows the device's value.
constexpr std::string_view show_device_helper = R"(
template <class T>
void show_on_device(const char* type, const T& symbol) {
    alignas(T) unsigned char bytes[sizeof(T)];
    cudaMemcpyFromSymbol(bytes, symbol, sizeof bytes);
    show(type, *reinterpret_cast<const T*>(bytes));
}
)";

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
}

/// After `.` or `->`.
bool is_member(std::string_view text, std::size_t at) {
    while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1]))) --at;
    return (at > 0 && text[at - 1] == '.') || (at > 1 && text[at - 1] == '>' && text[at - 2] == '-');
}

/// Names alone: not in literals and comments, and not those of members.
std::string with_word(const std::string& text, const std::string& from, const std::string& to) {
    std::string result;
    for (const TextRun& run : scan_text(text)) {
        for (std::size_t i = run.begin; i < run.end;) {
            const std::size_t end = i + from.size();
            const bool here = run.kind != TextRun::Kind::literal && run.kind != TextRun::Kind::comment &&
                              text.compare(i, from.size(), from) == 0 && (i == 0 || !is_word(text[i - 1])) &&
                              (end >= text.size() || !is_word(text[end])) && !is_member(text, i);
            result += here ? to : std::string(1, text[i]);
            i += here ? from.size() : 1;
        }
    }
    return result;
}

/// Without the directives that keep the lines of what was typed (session/clang/device_lambdas.h).
std::string without_line_directives(const std::string& text, const std::string& cell) {
    const std::string end = " \"" + cell + "\"";
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line = trim(std::string_view(text).substr(at, next - at));
        if (!line.starts_with("#line ") || !line.ends_with(end)) {
            result += text.substr(at, next - at);
        } else if (result.size() > 1 && result.ends_with('\n') && result[result.size() - 2] != ';') {
            // Within a declaration: what the directive kept apart is one line again.
            result.back() = ' ';
            next = std::min(text.find_first_not_of(' ', next), text.size());
        }
        at = next;
    }
    return result;
}

/// A part of a cell's text that goes to main.
struct Moved {
    std::uint32_t begin = 0, end = 0;
    bool shown = false;
};

class Program {
public:
    Program(const DeviceUnit& unit, const std::map<std::string, std::string>& shown, std::set<std::string> wanted)
        : unit_(unit), shown_(shown), wanted_(std::move(wanted)) {}

    std::string text() {
        for (std::uint32_t i = 0; i < unit_.sources().size(); ++i)
            if (is_wanted(i)) find_renames(i);
        find_words_of_functions();
        find_launching_functions();
        for (std::uint32_t i = 0; i < unit_.sources().size(); ++i)
            if (is_wanted(i)) add(i);
        if (own_main_ && !statements_.empty()) {
            scope_ = with_word(scope_, "main", "session_main");
            statements_ = with_word(statements_, "main", "session_main");
        }
        std::string result =
            fmt::format("// A session of cudash, as a program: nvcc -std=c++17 FILE.cu\n{}", prelude_includes());
        if (shows_) result += show_helper;
        if (shows_device_) result += show_device_helper;
        result += "\n" + scope_;
        if (!scope_.ends_with("\n\n")) result += "\n";
        if (statements_.empty() && own_main_) return result;
        return result + "int main() {\n" + statements_ + "}\n";
    }

private:
    const SourceText& source(std::uint32_t index) const { return unit_.sources()[index]; }
    bool is_wanted(std::uint32_t index) const { return source(index).is_cell && wanted_.contains(source(index).name); }

    std::vector<const Declaration*> declarations_of(std::uint32_t index) const {
        std::vector<const Declaration*> list;
        for (const Declaration& declaration : unit_.declarations())
            if (declaration.source == index && declaration.range.begin < declaration.range.end)
                list.push_back(&declaration);
        std::stable_sort(list.begin(), list.end(),
                         [](const Declaration* a, const Declaration* b) { return a->range.begin < b->range.begin; });
        return list;
    }

    std::string text_of(const Declaration& declaration) const {
        return source(declaration.source)
            .text.substr(declaration.range.begin, declaration.range.end - declaration.range.begin);
    }

    /// A name that a later cell gave to something else: the earlier one is renamed until there.
    struct Rename {
        std::string from, to;
        std::uint32_t first = 0, last = 0;  ///< sources, `last` excluded
        bool is_type = false;
    };

    void find_renames(std::uint32_t index) {
        for (const Declaration* declaration : declarations_of(index)) {
            if (declaration->name.empty()) continue;
            own_main_ |= declaration->what == Declaration::What::function && declaration->name == "main";
            const auto replaced = unit_.superseded_by(declaration->id);
            if (!replaced || !is_wanted(*replaced)) continue;
            std::string cell = source(index).name;
            std::replace(cell.begin(), cell.end(), ' ', '_');
            renames_.push_back(
                {declaration->name, declaration->name + "_of_" + cell, index, *replaced, declaration->is_type});
        }
    }

    /// Lambdas without captures too: they see variables only at namespace scope.
    void find_words_of_functions() {
        for (const Declaration& declaration : unit_.declarations()) {
            if (!is_wanted(declaration.source)) continue;
            const std::string text = text_of(declaration);
            if (declaration.what == Declaration::What::function || declaration.is_type) {
                functions_ += text + "\n";
            } else if (const std::size_t lambda = text.find("[]"); lambda != std::string::npos) {
                functions_ += text.substr(lambda) + "\n";
            }
        }
    }

    /// Whether the text launches a kernel, itself or by functions of the session.
    bool launches_in(std::string_view text) const {
        return text.find("<<<") != std::string_view::npos || text.find("cudaLaunch") != std::string_view::npos ||
               std::any_of(launching_.begin(), launching_.end(),
                           [&](const std::string& name) { return has_word(text, name); });
    }

    void find_launching_functions() {
        for (bool found = true; found;) {
            found = false;
            for (const Declaration& declaration : unit_.declarations())
                if (declaration.what == Declaration::What::function && is_wanted(declaration.source) &&
                    launches_in(text_of(declaration)))
                    found |= launching_.insert(declaration.name).second;
        }
    }

    std::string renamed(std::string text, std::uint32_t index, bool types_alone = false) const {
        for (const Rename& rename : renames_)
            if (index >= rename.first && index < rename.last && (rename.is_type || !types_alone))
                text = with_word(text, rename.from, rename.to);
        return text;
    }

    /// A part of a source. Within a type its members have names of their own, whatever a variable is called.
    std::string renamed(std::uint32_t index, std::size_t begin, std::size_t end) const {
        const std::string& text = source(index).text;
        std::string result;
        for (const Declaration* type : declarations_of(index)) {
            if (!type->is_type || type->range.begin < begin || type->range.end > end) continue;
            result += renamed(text.substr(begin, type->range.begin - begin), index);
            result += renamed(text_of(*type), index, true);
            begin = type->range.end;
        }
        return result + renamed(text.substr(begin, end - begin), index);
    }

    /// Variables that functions name stay where these see them; others become main's, so that they are set in order.
    bool stays(const Declaration& variable) const {
        if (variable.role != Declaration::Role::host || variable.nested) return true;
        const std::string text = text_of(variable);
        return has_word(text, "static") || has_word(text, "extern") || has_word(text, "constexpr") ||
               text.find("__device__") != std::string::npos || text.find("__constant__") != std::string::npos ||
               text.find("__managed__") != std::string::npos || has_word(functions_, variable.name);
    }

    void add(std::uint32_t index) {
        const std::string& text = source(index).text;
        const std::uint32_t body = text.starts_with("#line ") ? static_cast<std::uint32_t>(text.find('\n') + 1) : 0;
        std::vector<Moved> moved;
        const auto declarations = declarations_of(index);
        for (std::size_t i = 0; i < declarations.size(); ++i) {
            const Declaration& declaration = *declarations[i];
            if (declaration.range.begin < body) continue;
            // `int *p, h[100];`: declarations that share their beginning go together.
            std::uint32_t end = declaration.range.end;
            bool stay = declaration.what == Declaration::What::variable && stays(declaration);
            std::size_t last = i;
            while (last + 1 < declarations.size() && declarations[last + 1]->range.begin < end) {
                ++last;
                stay |= declarations[last]->what != Declaration::What::variable || stays(*declarations[last]);
                end = std::max(end, declarations[last]->range.end);
            }
            const auto what = declaration.what;
            i = last;
            if (stay || what == Declaration::What::other || what == Declaration::What::function) continue;
            while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
            if (end < text.size() && text[end] == ';') ++end;
            moved.push_back({declaration.range.begin, end, what == Declaration::What::value});
        }
        std::string scope;
        std::uint32_t at = body;
        bool launches = false;
        for (const Moved& part : moved) {
            if (part.begin < at) continue;
            scope += renamed(index, at, part.begin);
            std::string code(trim(without_line_directives(renamed(index, part.begin, part.end), source(index).name)));
            launches |= launches_in(code);
            const auto type = shown_.find(source(index).name);
            if (part.shown && type != shown_.end()) {
                const bool on_device =
                    type->second.starts_with("__device__ ") || type->second.starts_with("__constant__ ");
                code = fmt::format("{}(\"{}\", {});", on_device ? "show_on_device" : "show", type->second, code);
                shows_ = true;
                shows_device_ |= on_device;
            } else if (!code.ends_with(';') && !code.ends_with('}')) {
                code += ';';
            }
            std::string indented = "    ";
            for (const char c : code) indented += c == '\n' ? std::string("\n    ") : std::string(1, c);
            statements_ += indented + "\n";
            at = part.end;
        }
        scope += renamed(index, std::min<std::size_t>(at, text.size()), text.size());
        // The session waits for the device at the end of a cell.
        if (launches) statements_ += "    cudaDeviceSynchronize();\n";
        scope = trim(without_line_directives(scope, source(index).name));
        if (!scope.empty() && scope != ";") scope_ += scope + "\n\n";
    }

    const DeviceUnit& unit_;
    const std::map<std::string, std::string>& shown_;
    std::set<std::string> wanted_, launching_;
    std::vector<Rename> renames_;
    std::string functions_, scope_, statements_;
    bool shows_ = false, shows_device_ = false, own_main_ = false;
};

}  // namespace

Outcome program(const Inspected& session, std::string_view cells) {
    std::set<std::string> wanted;
    for (const std::string& number : words_of(cells)) wanted.insert("cell " + number);
    if (wanted.empty()) return refuse(error("nothing-to-save", "there are no accepted cells", "evaluate some first"));
    for (const std::string& cell : wanted)
        if (session.with_last_value.contains(cell))
            return refuse(error("nothing-to-save", fmt::format("{} uses `_`, which only the prompt has", cell),
                                "give the value a name, `auto x = ...`, or save the session as a .cudash file"));
    Outcome outcome;
    outcome.text = Program(session.unit, session.shown, std::move(wanted)).text();
    return outcome;
}

}  // namespace cudash::session
