#include "repl/lesson/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "repl/shell/suggest.h"
#include "repl/shell/text_check.h"
#include "repl/trim.h"

namespace cudash::lesson {
namespace {

/// Lower case, without the plural's s, one space between words.
std::string key_of(std::string_view name) {
    std::string key;
    for (const char c : trim(name)) {
        const bool gap = c == ' ' || c == '-' || c == '_';
        if (!gap)
            key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!key.empty() && key.back() != ' ')
            key += ' ';
    }
    if (key.size() > 3 && key.ends_with('s') && !key.ends_with("ss") && !key.ends_with("us")) key.pop_back();
    return key;
}

}  // namespace

std::vector<Term> read_terms(std::string_view markdown) {
    std::vector<Term> terms;
    for (std::size_t begin = 0; begin < markdown.size();) {
        const std::size_t end = std::min(markdown.find('\n', begin), markdown.size());
        const std::string_view line = markdown.substr(begin, end - begin);
        begin = end + 1;
        constexpr std::string_view heading = "## ", also = "Also: ";
        if (line.starts_with(heading)) {
            terms.push_back({std::string(trim(line.substr(heading.size()))), {}, {}});
        } else if (!terms.empty() && line.starts_with(also)) {
            std::string_view rest = line.substr(also.size());
            if (rest.ends_with('.')) rest.remove_suffix(1);
            while (!rest.empty()) {
                const std::size_t comma = std::min(rest.find(','), rest.size());
                terms.back().also.emplace_back(trim(rest.substr(0, comma)));
                rest.remove_prefix(std::min(comma + 1, rest.size()));
            }
        } else if (!terms.empty()) {
            terms.back().text += std::string(line) + "\n";
        }
    }
    for (Term& term : terms) term.text = std::string(trim(term.text)) + "\n";
    return terms;
}

const Term* find_term(const std::vector<Term>& terms, std::string_view wanted) {
    const std::string key = key_of(wanted);
    for (const Term& term : terms) {
        if (key_of(term.name) == key) return &term;
        if (std::ranges::any_of(term.also, [&](const std::string& other) { return key_of(other) == key; }))
            return &term;
    }
    const Term* found = nullptr;
    for (const Term& term : terms) {
        if (!key_of(term.name).starts_with(key)) continue;
        if (found) return nullptr;
        found = &term;
    }
    return found;
}

Result<std::string> look_up(const std::string& lessons, std::string_view wanted) {
    const auto text = shell::read_file((std::filesystem::path(lessons) / "glossary.md").string());
    if (!text) return text.error();
    const std::vector<Term> terms = read_terms(*text);
    if (trim(wanted).empty()) {
        std::string names;
        for (const Term& term : terms) names += (names.empty() ? "" : ", ") + term.name;
        return names + "\n";
    }
    if (const Term* term = find_term(terms, wanted)) {
        std::string also;
        for (const std::string& other : term->also) also += (also.empty() ? " (also: " : ", ") + other;
        return fmt::format("**{}**{}\n\n{}", term->name, also.empty() ? "" : also + ")", term->text);
    }
    std::vector<std::string_view> names;
    for (const Term& term : terms) {
        names.push_back(term.name);
        names.insert(names.end(), term.also.begin(), term.also.end());
    }
    const auto meant = shell::suggest(wanted, names);
    return error(
        "no-term", fmt::format("the glossary has no '{}'", wanted),
        meant ? fmt::format("did you mean {}?", *meant) : "without a term, the glossary lists all of its terms");
}

}  // namespace cudash::lesson
