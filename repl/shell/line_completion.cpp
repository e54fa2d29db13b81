#include "repl/shell/line_completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "repl/session/profile_names.h"
#include "repl/shell/commands.h"
#include "repl/shell/commands/command.h"
#include "repl/view/columns.h"
#include "repl/view/wrap.h"
#include "runtime_wrappers/explanations.h"
#include "runtime_wrappers/virtual_gpu/check/checkers.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::shell {
namespace {

using session::Candidate;
using session::Completions;

constexpr std::size_t few = 8;  ///< so many are listed one a line

std::string_view word_at_end(std::string_view text, std::string_view ends) {
    const std::size_t last = text.find_last_of(ends);
    return last == std::string_view::npos ? text : text.substr(last + 1);
}

/// Adds those of `words` that begin with `typed`.
void offer(std::string_view typed, const auto& words, Completions& list) {
    for (const auto& word : words) {
        const std::string_view text(word);
        if (text.starts_with(typed)) list.candidates.push_back({std::string(text), {}, {}});
    }
}

std::vector<std::string_view> split_words(std::string_view text, char separator = ' ') {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) words.push_back(trim(text.substr(0, end)));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return words;
}

/// Entries of the folder that `path` names so far; folders end with '/'. Hidden ones if they are asked for.
Completions complete_file(std::string_view path) {
    Completions list;
    const std::string_view name = word_at_end(path, "/");
    list.word = name.size();
    std::string folder(path.substr(0, path.size() - name.size()));
    if (const char* home = std::getenv("HOME"); home && folder.starts_with("~/")) folder = home + folder.substr(1);
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, failure)) {
        std::string text = entry.path().filename().string();
        if (!text.starts_with(name) || (text.starts_with('.') && !name.starts_with('.'))) continue;
        if (entry.is_directory(failure)) text += '/';
        list.candidates.push_back({std::move(text), {}, {}});
    }
    return list;
}

std::vector<std::string> device_names() {
    std::vector<std::string> names = {"auto", "gpu", "virtual"};
    for (const virtual_gpu::Profile& profile : virtual_gpu::profiles()) {
        names.push_back(fmt::format("virtual:{}", profile.name));
        names.emplace_back(profile.name);
    }
    return names;
}

std::vector<std::string> checker_names() {
    std::vector<std::string> names = {"none", "default", "all"};
    for (const virtual_gpu::CheckerRow& row : virtual_gpu::checkers()) names.emplace_back(row.name);
    return names;
}

/// A setting's name, or a word that it takes.
Completions complete_setting(std::string_view argument) {
    Completions list;
    const std::string_view name = argument.substr(0, argument.find(' '));
    const std::string_view value = argument.substr(std::min(argument.size(), name.size() + 1));
    list.word = name.size() == argument.size() ? name.size() : value.size();
    for (const settings::Setting& setting : settings::table()) {
        if (name.size() == argument.size()) {
            if (setting.name.starts_with(name))
                list.candidates.push_back({std::string(setting.name), {}, std::string(setting.help)});
        } else if (setting.name == name && setting.has_words()) {
            std::string words(setting.form);
            std::replace(words.begin(), words.end(), '|', ' ');
            offer(value, split_words(words), list);
        }
    }
    return list;
}

Completions complete_code(Notebook& notebook, std::string_view text) {
    return notebook.client().complete({std::string(text)});
}

Completions complete_argument(Notebook& notebook, const Command& command, std::string_view argument) {
    Completions list;
    switch (command.completes) {
        case Completes::nothing:
            break;
        case Completes::code:
            if (is_command(argument)) return complete(notebook, argument);
            list = complete_code(notebook, argument);
            break;
        case Completes::kernel:
            list = complete_code(notebook, argument);
            // Behind it other things follow.
            if (argument.find(' ') == std::string_view::npos)
                std::erase_if(list.candidates,
                              [](const Candidate& each) { return !each.signature.starts_with(session::kernel_mark); });
            list.more = false;
            return list;
        case Completes::code_then_file: {
            const std::string_view word = word_at_end(argument, " ");
            if (argument.find(' ') != std::string_view::npos) list = complete_file(word);
            if (list.candidates.empty() && word.find('/') == std::string_view::npos)
                list = complete_code(notebook, argument);
            break;
        }
        case Completes::file:
            return complete_file(word_at_end(argument, " "));
        case Completes::command:
            for (const Command& row : commands())
                if (row.name.starts_with(argument))
                    list.candidates.push_back({std::string(row.name), {}, std::string(row.help)});
            list.word = argument.size();
            return list;
        case Completes::device:
            list.word = argument.size();
            offer(argument, device_names(), list);
            return list;
        case Completes::checkers: {
            const std::string_view word = word_at_end(argument, " ,");
            list.word = word.size();
            offer(word, checker_names(), list);
            break;
        }
        case Completes::explanation: {
            list.word = argument.size();
            for (const Explanation& page : explanations())
                if (page.code.starts_with(argument))
                    list.candidates.push_back({std::string(page.code), {}, std::string(page.title)});
            return list;
        }
        case Completes::profile: {
            list.word = argument.size();
            for (const std::string_view names :
                 {session::profile_actions, session::profile_tables, session::profile_pictures})
                offer(argument, split_words(names, ','), list);
            return list;
        }
        case Completes::lesson:
            list.word = argument.size();
            if (notebook.lessons().names) offer(argument, notebook.lessons().names(), list);
            return list;
        case Completes::setting:
            return complete_setting(argument);
    }
    const std::string_view word = word_at_end(argument, " ,");
    if (list.word == 0 || list.word == word.size()) {
        list.word = word.size();
        offer(word, split_words(command.words), list);
    }
    return list;
}

