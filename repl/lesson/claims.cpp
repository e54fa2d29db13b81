#include "repl/lesson/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "repl/lesson/lessons_folder.h"
#include "repl/shell/text_check.h"

namespace cudash::lesson {
namespace {

namespace fs = std::filesystem;

/// A row `| 4.2 | claim | verdict | lesson | shown by |`; the claim in words may be left out.
struct Row {
    std::string claim, lesson, shown_by;
    unsigned line = 0;
};

std::vector<Row> rows_of(const std::string& text) {
    static const std::regex row(R"(\| (\d+\.\d+[a-z]?) \|[^|]*\|(?:[^|]*\|)? ([^|]*) \| (.*) \|)");
    std::vector<Row> rows;
    unsigned number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (std::smatch parts; std::regex_match(line, parts, row))
            rows.push_back({parts[1].str(), parts[2].str(), parts[3].str(), number});
    }
    return rows;
}

/// What a row says: the lessons that it names, and its questions and exercises, each of the lesson named last before.
struct Reference {
    std::string lesson, kind, item;  ///< no item: the lesson alone
};

std::vector<Reference> references_of(const Row& row) {
    static const std::regex word(R"((\d\d_[a-z0-9_]+)|(question|exercise) `(\w+)`)");
    std::vector<Reference> found = {{row.lesson, {}, {}}};
    for (std::sregex_iterator at(row.shown_by.begin(), row.shown_by.end(), word), end; at != end; ++at) {
        const std::smatch& match = *at;
        if (match[1].matched)
            found.push_back({match[1].str(), {}, {}});
        else
            found.push_back({found.back().lesson, match[2].str(), match[3].str()});
    }
    return found;
}

bool has_item(const Lesson& lesson, const Reference& reference) {
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps) {
            const auto* question = std::get_if<Question>(&step);
            const auto* exercise = std::get_if<Exercise>(&step);
            if (question && reference.kind == "question" && question->id == reference.item) return true;
            if (exercise && reference.kind == "exercise" && exercise->name == reference.item) return true;
        }
    return false;
}

}  // namespace

std::vector<Diagnostic> compare_claims(const Lesson& lesson) {
    std::error_code ignored;
    const fs::path folder = fs::absolute(lesson.folder, ignored).parent_path();
    const std::string path = (fs::path(lesson.folder) / ".." / "claims.md").lexically_normal().string();
    if (!fs::exists(path, ignored)) return {};
    const auto text = shell::read_file(path);
    if (!text) return {text.error()};

    std::vector<Diagnostic> problems;
    const auto problem = [&](const std::string& file, unsigned line, std::string message, std::string hint = {}) {
        problems.push_back(error("bad-claims", std::move(message), std::move(hint)));
        problems.back().where = {file, line, 0};
    };
    const std::vector<std::string> all = lessons_in(folder.string());
    const bool is_first = !all.empty() && fs::path(all.front()).filename() == lesson.name;
    std::set<std::string> named;
    for (const Row& row : rows_of(*text)) {
        for (const Reference& reference : references_of(row)) {
            if (reference.lesson != lesson.name) {
                if (is_first && reference.item.empty() && !fs::exists(folder / reference.lesson / "lesson.md", ignored))
                    problem(path, row.line, fmt::format("there is no lesson {}", reference.lesson));
                continue;
            }
            named.insert(row.claim);
            if (!reference.item.empty() && !has_item(lesson, reference))
                problem(path, row.line, fmt::format("{} has no {} `{}`", lesson.name, reference.kind, reference.item));
        }
    }
    const std::vector<std::string>& own = lesson.header.claims;
    for (const std::string& claim : named)
        if (std::ranges::find(own, claim) == own.end())
            problem(lesson.path, lesson.header.claims_line,
                    fmt::format("{} says that this lesson shows claim {}, but `claims` does not name it", path, claim));
    for (const std::string& claim : own)
        if (!named.contains(claim))
            problem(lesson.path, lesson.header.claims_line,
                    fmt::format("`claims` names {}, but in {} no row of it names this lesson", claim, path));
    return problems;
}

}  // namespace cudash::lesson
