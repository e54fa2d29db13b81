#include "runtime_wrappers/explanations.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime_wrappers/explanation_pages.h"

namespace cudash {
namespace {

/// What lies between `from` and `to`; `text` goes on behind it.
std::string_view take(std::string_view& text, std::string_view from, std::string_view to) {
    const auto begin = text.find(from);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin + from.size());
    const auto length = text.find(to);
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(taken.size());
    return taken;
}

Explanation parse(const ExplanationPage& page) {
    std::string_view text = page.text;
    Explanation made;
    made.code = page.code;
    made.title = take(text, "---\ntitle: ", "\n---\n");
    made.meaning = take(text, "\n---\n", "\n\n## For example\n");
    made.example = take(text, "```cuda\n", "\n```\n");
    made.remedy = take(text, "\n## Instead\n\n", "\n\n");
    while (made.remedy.ends_with('\n')) made.remedy.remove_suffix(1);
    return made;
}

const std::vector<Explanation>& pages() {
    static const std::vector<Explanation> parsed = [] {
        std::vector<Explanation> made;
        for (const ExplanationPage& page : explanation_pages()) made.push_back(parse(page));
        std::ranges::sort(made, {}, &Explanation::code);
        return made;
    }();
    return parsed;
}

}  // namespace

std::span<const Explanation> explanations() {
    return pages();
}

std::string_view code_today(std::string_view code) {
    constexpr std::pair<std::string_view, std::string_view> renamed[] = {
        {"mbarrier-not-initialised", "mbarrier-not-initialized"},
        {"uninitialised-copy", "uninitialized-copy"},
        {"uninitialised-read", "uninitialized-read"},
    };
    for (const auto& [former, today] : renamed)
        if (former == code) return today;
    return code;
}

const Explanation* find_explanation(std::string_view code) {
    const auto found = std::ranges::find(pages(), code_today(code), &Explanation::code);
    return found == pages().end() ? nullptr : &*found;
}

}  // namespace cudash
