#include "runtime_wrappers/nvrtc/ptx_link.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

namespace cudash::nvrtc {
namespace {

using Renames = std::map<std::string, std::string, std::less<>>;

bool is_name_part(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}

/// A directive at the top level of a module.
struct Statement {
    enum class Kind { header, file, section, variable, declaration, function, other };
    Kind kind = Kind::other;
    std::string_view text;
    std::string_view name;     ///< of a function or variable
    bool is_extern = false;    ///< defined elsewhere
    bool is_exported = false;  ///< other modules see it
    bool is_weak = false;
};

std::size_t end_of_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return std::min(at + 1, text.size());
}

/// Where the line ends.
std::size_t end_of_line(std::string_view text, std::size_t at) {
    return std::min(text.find('\n', at), text.size());
}

/// Behind the statement that begins at `at`: a line, up to its semicolon, or up to the brace that closes its body.
std::size_t end_of_statement(std::string_view text, std::size_t at) {
    for (const std::string_view directive : {".version", ".target", ".address_size", ".file"})
        if (text.substr(at).starts_with(directive)) return end_of_line(text, at);
    int depth = 0;
    bool is_initializer = false;
    for (std::size_t i = at; i < text.size(); ++i) {
        switch (text[i]) {
            case '"':
                i = end_of_string(text, i) - 1;
                break;
            case '/':
                if (text.substr(i, 2) == "//") i = end_of_line(text, i);
                break;
            case '=':
                is_initializer |= depth == 0;
                break;
            case '{':
                ++depth;
                break;
            case '}':
                if (--depth == 0 && !is_initializer) return i + 1;
                break;
            case ';':
                if (depth == 0) return i + 1;
                break;
            default:
                break;
        }
    }
    return text.size();
}

/// The first word at `at` or behind it.
std::string_view word_from(std::string_view text, std::size_t at) {
    while (at < text.size() && !is_name_part(text[at])) ++at;
    std::size_t end = at;
    while (end < text.size() && is_name_part(text[end])) ++end;
    return text.substr(at, end - at);
}

std::string_view name_of_function(std::string_view text, std::size_t directive_end) {
    std::size_t at = text.find_first_not_of(" \t\n", directive_end);
    // What it returns stands in parentheses before its name.
    if (at != std::string_view::npos && text[at] == '(') at = text.find(')', at);
    return at == std::string_view::npos ? std::string_view() : word_from(text, at);
}

std::string_view name_of_variable(std::string_view text) {
    const std::string_view head = text.substr(0, text.find_first_of("[=;"));
    std::size_t end = head.size();
    while (end > 0 && !is_name_part(head[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_name_part(head[begin - 1])) --begin;
    return head.substr(begin, end - begin);
}

Statement statement_of(std::string_view text) {
    using Kind = Statement::Kind;
    Statement found;
    found.text = text;
    const std::string_view head = text.substr(0, text.find_first_of("(=;{"));
    const auto has = [&](std::string_view directive) { return head.find(directive) != std::string_view::npos; };
    if (text.starts_with(".version") || text.starts_with(".target") || text.starts_with(".address_size")) {
        found.kind = Kind::header;
        return found;
    }
    if (text.starts_with(".file") || text.starts_with(".section")) {
        found.kind = text.starts_with(".file") ? Kind::file : Kind::section;
        return found;
    }
    found.is_extern = has(".extern");
    found.is_weak = has(".weak") || has(".common");
    found.is_exported = has(".visible") || found.is_weak;
    for (const std::string_view directive : {".func", ".entry"})
        if (const std::size_t at = text.find(directive); at < head.size() + directive.size() && has(directive)) {
            found.kind = text.ends_with('}') ? Kind::function : Kind::declaration;
            found.name = name_of_function(text, at + directive.size());
            return found;
        }
    for (const std::string_view directive : {".global", ".const", ".shared", ".texref", ".samplerref", ".surfref"})
        if (has(directive)) {
            found.kind = Kind::variable;
            found.name = name_of_variable(text);
            // Each kernel has one dynamic shared array, whatever its modules call it.
            if (directive == ".shared") found.is_extern = false;
        }
    return found;
}

std::vector<Statement> statements_of(std::string_view text) {
    std::vector<Statement> all;
    for (std::size_t at = 0; at < text.size();) {
        if (std::isspace(static_cast<unsigned char>(text[at]))) {
            ++at;
        } else if (text.substr(at, 2) == "//") {
            at = end_of_line(text, at);
        } else {
            const std::size_t end = end_of_statement(text, at);
            all.push_back(statement_of(text.substr(at, end - at)));
            at = end;
        }
    }
    return all;
}

/// The text with each word that has another name now.
std::string with_names(std::string_view text, const Renames& renames) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            const std::size_t end = end_of_string(text, at);
            result += text.substr(at, end - at);
            at = end;
        } else if (!is_name_part(text[at])) {
            result += text[at++];
        } else {
            const std::string_view word = word_from(text, at);
            const auto found = renames.find(word);
            result += found == renames.end() ? word : std::string_view(found->second);
            at += word.size();
        }
    }
    return result;
}

