// The text of the unit: which declarations the kernels need, and what the device compilers are given of them.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

#include "repl/session/device/cub_headers.h"
#include "repl/session/device/device_unit.h"
#include "repl/session/device/host_macros.h"
#include "repl/session/device/host_types.h"
#include "repl/session/device/text_scan.h"

namespace cudash::session {
namespace {

/// What NVRTC does not declare by itself and device code of the books uses all the same.
constexpr std::string_view prelude = "#line 1 \"cudash prelude\"\n";

std::string_view line_of(const SourceText& source, const SourceText::Include& include) {
    return std::string_view(source.text).substr(include.range.begin, include.range.end - include.range.begin);
}

/// The words of a kernel's full name that can be the session's: not those behind `cub::` and its like, nor a member of
/// an instance, `hub<int>::Policy`.
std::vector<std::string_view> own_names_in(std::string_view name) {
    constexpr std::array<std::string_view, 4> libraries = {"cub", "cuda", "std", "thrust"};
    std::vector<std::string_view> names;
    bool is_own = true;  // of the word before this one
    for (auto at = name.begin(); (at = std::find_if(at, name.end(), is_word)) != name.end();) {
        const auto end = std::find_if_not(at, name.end(), is_word);
        const std::string_view word(at, end), before(name.begin(), at);
        if (!before.ends_with("::"))
            is_own = std::ranges::find(libraries, word) == libraries.end();
        else if (before.ends_with(">::"))
            is_own = false;
        if (is_own) names.push_back(word);
        at = end;
    }
    return names;
}

void erase_range(std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && i < text.size(); ++i)
        if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
}

/// The end of a declaration with the ';' after it, if there is one.
std::size_t with_semicolon(std::string_view text, std::size_t end) {
    std::size_t i = end;
    while (i < text.size()) {
        if (std::isspace(static_cast<unsigned char>(text[i]))) {
            ++i;
        } else if (text.substr(i, 2) == "/*") {
            const std::size_t close = text.find("*/", i);
            if (close == std::string_view::npos) return end;
            i = close + 2;
        } else {
            return text[i] == ';' ? i + 1 : end;
        }
    }
    return end;
}

std::string line_directive(const SourceText& source, std::size_t offset) {
    return "#line " + std::to_string(line_at(source, offset)) + " \"" + source.name + "\"\n";
}

bool overlaps(const TextRange& a, const TextRange& b) {
    return a.begin < b.end && b.begin < a.end;
}

}  // namespace

unsigned line_at(const SourceText& source, std::size_t offset) {
    constexpr std::string_view directive = "#line ";
    unsigned line = 1;
    std::size_t from = 0;
    std::size_t at = source.is_cell ? source.text.rfind(directive, offset) : std::string::npos;
    while (at != std::string::npos && at > 0 && source.text[at - 1] != '\n') at = source.text.rfind(directive, at - 1);
    if (at != std::string::npos) {
        line = static_cast<unsigned>(std::strtoul(source.text.c_str() + at + directive.size(), nullptr, 10));
        from = source.text.find('\n', at) + 1;
    }
    const std::string_view before = std::string_view(source.text).substr(0, offset);
    return line + static_cast<unsigned>(std::count(before.begin() + static_cast<std::ptrdiff_t>(std::min(from, offset)),
                                                   before.end(), '\n'));
}

/// What refers to a type that was redefined can't be compiled any more: its text means another type now.
std::vector<bool> DeviceUnit::stale() const {
    std::vector<bool> stale(declarations_.size(), false);
    std::set<Declaration::Id> gone;
    for (const Declaration& declaration : declarations_)
        if (declaration.is_type && superseded_.contains(declaration.id)) gone.insert(declaration.id);
    for (bool more = !gone.empty(); more;) {
        more = false;
        for (std::size_t i = 0; i < declarations_.size(); ++i) {
            if (stale[i] || superseded_.contains(declarations_[i].id)) continue;
            const auto& uses = declarations_[i].uses;
            if (std::none_of(uses.begin(), uses.end(), [&](Declaration::Id id) { return gone.contains(id); })) continue;
            stale[i] = more = true;
            gone.insert(declarations_[i].id);
        }
    }
    return stale;
}

