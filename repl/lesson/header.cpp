#include "repl/lesson/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "repl/grade/toml_text.h"

namespace cudash::lesson {

std::optional<Header> parse_header(const std::string& path, std::string_view text, std::vector<Diagnostic>& problems) {
    constexpr std::string_view opening = "<!-- lesson", closing = "-->";
    if (!text.starts_with(opening)) return std::nullopt;
    const std::size_t first_end = text.find('\n');
    const std::size_t close = text.find(closing);
    Header header;
    grade::TomlOrigin origin{path, 2, &problems};
    if (first_end == std::string_view::npos || close == std::string_view::npos || close < first_end) {
        origin.problem(1, "the lesson's head has no end", "it ends with a line -->");
        header.end = text.size();
        return header;
    }
    header.end = close + closing.size();
    header.last_line =
        static_cast<unsigned>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(close), '\n')) + 1;
    const auto parsed = grade::parse_toml(text.substr(first_end + 1, close - first_end - 1), origin);
    if (!parsed) return header;
    grade::TomlTable table(*parsed, origin);
    header.minutes = table.number("minutes").value_or(0);
    header.documents = table.texts("documents").value_or(std::vector<std::string>());
    header.claims = table.texts("claims").value_or(std::vector<std::string>());
    header.claims_line = table.line("claims");
    header.needs = table.text("needs").value_or("");
    header.device = table.text("device").value_or("");
    header.options = table.texts("options").value_or(std::vector<std::string>());
    header.puzzle = table.flag("puzzle").value_or(false);
    table.finish();
    if (!table.has("minutes"))
        table.problem({}, "`minutes` is missing", "about how long a student needs: minutes = 30");
    else if (!(header.minutes > 0 && header.minutes <= 600))
        table.problem("minutes", "`minutes` must be above 0 and at most 600");
    if (!header.needs.empty() && header.needs != "virtual")
        table.problem("needs", fmt::format("`needs` can only be \"virtual\", not \"{}\"", header.needs));
    static const std::regex claim(R"(\d+\.\d+[a-z]?)");
    for (const std::string& each : header.claims)
        if (!std::regex_match(each, claim))
            table.problem("claims", fmt::format("expected a claim, got \"{}\"", each),
                          "claims are numbers as \"4.17\"");
    return header;
}

}  // namespace cudash::lesson
