#include "repl/grade/notebook_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "repl/grade/read_file.h"
#include "repl/json.h"

namespace cudash::grade {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_json_values = 1'000'000, most_json_depth = 100;
constexpr std::string_view kernel = "cudash", mark = "submission";

Diagnostic refusal(std::string sentence) {
    return error("no-submission", std::move(sentence));
}

/// A member of an object; null where there is none, or it is not an object.
const json& member(const json& value, const char* name) {
    static const json none;
    if (!value.is_object()) return none;
    const auto found = value.find(name);
    return found == value.end() ? none : *found;
}

std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
}

bool is_solution_of_nbgrader(const json& cell) {
    const json& solution = member(member(member(cell, "metadata"), "nbgrader"), "solution");
    return solution.is_boolean() && solution.get<bool>();
}

bool is_marked(const json& cell) {
    const json& metadata = member(cell, "metadata");
    const json& tags = member(metadata, "tags");
    const bool is_tagged = tags.is_array() && std::ranges::find(tags, json(mark)) != tags.end();
    return is_tagged || text_of(member(metadata, "name")) == mark;
}

/// nullopt: it is not a list of lines, nor a text.
std::optional<std::string> source_of(const json& cell) {
    const json& source = member(cell, "source");
    if (source.is_string()) return source.get<std::string>();
    if (!source.is_array()) return std::nullopt;
    std::string text;
    for (const json& line : source) {
        if (!line.is_string()) return std::nullopt;
        text += line.get<std::string>();
    }
    return text;
}

/// Commands of the shell are no C++; lines keep their numbers.
std::string without_commands(std::string_view text) {
    std::string code;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::size_t first = line.find_first_not_of(" \t");
        const bool is_command =
            first != std::string_view::npos && line[first] == ':' && !line.substr(first).starts_with("::");
        if (!is_command) code += line;
        code += '\n';
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return code;
}

std::optional<Diagnostic> unfit(const json& notebook) {
    const json& version = member(notebook, "nbformat");
    if (!notebook.is_object() || !version.is_number_integer() || !member(notebook, "cells").is_array())
        return version.is_number_integer() && version.get<std::int64_t>() < 4
                   ? refusal("The notebook has an old format: open it in Jupyter, save it, and hand it in again.")
                   : refusal("The file is not a notebook, or a damaged one: it has no list of cells.");
    if (version.get<std::int64_t>() != 4)
        return refusal(fmt::format("The notebook has format {}; format 4 can be graded.", version.get<std::int64_t>()));
    const std::string name = text_of(member(member(member(notebook, "metadata"), "kernelspec"), "name"));
    if (!name.empty() && name != kernel)
        return refusal(
            fmt::format("The notebook is for the kernel \"{}\", not for \"{}\": hand in the assignment's "
                        "notebook.",
                        name.substr(0, 40), kernel));
    return std::nullopt;
}

}  // namespace

bool has_notebook_suffix(std::string_view name) {
    return name.ends_with(".ipynb");
}

Result<std::string> notebook_source(std::string_view text) {
    if (text.size() > most_notebook)
        return refusal(fmt::format("The notebook is larger than {} MB: clear its outputs.", most_notebook >> 20));
    if (!is_modest_json(text, most_json_values, most_json_depth))
        return refusal("The notebook has far more parts than a notebook of code: clear its outputs.");
    const json notebook = parse_ordered_json(text);
    if (notebook.is_discarded())
        return refusal("The notebook is damaged: it is not JSON. Was it cut off, or edited as text?");
    if (auto problem = unfit(notebook)) return std::move(*problem);
    std::vector<const json*> solutions, marked;
    for (const json& cell : member(notebook, "cells")) {
        if (text_of(member(cell, "cell_type")) != "code") continue;
        if (is_solution_of_nbgrader(cell)) solutions.push_back(&cell);
        if (is_marked(cell)) marked.push_back(&cell);
    }
    const std::vector<const json*>& chosen = solutions.empty() ? marked : solutions;
    if (chosen.empty())
        return refusal(
            fmt::format("No cell of the notebook is marked as the submission. The assignment's notebook has "
                        "such cells: write into those, or give your cell the tag \"{}\".",
                        mark));
    std::string code;
    for (const json* cell : chosen) {
        const auto source = source_of(*cell);
        if (!source) return refusal("The notebook is damaged: a cell has no text.");
        code += without_commands(*source);
    }
    if (code.size() > most_file)
        return refusal(fmt::format("The notebook has more than {} MB of code.", most_file >> 20));
    return code;
}

}  // namespace cudash::grade
