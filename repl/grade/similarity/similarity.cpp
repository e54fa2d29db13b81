#include "repl/grade/similarity/similarity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

#include "repl/grade/keyed_hash.h"
#include "repl/grade/tokens.h"
#include "repl/view/markup.h"

namespace cudash::grade {
namespace {

// What is shared is found from `gram + window - 1` normalized tokens on; what is shorter than `gram` never.
constexpr std::size_t gram = 8, window = 4;
constexpr std::size_t least_fingerprints = 8;  ///< of a source's own, to be compared
constexpr std::size_t least_shared = 6;
constexpr double common_part = 0.08;     ///< of all sources: what more of them have is common
constexpr std::size_t least_common = 4;  ///< sources

constexpr std::array<std::string_view, 24> types = {"int",     "unsigned", "signed",   "long",     "short",  "char",
                                                    "float",   "double",   "bool",     "size_t",   "auto",   "void",
                                                    "int32_t", "uint32_t", "int64_t",  "uint64_t", "int8_t", "uint8_t",
                                                    "half",    "__half",   "uint16_t", "int16_t",  "uchar",  "uint"};
constexpr std::array<std::string_view, 3> loops = {"for", "while", "do"};
/// What a disguise adds or drops without a change of what happens.
constexpr std::array<std::string_view, 16> noise = {
    "const", "constexpr", "static", "inline", "volatile", "register",     ";",    "{", "}",
    "(",     ")",         ",",      "++",     "--",       "__restrict__", "using"};
constexpr std::array<std::string_view, 12> kept = {"if",     "else",  "return",   "switch", "case",     "break",
                                                   "struct", "class", "template", "sizeof", "continue", "goto"};

template <class List>
bool among(const List& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
}

/// Names that CUDA gives are what a program does; a student's own are not.
bool is_of_cuda(std::string_view word) {
    return word.starts_with("__") || word.starts_with("cuda") || word.starts_with("atomic") || word == "threadIdx" ||
           word == "blockIdx" || word == "blockDim" || word == "gridDim" || word == "warpSize";
}

struct Normal {
    std::uint64_t code;
    unsigned line;
};

std::vector<Normal> normalized(std::string_view text) {
    std::vector<Normal> result;
    for (const Token& token : tokens_of(text)) {
        std::string_view as = token.text;
        if (among(noise, token.text) || token.kind == Token::Kind::include) continue;
        if (token.kind == Token::Kind::number)
            as = "number";
        else if (token.kind == Token::Kind::text)
            as = "text";
        else if (token.kind == Token::Kind::word && among(types, token.text))
            as = "type";
        else if (among(loops, token.text))
            as = "loop";
        else if (token.kind == Token::Kind::word && !among(kept, token.text) && !is_of_cuda(token.text))
            as = "name";
        // `unsigned int` is one type.
        if (as == "type" && !result.empty() && result.back().code == keyed_hash({}, "type")) continue;
        result.push_back({keyed_hash({}, as), token.line});
    }
    return result;
}

struct Fingerprint {
    unsigned first_line, last_line;
};
using Fingerprints = std::unordered_map<std::uint64_t, Fingerprint>;

/// Of each `gram` tokens in their order (FNV-1a).
std::vector<std::uint64_t> hashes_of(const std::vector<Normal>& tokens) {
    std::vector<std::uint64_t> hashes(tokens.size() < gram ? 0 : tokens.size() - gram + 1);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        std::uint64_t hash = 0xcbf29ce484222325;
        for (std::size_t k = 0; k < gram; ++k) hash = (hash ^ tokens[i + k].code) * 0x100000001b3;
        hashes[i] = hash ^ hash >> 29;
    }
    return hashes;
}

/// Of each window of hashes the smallest, the last of equal ones.
Fingerprints fingerprints_of(std::string_view text) {
    const std::vector<Normal> tokens = normalized(text);
    const std::vector<std::uint64_t> hashes = hashes_of(tokens);
    Fingerprints result;
    if (hashes.empty()) return result;
    const std::size_t windows = hashes.size() >= window ? hashes.size() - window + 1 : 1;
    for (std::size_t begin = 0; begin < windows; ++begin) {
        std::size_t least = begin;
        for (std::size_t i = begin; i < std::min(begin + window, hashes.size()); ++i)
            if (hashes[i] <= hashes[least]) least = i;
        result.try_emplace(hashes[least], Fingerprint{tokens[least].line, tokens[least + gram - 1].line});
    }
    return result;
}

std::vector<unsigned> lines_of(const Fingerprints& own, const Fingerprints& other) {
    std::set<unsigned> lines;
    for (const auto& [hash, place] : own)
        if (other.contains(hash))
            for (unsigned line = place.first_line; line <= place.last_line; ++line) lines.insert(line);
    return {lines.begin(), lines.end()};
}

std::string side(const Source& source, const std::vector<unsigned>& lines) {
    std::string text = fmt::format("<td><h3>{}</h3><pre>", view::escaped(source.name));
    unsigned number = 0;
    for (std::string_view rest = source.text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string line = view::escaped(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const bool is_shared = std::ranges::binary_search(lines, ++number);
        text +=
            is_shared ? fmt::format("<mark>{:>4} {}</mark>\n", number, line) : fmt::format("{:>4} {}\n", number, line);
    }
    return text + "</pre></td>";
}

}  // namespace

Similarity find_similar(const std::vector<Source>& sources, const std::vector<std::string>& common,
                        const SimilarityOptions& options) {
    Similarity result;
    std::vector<Fingerprints> all;
    std::map<std::uint64_t, std::vector<std::size_t>> owners;
    for (const Source& source : sources) {
        for (const auto& [hash, place] : all.emplace_back(fingerprints_of(source.text)))
            owners[hash].push_back(all.size() - 1);
    }
    std::set<std::uint64_t> nobodys;
    for (const std::string& text : common)
        // Not the windows' alone: those of a submission lie elsewhere.
        for (const std::uint64_t hash : hashes_of(normalized(text))) nobodys.insert(hash);
    const auto many =
        std::max(least_common, static_cast<std::size_t>(common_part * static_cast<double>(sources.size())));
    for (const auto& [hash, list] : owners)
        if (list.size() > many) nobodys.insert(hash);
    for (Fingerprints& own : all) std::erase_if(own, [&](const auto& each) { return nobodys.contains(each.first); });
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> shared;
    for (const auto& [hash, list] : owners) {
        if (nobodys.contains(hash)) continue;
        for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t k = i + 1; k < list.size(); ++k) ++shared[{list[i], list[k]}];
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].size() < least_fingerprints) result.too_short.push_back(i);
    for (const auto& [pair, count] : shared) {
        const auto& [first, second] = pair;
        const std::size_t smaller = std::min(all[first].size(), all[second].size());
        const double share = static_cast<double>(count) / static_cast<double>(smaller);
        if (smaller < least_fingerprints || count < least_shared || share < options.least_share) continue;
        result.pairs.push_back(
            {first, second, share, count, lines_of(all[first], all[second]), lines_of(all[second], all[first])});
    }
    std::ranges::stable_sort(result.pairs, [](const SimilarPair& one, const SimilarPair& other) {
        return one.share != other.share ? one.share > other.share : one.shared > other.shared;
    });
    return result;
}

