#include "repl/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "repl/exit_codes.h"
#include "repl/shell/suggest.h"
#include "repl/view/wrap.h"
#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/explanations.h"

namespace cudash {
namespace {

/// Paragraphs, each wrapped to `width` columns (0: as they stand).
std::string wrapped(std::string_view text, unsigned width) {
    if (width == 0) return std::string(text);
    std::string result, paragraph;
    const auto end_paragraph = [&] {
        for (const std::string& line : view::wrap(paragraph, width, 0, "", view::LongWords::kept))
            result += line + "\n";
        paragraph.clear();
    };
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (!line.empty()) {
            paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
            continue;
        }
        end_paragraph();
        result += "\n";
    }
    if (!paragraph.empty()) end_paragraph();
    if (result.ends_with('\n')) result.pop_back();
    return result;
}

std::string indented(std::string_view text) {
    std::string result = "    ";
    for (const char c : text) {
        result += c;
        if (c == '\n') result += "    ";
    }
    return result;
}

}  // namespace

int explain(const std::string& code, const view::Display& display) {
    if (code.empty()) {
        std::string list;
        for (const Explanation& page : explanations()) list += fmt::format("{:<26}{}\n", page.code, page.title);
        display.results(list);
        return 0;
    }
    if (const Explanation* page = find_explanation(code)) {
        display.results(fmt::format("{}: {}\n\n{}\n\nFor example:\n\n{}\n\nInstead:\n\n{}\n", page->code, page->title,
                                    wrapped(page->meaning, display.width), indented(page->example),
                                    wrapped(page->remedy, display.width)));
        return 0;
    }
    if (const auto error = api::error_named(code)) {
        display.results(fmt::format("{}: {} ({})\n\nThe CUDA runtime's words for it: {}.\n",
                                    api::diagnostic_code(*error), api::error_name(*error), static_cast<int>(*error),
                                    api::error_string(*error)));
        return 0;
    }
    std::vector<std::string> of_the_runtime;
    for (const cudaError_t each : api::errors()) of_the_runtime.push_back(api::diagnostic_code(each));
    std::vector<std::string_view> codes(of_the_runtime.begin(), of_the_runtime.end());
    for (const Explanation& page : explanations()) codes.push_back(page.code);
    const auto meant = shell::suggest(code, codes);
    display.show(error("unknown-code", fmt::format("there is no page about '{}'", code),
                       meant ? fmt::format("did you mean {}?", *meant) : "cudash explain lists them"),
                 {});
    return exit_codes::usage;
}

}  // namespace cudash