/// The files of all modules in one list, as .file numbers them.
class Files {
public:
    /// Adds what `.file 3 "a.cu"` says, for the module that is read now.
    void add(std::string_view directive) {
        const std::string_view number = word_from(directive, 5);
        const std::size_t name_at = directive.find('"');
        if (name_at == std::string_view::npos) return;
        const std::string name(directive.substr(name_at, end_of_string(directive, name_at) - name_at));
        const auto [entry, is_new] = numbers_.try_emplace(name, numbers_.size() + 1);
        if (is_new) text_ += ".file " + std::to_string(entry->second) + " " + name + "\n";
        own_[std::string(number)] = std::to_string(entry->second);
    }
    void begin_module() { own_.clear(); }
    const std::string& text() const { return text_; }

    /// A function's text with the numbers of its .loc lines: `.loc 1 3 5, function_name X, inlined_at 2 4 6`.
    std::string renumbered(std::string_view text) const {
        std::string result;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(end_of_line(text, at) + 1, text.size());
            const std::string_view line = text.substr(at, end - at);
            at = end;
            const std::size_t first = line.find_first_not_of(" \t");
            if (first == std::string_view::npos || !line.substr(first).starts_with(".loc")) {
                result += line;
                continue;
            }
            std::size_t done = 0;
            for (const std::string_view before : {".loc", "inlined_at"}) {
                const std::size_t found = line.find(before, done);
                if (found == std::string_view::npos) break;
                const std::string_view number = word_from(line, found + before.size());
                const auto begin = static_cast<std::size_t>(number.data() - line.data());
                result += line.substr(done, begin - done);
                const auto other = own_.find(number);
                result += other == own_.end() ? number : std::string_view(other->second);
                done = begin + number.size();
            }
            result += line.substr(done);
        }
        return result;
    }

private:
    std::map<std::string, std::size_t> numbers_;
    Renames own_;  ///< the module's numbers -> those of all
    std::string text_;
};

/// The names that a section's lines begin with: "$L__info_string0:".
std::vector<std::string_view> labels_of(std::string_view section) {
    std::vector<std::string_view> labels;
    for (std::size_t at = 0; at < section.size(); at = end_of_line(section, at) + 1) {
        const std::string_view line = section.substr(at, end_of_line(section, at) - at);
        const std::string_view word = word_from(line, 0);
        if (!word.empty() && word.data() + word.size() < line.data() + line.size() && word.data()[word.size()] == ':')
            labels.push_back(word);
    }
    return labels;
}

class Linker {
public:
    explicit Linker(const std::vector<std::string_view>& texts) {
        for (const std::string_view text : texts) modules_.push_back(statements_of(text));
        renamed_.resize(modules_.size());
    }

    LinkedPtx link() {
        choose_names();
        for (std::size_t i = 0; i < modules_.size(); ++i) add(i);
        std::string text;
        for (const Statement& statement : modules_.empty() ? std::vector<Statement>() : modules_.front())
            if (statement.kind == Statement::Kind::header) text += std::string(statement.text) + "\n";
        for (const auto& [name, declaration] : declarations_) text += declaration + "\n";
        for (const auto& [name, variable] : variables_) add_variable(name, text);
        text += functions_ + files_.text();
        for (const auto& [head, lines] : sections_) text += head + "\n{\n" + lines + "}\n";
        return {std::move(text), std::move(renamed_)};
    }

private:
    static bool is_definition(const Statement& statement) {
        return statement.kind == Statement::Kind::function ||
               (statement.kind == Statement::Kind::variable && !statement.is_extern);
    }

