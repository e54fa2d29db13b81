#include "repl/grade/data_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "repl/grade/read_file.h"
#include "repl/view/array_files.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

constexpr double most_elements = 1 << 22;

/// A number of elements that the table gives; 0: none.
std::size_t read_count(TomlTable& table, std::string_view key) {
    const double count = table.number(key).value_or(0);
    if (count >= 0 && count <= most_elements && count == std::floor(count)) return static_cast<std::size_t>(count);
    table.problem(key, fmt::format("`{}` is a whole number, at most {}", key, most_elements));
    return 0;
}

const ElementType* read_type(TomlTable& table) {
    const std::string name = table.required_text("type");
    const ElementType* type = find_type(name);
    if (!type && !name.empty()) {
        std::vector<std::string_view> names;
        for (const ElementType& each : element_types()) names.push_back(each.name);
        table.problem("type", fmt::format("there is no type {}", name),
                      hint_among(name, names, "int, float, double, ..."));
    }
    return type ? type : find_type("int");
}

/// Two numbers, each of which can be an element.
std::optional<std::pair<double, double>> read_pair(TomlTable& table, std::string_view key, const ElementType& type) {
    const auto numbers = table.numbers(key);
    if (!numbers) return std::nullopt;
    if (numbers->size() != 2) {
        table.problem(key, fmt::format("`{}` is a list of two numbers", key));
        return std::nullopt;
    }
    for (const double number : *numbers) {
        const std::string why = std::isfinite(number) ? type.misfit(number) : "its numbers are finite";
        if (!why.empty()) table.problem(key, fmt::format("`{}`: {}", key, why));
    }
    return std::pair((*numbers)[0], (*numbers)[1]);
}

struct Listed {
    Bytes bytes;
    std::size_t columns = 0;
    bool given = false;
};

/// The elements of a file beside assignment.toml.
Bytes read_data_file(TomlTable& table, const std::string& name, const ElementType& type, std::size_t& columns) {
    const auto problem = [&](const std::string& why, std::string hint = {}) {
        table.problem("file", fmt::format("{}: {}", name, why), std::move(hint));
        return Bytes();
    };
    const fs::path path = fs::path(name).lexically_normal();
    if (path.is_absolute() || path.begin() == path.end() || *path.begin() == "..")
        return problem("a data file lies in the assignment's folder", "give its path from there");
    const auto files = view::array_files();
    const auto kind =
        std::ranges::find_if(files, [&](const view::ArrayFile& each) { return path.extension() == each.ending; });
    if (kind == files.end()) {
        std::string endings;
        for (const view::ArrayFile& each : files) endings += (endings.empty() ? "" : ", ") + std::string(each.ending);
        return problem("its name does not say what kind of file it is", "the endings are " + endings);
    }
    std::string why;
    const auto text = read_file((fs::path(table.path()).parent_path() / path).string(), why, most_data_file);
    if (!text) return problem("it can't be read: " + why);
    if (text->size() > most_data_file) return problem(fmt::format("it has more than {} MB", most_data_file >> 20));
    const auto loaded = kind->read(*text);
    if (!loaded) return problem(loaded.error().message, loaded.error().hint);
    auto bytes = loaded_values(type, *loaded);
    if (!bytes) return problem(bytes.error().message);
    if (bytes->empty() || static_cast<double>(bytes->size() / type.size) > most_elements)
        return problem(fmt::format("it has none or more than {} elements", most_elements));
    if (loaded->extent.size() > 1) columns = loaded->extent.back();
    return std::move(*bytes);
}

/// What `values` or `file` gives.
Listed read_listed(TomlTable& table, const ElementType& type) {
    Listed listed;
    if (const auto values = table.numbers("values")) {
        listed.given = true;
        for (const double value : *values)
            if (const std::string why = type.misfit(value); !why.empty()) {
                table.problem("values", fmt::format("`values`: {}", why));
                break;
            }
        listed.bytes = listed_values(type, *values);
    }
    if (const auto file = table.text("file")) {
        if (listed.given) table.problem("file", "the elements are in `values` or in a `file`, not in both");
        listed.given = true;
        listed.bytes = read_data_file(table, *file, type, listed.columns);
    }
    return listed;
}

/// `count` as it is given, or as many as are listed.
std::size_t count_of(TomlTable& table, const ElementType& type, const Listed& listed) {
    const std::size_t given = read_count(table, "count"), there = listed.bytes.size() / type.size;
    if (given == 0 && there == 0) table.problem("count", "a `count` above 0 is needed");
    if (given != 0 && listed.given && !listed.bytes.empty() && given != there)
        table.problem("count", fmt::format("`count` is {}, and {} elements are given", given, there));
    return listed.bytes.empty() ? given : there;
}

}  // namespace

Input read_input(TomlTable& table) {
    Input input;
    input.name = table.required_text("name");
    input.type = read_type(table);
    input.random = read_pair(table, "random", *input.type);
    input.counted = read_pair(table, "counted", *input.type);
    Listed listed = read_listed(table, *input.type);
    input.count = count_of(table, *input.type, listed);
    input.values = std::move(listed.bytes);
    if (int{table.has("random")} + int{table.has("counted")} + int{listed.given} != 1)
        table.problem({}, "an input has one of `random`, `counted`, `values` and `file`");
    if (input.random && input.random->first > input.random->second)
        table.problem("random", "`random` is [least, most]");
    if (input.counted && input.count > 0) {
        const double last = input.counted->first + input.counted->second * static_cast<double>(input.count - 1);
        if (const std::string why = input.type->misfit(last); !why.empty())
            table.problem("counted", fmt::format("`counted`, its last number: {}", why));
    }
    table.finish();
    return input;
}

ResultDemand read_result(TomlTable& table) {
    ResultDemand result;
    result.name = table.required_text("name");
    result.type = read_type(table);
    Listed listed = read_listed(table, *result.type);
    result.count = count_of(table, *result.type, listed);
    result.values = std::move(listed.bytes);
    const std::size_t columns = read_count(table, "columns");
    result.columns = columns ? columns : listed.columns;
    result.tolerance = {table.number("relative").value_or(result.type->relative),
                        table.number("absolute").value_or(result.type->absolute)};
    table.finish();
    return result;
}

}  // namespace cudash::grade