Completions complete_command(Notebook& notebook, std::string_view line) {
    line.remove_prefix(1);
    const std::string_view name = line.substr(0, line.find_first_of(" \t"));
    Completions list;
    if (name.size() == line.size()) {
        list.word = name.size();
        for (const Command& command : commands())
            if (command.name.starts_with(name))
                list.candidates.push_back({std::string(command.name),
                                           fmt::format(":{} {}", command.name, command.argument),
                                           std::string(command.help)});
        return list;
    }
    for (const Command& command : commands())
        if (command.name == name) {
            std::string_view argument = line.substr(name.size());
            argument.remove_prefix(std::min(argument.find_first_not_of(" \t"), argument.size()));
            list = complete_argument(notebook, command, argument);
        }
    return list;
}

/// The marked parameter of a signature as the terminal can show it.
std::string marked(std::string_view signature, const view::Style& style) {
    static constexpr std::string_view open = "«", close = "»";
    const std::size_t begin = signature.find(open), end = signature.find(close);
    if (begin == std::string_view::npos || end == std::string_view::npos || (style.utf8 && !style.colour))
        return std::string(signature);
    const std::string_view parameter = signature.substr(begin + open.size(), end - begin - open.size());
    return fmt::format("{}{}{}", signature.substr(0, begin),
                       style.colour ? style.underlined(parameter) : fmt::format("<{}>", parameter),
                       signature.substr(end + close.size()));
}

std::string describe(const Candidate& candidate, const view::Style& style) {
    std::string text = marked(candidate.signature.empty() ? candidate.text : candidate.signature, style);
    if (!candidate.help.empty()) text += style.dim(fmt::format("  {} {}", style.utf8 ? "—" : "-", candidate.help));
    return text;
}

std::string described(const Candidate& candidate, const view::Style& style, unsigned width) {
    std::string text;
    for (const std::string& line : view::wrap(describe(candidate, style), width, 0, "    ", view::LongWords::kept))
        text += line + "\n";
    return text;
}

/// As many names as fit into `rows` lines of `width` columns. Where not all do, the long ones are left out: one of them
/// would leave room for a single column.
std::vector<std::string_view> that_fit(const std::vector<Candidate>& candidates, unsigned width, unsigned rows,
                                       std::size_t& cell) {
    std::size_t widest = 0;
    for (const Candidate& candidate : candidates) widest = std::max(widest, view::columns_of(candidate.text));
    std::vector<std::string_view> best;
    for (std::size_t limit = widest; limit > 0; --limit) {
        const std::size_t room = rows * std::max<std::size_t>(1, (width + 2) / (limit + 2));
        std::vector<std::string_view> names;
        for (const Candidate& candidate : candidates)
            if (names.size() < room && view::columns_of(candidate.text) <= limit) names.push_back(candidate.text);
        if (names.size() <= best.size()) continue;
        cell = limit + 2;
        best = std::move(names);
        if (best.size() == candidates.size()) break;
    }
    return best;
}

std::string in_columns(const std::vector<Candidate>& candidates, unsigned width, unsigned rows, std::size_t& shown) {
    std::size_t cell = 0;
    const std::vector<std::string_view> names = that_fit(candidates, width, rows, cell);
    const std::size_t columns = std::max<std::size_t>(1, (width + 2) / cell);
    const std::size_t lines = (names.size() + columns - 1) / columns;
    shown = names.size();
    std::string text;
    for (std::size_t row = 0; row < lines; ++row) {
        for (std::size_t column = 0; column < columns && column * lines + row < shown; ++column) {
            const std::string_view name = names[column * lines + row];
            text += name;
            if ((column + 1) * lines + row < shown) text.append(cell - view::columns_of(name), ' ');
        }
        text += '\n';
    }
    return text;
}

}  // namespace

Completions complete(Notebook& notebook, std::string_view text) {
    Completions list =
        is_command(text) || text == ":" ? complete_command(notebook, text) : complete_code(notebook, text);
    std::sort(list.candidates.begin(), list.candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.rank, a.text) < std::tie(b.rank, b.text);
    });
    return list;
}

std::string common_prefix(const Completions& completions) {
    if (completions.candidates.empty()) return {};
    std::string prefix = completions.candidates.front().text;
    for (const Candidate& candidate : completions.candidates) {
        const auto [end, other] =
            std::mismatch(prefix.begin(), prefix.end(), candidate.text.begin(), candidate.text.end());
        prefix.erase(end, prefix.end());
    }
    return prefix;
}

std::string list_completions(const Completions& completions, const view::Style& style, unsigned width, unsigned rows) {
    std::string text;
    for (const Candidate& call : completions.calls) text += described(call, style, width);
    const auto& candidates = completions.candidates;
    std::size_t shown = candidates.size();
    if (candidates.size() <= few) {
        for (const Candidate& candidate : candidates) text += described(candidate, style, width);
    } else {
        text += in_columns(candidates, width, rows, shown);
    }
    if (shown < candidates.size() || completions.more)
        text += shown < candidates.size() && !completions.more
                    ? fmt::format("... and {} other{}\n", candidates.size() - shown,
                                  candidates.size() - shown == 1 ? "" : "s")
                    : std::string("... and others\n");
    return text;
}

}  // namespace cudash::shell