/// What refers to a function or constant that was redefined means the new one, whose text comes later: it moves behind
/// it.
std::vector<bool> DeviceUnit::moved(const Seen& seen) const {
    std::vector<bool> moved(declarations_.size(), false);
    std::set<Declaration::Id> later;
    for (const Declaration& declaration : declarations_)
        if (!declaration.is_type && superseded_.contains(declaration.id)) later.insert(declaration.id);
    for (bool more = !later.empty(); more;) {
        more = false;
        for (std::size_t i = 0; i < declarations_.size(); ++i) {
            if (moved[i] || !seen.declarations[i] || declarations_[i].nested) continue;
            const auto& uses = declarations_[i].uses;
            if (std::none_of(uses.begin(), uses.end(), [&](Declaration::Id id) { return later.contains(id); }))
                continue;
            moved[i] = more = true;
            later.insert(declarations_[i].id);
        }
    }
    return moved;
}

/// Whether the text must have a header's kernel.
bool DeviceUnit::has(const Scope& scope, std::size_t kernel) const {
    if (scope.kernels) return std::ranges::find(*scope.kernels, kernel) != scope.kernels->end();
    return kernels_[kernel]->current && !kernels_[kernel]->apart && is_of(kernels_[kernel]->fact.file, scope.file);
}

DeviceUnit::Places DeviceUnit::places_in(File file) const {
    Places places;
    for (std::size_t i = 0; i < declarations_.size(); ++i) {
        const Declaration& each = declarations_[i];
        if (superseded_.contains(each.id)) places.replaced.emplace(each.id, each.name);
        if (is_out(each.id) || !is_of(each.file, file)) continue;
        places.by_id[each.id].push_back(i);
        if (!each.name.empty()) places.by_name[each.name].push_back(i);
    }
    return places;
}

DeviceUnit::Seen DeviceUnit::close_over_uses(const Scope& scope) const {
    Seen seen;
    seen.declarations.assign(declarations_.size(), false);
    const auto unusable = stale();
    const auto is_missing = [&](const Declaration& each) { return is_out(each.id) || !is_of(each.file, scope.file); };
    const auto [by_id, by_name, replaced] = places_in(scope.file);

    std::vector<std::size_t> queue, with_members;
    const auto see = [&](std::size_t i) {
        if (seen.declarations[i] || unusable[i] || declarations_[i].role == Declaration::Role::host) return;
        seen.declarations[i] = true;
        seen.ids.insert(declarations_[i].id);
        queue.push_back(i);
        if (!declarations_[i].members.empty()) with_members.push_back(i);
    };
    const auto refer_to = [&](std::string_view word) {
        if (!seen.words.insert(word).second) return;
        if (const auto found = by_name.find(word); found != by_name.end())
            for (const std::size_t i : found->second) see(i);
    };
    const auto refer = [&](const std::vector<Declaration::Id>& uses, const std::vector<std::string>& words) {
        for (const Declaration::Id id : uses) {
            seen.ids.insert(id);
            if (const auto found = by_id.find(id); found != by_id.end())
                for (const std::size_t i : found->second) see(i);
            // `const int n = 8;` in place of an earlier n: what refers to that one moves behind it.
            if (const auto found = replaced.find(id); found != replaced.end() && !found->second.empty())
                refer_to(found->second);
        }
        for (const std::string& word : words) refer_to(word);
    };

    if (!scope.kernels) {
        for (std::size_t i = 0; i < declarations_.size(); ++i)
            if (declarations_[i].role == Declaration::Role::device && !is_missing(declarations_[i])) see(i);
        for (const DeviceText& text : device_texts_) refer({}, text.words);
    }
    // A header's kernel is known by its name alone, which has the session's types among its arguments.
    for (std::size_t i = 0; i < kernels_.size(); ++i)
        if (kernels_[i]->fact.foreign && has(scope, i))
            for (const std::string_view name : own_names_in(kernels_[i]->fact.display)) refer_to(name);

    std::set<const Declaration::Member*> members;
    for (bool more = true; more;) {
        while (!queue.empty()) {
            const Declaration& declaration = declarations_[queue.back()];
            queue.pop_back();
            refer(declaration.uses, declaration.words);
            for (const std::string& header : declaration.std_headers) seen.std_headers.insert(header);
        }
        more = false;
        for (const std::size_t i : with_members)
            for (const auto& member : declarations_[i].members)
                if ((seen.ids.contains(member.id) || seen.words.contains(member.name)) &&
                    members.insert(&member).second) {
                    seen.ids.insert(member.id);
                    refer(member.uses, member.words);
                    more = true;
                    break;  // `with_members` may have grown
                }
        for (std::size_t i = 0; i < declarations_.size(); ++i) {
            if (seen.declarations[i] || is_missing(declarations_[i])) continue;
            for (const Declaration::Id id : declarations_[i].follows)
                if (seen.ids.contains(id)) {
                    see(i);
                    more |= seen.declarations[i];  // not one that is the host's alone
                    break;
                }
        }
        more |= !queue.empty();
    }
    return seen;
}