std::string similarity_text(const std::vector<Source>& sources, const Similarity& similarity) {
    std::string text;
    for (const SimilarPair& pair : similarity.pairs)
        text += fmt::format("{:>4.0f}%  {}  {}  ({} fingerprints)\n", pair.share * 100, sources[pair.first].name,
                            sources[pair.second].name, pair.shared);
    return text + fmt::format("{} similar pairs among {} submissions; {} have too little of their own to compare\n",
                              similarity.pairs.size(), sources.size(), similarity.too_short.size());
}

std::string similarity_page(const std::string& title, const std::vector<Source>& sources,
                            const Similarity& similarity) {
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}: similar "
        "submissions</title>\n<style>"
        "body{{font:15px sans-serif;margin:2em}}td{{vertical-align:top;padding-right:2em}}"
        "pre{{font-size:12px}}mark{{background:#ffe08a}}summary{{cursor:pointer;padding:.2em}}</style></head>\n"
        "<body><h1>{0}: similar submissions</h1>\n<p>Similar is not copied: look at both sides. What the starter has, "
        "and "
        "what many submissions have, is left out. Names, types, numbers and comments don't count.</p>\n",
        view::escaped(title));
    for (const SimilarPair& pair : similarity.pairs) {
        const Source &first = sources[pair.first], &second = sources[pair.second];
        text += fmt::format("<details><summary>{:.0f}% {} and {}</summary><table><tr>{}{}</tr></table></details>\n",
                            pair.share * 100, view::escaped(first.name), view::escaped(second.name),
                            side(first, pair.first_lines), side(second, pair.second_lines));
    }
    if (similarity.pairs.empty()) text += "<p>No pair is similar.</p>\n";
    return text + "</body></html>\n";
}

}  // namespace cudash::grade