    void choose_names() {
        std::set<std::string, std::less<>> used;
        for (const auto& module : modules_)
            for (const Statement& statement : module)
                if (statement.is_exported || statement.is_extern) used.emplace(statement.name);
        std::set<std::string, std::less<>> strong, local;
        for (std::size_t i = 0; i < modules_.size(); ++i) {
            Renames& renames = renamed_[i];
            const auto rename = [&](std::string_view name) {
                renames.emplace(std::string(name), std::string(name) + "$" + std::to_string(i + 1));
            };
            for (const Statement& statement : modules_[i]) {
                if (statement.kind == Statement::Kind::section)
                    for (const std::string_view label : labels_of(statement.text)) rename(label);
                if (!is_definition(statement) || statement.is_weak) continue;
                const bool is_taken = statement.is_exported
                                          ? !strong.emplace(statement.name).second
                                          : used.contains(statement.name) || !local.emplace(statement.name).second;
                if (is_taken) rename(statement.name);
            }
        }
        for (std::size_t i = 0; i < modules_.size(); ++i)
            for (const Statement& statement : modules_[i])
                if (is_definition(statement)) defined_.insert(with_names(statement.name, renamed_[i]));
    }

    void add(std::size_t number) {
        using Kind = Statement::Kind;
        const Renames& renames = renamed_[number];
        files_.begin_module();
        for (const Statement& statement : modules_[number])
            if (statement.kind == Kind::file) files_.add(statement.text);
        for (const Statement& statement : modules_[number]) {
            std::string text = with_names(statement.text, renames);
            const std::string name = with_names(statement.name, renames);
            switch (statement.kind) {
                case Kind::declaration:
                    if (defined_.contains(name)) break;
                    declarations_.try_emplace(name, std::move(text));
                    break;
                case Kind::function: {
                    if (!added_.insert(name).second) break;  // weak, and there already
                    const std::string_view whole = text;
                    if (whole.substr(0, whole.find('{')).find(".entry") == std::string_view::npos)
                        declarations_[name] = text.substr(0, text.find('{')) + ";";
                    functions_ += files_.renumbered(text) + "\n";
                    break;
                }
                case Kind::variable:
                    if (statement.is_extern && defined_.contains(name)) break;
                    if (added_.insert(name).second) variables_.try_emplace(name, std::move(text));
                    break;
                case Kind::section: {
                    const std::size_t open = text.find('{');
                    if (open == std::string::npos) break;
                    std::string head = text.substr(0, open);
                    head.erase(head.find_last_not_of(" \t\n") + 1);
                    sections_[head] += text.substr(open + 1, text.rfind('}') - open - 1) + "\n";
                    break;
                }
                case Kind::other:
                    functions_ += text + "\n";
                    break;
                case Kind::header:
                case Kind::file:
                    break;
            }
        }
    }

    /// After those that its initial value names.
    void add_variable(const std::string& name, std::string& text) {
        if (!placed_.insert(name).second) return;
        const std::string& own = variables_.at(name);
        const std::size_t value = own.find('=');
        for (std::size_t at = value; at < own.size();) {
            const std::string_view word = word_from(own, at);
            if (word.empty()) break;
            at = static_cast<std::size_t>(word.data() - own.data()) + word.size();
            if (const std::string other(word); variables_.contains(other)) add_variable(other, text);
        }
        text += own + "\n";
    }

    std::vector<std::vector<Statement>> modules_;
    std::vector<Renames> renamed_;
    std::set<std::string, std::less<>> defined_, added_, placed_;
    Files files_;
    std::map<std::string, std::string> declarations_, variables_, sections_;
    std::string functions_;
};

}  // namespace

LinkedPtx link_ptx(const std::vector<std::string_view>& modules) {
    return Linker(modules).link();
}

}  // namespace cudash::nvrtc