std::string DeviceUnit::blanked(std::uint32_t source, const std::vector<std::size_t>& own, const Seen& seen,
                                Reader reader) const {
    const SourceText& original = sources_[source];
    std::string text = original.text;

    std::vector<TextRange> kept;
    for (const std::size_t i : own)
        if (const TextRange& range = declarations_[i].range; seen.declarations[i] && range.begin < range.end)
            kept.push_back(range);
    std::sort(kept.begin(), kept.end(), [](const TextRange& a, const TextRange& b) { return a.begin < b.begin; });

    std::vector<TextRange> gone;
    for (const std::size_t i : own) {
        const Declaration& declaration = declarations_[i];
        if (!seen.declarations[i]) {
            // `int a, b;` is two declarations over one text: both stay if one must.
            const auto after =
                std::lower_bound(kept.begin(), kept.end(), declaration.range.end,
                                 [](const TextRange& range, std::uint32_t end) { return range.begin < end; });
            if (after != kept.begin() && overlaps(*std::prev(after), declaration.range)) continue;
            gone.push_back({declaration.range.begin,
                            static_cast<std::uint32_t>(with_semicolon(original.text, declaration.range.end))});
            continue;
        }
        for (const auto& member : declaration.members) {
            if (seen.ids.contains(member.id)) continue;
            if (member.is_virtual) {
                if (member.body.end <= member.body.begin) continue;
                erase_range(text, member.body.begin, member.body.end);
                text[member.body.begin] = ';';
            } else {
                gone.push_back(
                    {member.range.begin, static_cast<std::uint32_t>(with_semicolon(original.text, member.range.end))});
            }
        }
    }
    std::sort(gone.begin(), gone.end(), [](const TextRange& a, const TextRange& b) { return a.begin < b.begin; });

    // Directives inside what goes must stay: an #if may begin in one function and end in the next.
    const auto runs = scan_text(original.text);
    auto run = runs.begin();
    std::size_t done = 0;
    for (const TextRange& range : gone) {
        std::size_t at = std::max<std::size_t>(range.begin, done);
        while (at < range.end) {
            while (run != runs.end() && run->end <= at) ++run;
            std::size_t stop = range.end;
            bool directive = false;
            if (run != runs.end()) {
                stop = std::min<std::size_t>(range.end, run->end);
                directive = run->kind == TextRun::Kind::directive;
            }
            if (!directive) erase_range(text, at, stop);
            at = std::max(stop, at + 1);
        }
        done = std::max<std::size_t>(done, range.end);
    }
    for (const auto& include : original.includes)
        if (include.kind == SourceText::Include::Kind::host && reader == Reader::nvrtc)
            erase_range(text, include.range.begin, include.range.end);
    return text;
}

/// The #include lines of cells that name the toolkit's headers.
std::string DeviceUnit::toolkit_includes() const {
    std::string lines;
    for (const SourceText& source : sources_)
        for (const SourceText::Include& include : source.includes) {
            if (!source.is_cell || include.kind != SourceText::Include::Kind::cuda) continue;
            const std::string_view line = line_of(source, include);
            const std::size_t open = line.find('<'), close = line.find('>');
            if (open == line.npos || close == line.npos) continue;
            lines += fmt::format("#include {}\n", line.substr(open, close + 1 - open));
        }
    return lines;
}

/// Whether device code names CUB, and the program includes all of it.
bool DeviceUnit::uses_all_of_cub(const Seen& seen) const {
    const auto includes_it = [](const SourceText& source) {
        return std::ranges::any_of(source.includes, [&](const SourceText::Include& each) {
            return line_of(source, each).find(all_of_cub) != std::string_view::npos;
        });
    };
    if (std::ranges::none_of(sources_, includes_it)) return false;
    for (std::size_t i = 0; i < declarations_.size(); ++i) {
        const Declaration& each = declarations_[i];
        if (!seen.declarations[i] || each.source >= sources_.size()) continue;
        const std::string_view text = sources_[each.source].text;
        if (has_word(text.substr(each.range.begin, each.range.end - each.range.begin), "cub")) return true;
    }
    return false;
}

