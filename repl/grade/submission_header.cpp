#include "repl/grade/submission_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "repl/grade/toml_text.h"
#include "repl/trim.h"

namespace cudash::grade {
std::vector<HeaderLine> submission_header(std::string_view text) {
    std::vector<HeaderLine> header;
    for (unsigned number = 1; text.starts_with("//"); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string_view word = trim(line.substr(2, colon - 2));
        const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
        if (!word.empty() && std::ranges::all_of(word, is_capital))
            header.push_back({word, trim(line.substr(colon + 1)), number});
    }
    return header;
}

std::optional<Diagnostic> unknown_word(const std::vector<HeaderLine>& header,
                                       const std::vector<std::string_view>& words, std::string_view path) {
    for (const HeaderLine& each : header) {
        if (std::ranges::find(words, each.word) != words.end()) continue;
        std::string all;
        for (const std::string_view word : words) all += fmt::format("{}`{}`", all.empty() ? "" : ", ", word);
        Diagnostic problem = error("bad-submission", fmt::format("`{}` says nothing of a submission", each.word),
                                   hint_among(each.word, words, "known is " + all));
        problem.where = {std::string(path), each.line, 0};
        return problem;
    }
    return std::nullopt;
}

}  // namespace cudash::grade
