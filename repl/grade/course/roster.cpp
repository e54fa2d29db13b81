#include "repl/grade/course/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "repl/grade/course/csv.h"

namespace cudash::grade {
namespace {

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::ranges::replace(text, ' ', '_');
    return text;
}

std::string without_margins(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

constexpr std::pair<std::string_view, std::string Student::*> columns[] = {{"id", &Student::id},
                                                                           {"name", &Student::name},
                                                                           {"email", &Student::email},
                                                                           {"section", &Student::section},
                                                                           {"canvas_id", &Student::canvas_id}};

/// A number of hours in a field; nullopt: it is none.
std::optional<double> hours_of(std::string field) {
    std::ranges::replace(field, ',', '.');
    if (field.empty()) return 0;
    char* end = nullptr;
    const double hours = std::strtod(field.c_str(), &end);
    if (*end != '\0' || !std::isfinite(hours) || hours < 0) return std::nullopt;
    return hours;
}

}  // namespace

std::vector<Student> parse_roster(std::string_view text, const std::string& path, std::vector<Diagnostic>& problems) {
    std::vector<Student> students;
    const auto problem = [&](unsigned line, std::string message, std::string hint = {}) {
        Diagnostic& told = problems.emplace_back(error("bad-roster", std::move(message), std::move(hint)));
        told.where = {path, line, 0};
    };
    const auto rows = read_csv(text, path);
    if (!rows) {
        problems.push_back(rows.error());
        return students;
    }
    if (rows->empty()) {
        problem(1, "the roster is empty", "its first line names the columns: id,name,email");
        return students;
    }
    std::map<std::string, std::size_t> found;
    std::string all;
    for (std::size_t i = 0; i < rows->front().fields.size(); ++i) {
        const std::string name = lower(without_margins(rows->front().fields[i]));
        all += (all.empty() ? "" : ", ") + name;
        if (!name.empty() && !found.emplace(name, i).second)
            problem(1, fmt::format("two columns are called `{}`", name));
    }
    if (!found.contains("id")) {
        problem(1, "the roster has no column `id`", fmt::format("its columns are: {}", all));
        return students;
    }
    const auto field = [&](const CsvRow& row, std::string_view name) -> std::string {
        const auto at = found.find(std::string(name));
        return at == found.end() || at->second >= row.fields.size() ? "" : without_margins(row.fields[at->second]);
    };
    std::map<std::string, unsigned> lines;
    for (auto row = rows->begin() + 1; row != rows->end(); ++row) {
        Student student;
        student.line = row->line;
        for (const auto& [name, member] : columns) student.*member = field(*row, name);
        if (student.id.empty()) {
            problem(row->line, "this student has no `id`");
            continue;
        }
        if (student.id.find('/') != std::string::npos || student.id.find('@') != std::string::npos)
            problem(row->line,
                    fmt::format("the id {} has a character that no submission's name can have: / or @", student.id));
        if (const auto [first, is_new] = lines.emplace(student.id, row->line); !is_new) {
            problem(row->line, fmt::format("the id {} stands in line {} already", student.id, first->second),
                    "each student has one line");
            continue;
        }
        if (const auto hours = hours_of(field(*row, "extension_hours")))
            student.extension_hours = *hours;
        else
            problem(row->line, fmt::format("expected a number of hours in `extension_hours`, got `{}`",
                                           field(*row, "extension_hours")));
        students.push_back(std::move(student));
    }
    if (students.empty() && problems.empty()) problem(1, "the roster has no students");
    return students;
}

}  // namespace cudash::grade