/// In a session, all headers come first: NVRTC keeps them for the text of the next cell.
void DeviceUnit::begin_text(const Seen& seen, Text& text) const {
    const bool is_session = settings_.second_opinion && has_cells() && !configures_headers();
    const std::string own = std::string(host_types()) + std::string(host_macros());
    const std::string toolkit = is_session ? toolkit_includes() : std::string();
    const bool uses_cub = uses_all_of_cub(seen);
    text.has_headers = is_session && !(toolkit.empty() && seen.std_headers.empty() && !uses_cub);
    text.headers = host_type_twins();
    if (text.has_headers) {
        text.headers.emplace_back("cudash_prelude", own);
        text.main = "#include <cudash_prelude>\n" + toolkit;
    } else {
        text.main = std::string(prelude) + own;
    }
    for (const std::string& header : seen.std_headers) text.main += "#include <" + header + ">\n";
    if (uses_cub) text.main += cub_headers_for_devices();
    if (seen.std_headers.size() > (text.calls_runtime ? 1u : 0u))
        text.main += "namespace std { using namespace cuda::std; }\n";
    // The end of what is kept: a #line among directives would spoil it.
    if (text.has_headers) text.main += "static_assert(true);\n";
}

DeviceUnit::Text DeviceUnit::text_for(Reader reader, const Scope& scope) const {
    const File file = scope.file;
    Seen seen = close_over_uses(scope);
    // What moves is blanked where it stood and stands again at the end, with its own line numbers.
    std::string at_end;
    const auto later = moved(seen);
    for (std::size_t i = 0; i < declarations_.size(); ++i) {
        if (!later[i]) continue;
        const Declaration& declaration = declarations_[i];
        const std::string& text = sources_[declaration.source].text;
        at_end += line_directive(sources_[declaration.source], declaration.range.begin);
        const std::size_t line_begin = text.rfind('\n', declaration.range.begin) + 1;
        at_end.append(declaration.range.begin - line_begin, ' ');
        at_end += text.substr(declaration.range.begin,
                              with_semicolon(text, declaration.range.end) - declaration.range.begin) +
                  "\n";
        seen.declarations[i] = false;
    }
    Text result;
    result.calls_runtime = seen.std_headers.contains(std::string(device_runtime_header));
    if (reader == Reader::nvrtc)
        begin_text(seen, result);
    else
        result.main = settings_.prelude;
    std::vector<std::vector<std::size_t>> own(sources_.size());
    // Device texts stand behind all cells; what only declares their kernels has no source here.
    for (std::size_t i = 0; i < declarations_.size(); ++i)
        if (const std::uint32_t source = declarations_[i].source; source < own.size()) own[source].push_back(i);
    for (std::uint32_t i = 0; i < sources_.size(); ++i) {
        // Nothing would be left of most cells of a long session.
        const SourceText& source = sources_[i];
        if (source.is_cell && !is_of(source.file, file)) continue;
        const bool nothing_seen =
            std::none_of(own[i].begin(), own[i].end(), [&](std::size_t each) { return seen.declarations[each]; });
        if (source.is_cell && nothing_seen && source.text.starts_with("#line ") &&
            source.text.find('#', 1) == std::string::npos)
            continue;
        std::string text = blanked(i, own[i], seen, reader);
        if (sources_[i].is_cell) {
            result.main += text;
            if (text.empty() || text.back() != '\n') result.main += '\n';
        } else if (reader == Reader::nvcc) {
            result.headers.emplace_back(source.name, source.text);
        } else if (!sources_[i].include_name.empty()) {
            result.headers.emplace_back(sources_[i].include_name, "#line 1 \"" + sources_[i].name + "\"\n" + text);
        }
    }
    result.main += at_end;
    if (scope.kernels) return result;
    for (const DeviceText& text : device_texts_) result.main += "#line 1 \"" + text.name + "\"\n" + text.text + "\n";
    return result;
}

}  // namespace cudash::session
