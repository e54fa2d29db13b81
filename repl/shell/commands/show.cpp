// `:show` and `:diff`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "repl/shell/commands/command.h"
#include "repl/shell/commands/located_array.h"
#include "repl/view/array_difference.h"
#include "repl/view/array_views.h"

namespace cudash::shell {
namespace {

std::vector<std::string_view> form_names() {
    std::vector<std::string_view> names;
    for (const view::ArrayForm& form : view::array_forms()) names.push_back(form.name);
    return names;
}

/// "2", "1e-5", ".5".
std::optional<double> tolerance_of(std::string_view text) {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || failure != std::errc() || end != text.data() + text.size() || !(value >= 0))
        return std::nullopt;
    return value;
}

}  // namespace

std::optional<int> show(Notebook& notebook, std::string_view argument) {
    auto spec = parse_array_spec(argument, form_names());
    if (!spec) return notebook.fail(spec.error());
    const std::string form = spec->form;
    const auto found = locate_array(notebook, ":show", std::move(*spec));
    if (!found) return notebook.fail(found.error());
    const auto forms = view::array_forms();
    const auto row = std::find_if(forms.begin(), forms.end(), [&](const auto& each) { return each.name == form; });
    const view::ArrayForm& chosen = row == forms.end() ? forms.front() : *row;
    if (chosen.name == "image" && found->array.extent.size() < 2)
        return notebook.fail(error("wrong-shape", "an image has two dimensions",
                                   fmt::format("say them: `:show {} 64x64 image`", found->spec.expression)));
    std::string text = found->description() + "\n";
    if (!chosen.print(found->array, notebook.display().screen(), text)) return notebook.fail(*found->failure);
    if (text.find("\n... ") != std::string::npos || text.find(" ... ") != std::string::npos) {
        const bool flat = found->array.extent.size() == 1;
        text += fmt::format("`:show {} {}` shows a part, `all` everything, `histogram` what the values are like\n",
                            argument.substr(0, argument.find_last_not_of(" \t") + 1), flat ? "[80:160]" : "[8:16]");
    }
    notebook.page(text);
    return std::nullopt;
}

std::optional<int> diff(Notebook& notebook, std::string_view argument) {
    std::vector<std::string> parts = split_expressions(argument);
    double tolerance = 0;
    if (parts.size() == 3) {
        const auto given = tolerance_of(parts.back());
        if (!given)
            return notebook.fail(
                error("bad-argument", fmt::format("'{}' is no tolerance", parts.back()),
                      ":diff A B 1e-5; expressions with spaces stand in (...), or with commas between"));
        tolerance = *given;
        parts.pop_back();
    }
    if (parts.size() != 2)
        return notebook.fail(error("bad-argument", ":diff needs two arrays", ":diff A B [TOLERANCE]"));
    std::optional<LocatedArray> sides[2];
    for (std::size_t i = 0; i < 2; ++i) {
        auto spec = parse_array_spec(parts[i], {});
        if (!spec) return notebook.fail(spec.error());
        // Memory whose size is not known is as large as the other side.
        if (i == 1 && spec->shape.empty()) {
            auto as_first = *spec;
            as_first.shape = sides[0]->array.extent;
            auto found = locate_array(notebook, ":diff", *spec);
            if (!found && found.error().code == "size-unknown") found = locate_array(notebook, ":diff", as_first);
            if (!found) return notebook.fail(found.error());
            sides[1] = std::move(*found);
            continue;
        }
        auto found = locate_array(notebook, ":diff", *spec);
        if (!found && found.error().code == "size-unknown" && i == 0) {
            // The other way round.
            auto other = parse_array_spec(parts[1], {});
            if (!other) return notebook.fail(other.error());
            const auto second = locate_array(notebook, ":diff", *other);
            if (!second) return notebook.fail(found.error());
            spec->shape = second->array.extent;
            found = locate_array(notebook, ":diff", *spec);
        }
        if (!found) return notebook.fail(found.error());
        sides[i] = std::move(*found);
    }
    const view::Array &a = sides[0]->array, &b = sides[1]->array;
    if (a.element.scalars.size() != b.element.scalars.size())
        return notebook.fail(error("wrong-type",
                                   fmt::format("{} and {} can't be compared", a.element.type, b.element.type),
                                   "say the type: `:diff (a as float), b`"));
    std::string text;
    bool same = true;
    if (a.count() != b.count())
        text += fmt::format("{} has {} elements and {} has {}: the first {} are compared\n", parts[0], a.count(),
                            parts[1], b.count(), std::min(a.count(), b.count()));
    if (!view::print_difference(a, b, tolerance, notebook.display().screen(), text, same))
        return notebook.fail(*sides[0]->failure);
    notebook.page(text);
    return std::nullopt;
}

}  // namespace cudash::shell
