// `:show` and `:diff`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "repl/shell/commands/command.h"
#include "repl/shell/commands/located_array.h"
#include "repl/view/array_difference.h"
#include "repl/view/array_views.h"
#include "repl/view/rich/forms.h"

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
    const view::Display& display = notebook.display();
    std::string text = found->description() + "\n";
    if (!chosen.print(found->array, display.rich ? display.plain_screen() : display.screen(), text))
        return notebook.fail(*found->failure);
    if (text.find(" ? ") != std::string::npos || text.find(" ?\n") != std::string::npos)
        text += "?: nothing has written these elements\n";
    if (text.find("\n... ") != std::string::npos || text.find(" ... ") != std::string::npos) {
        const bool flat = found->array.extent.size() == 1;
        const unsigned first = notebook.display().look.elements / 6 * 5;
        text += fmt::format("`:show {} {}` shows a part, `all` everything, `histogram` what the values are like\n",
                            argument, flat ? fmt::format("[{}:{}]", first, 2 * first) : "[8:16]");
    }
    if (!display.rich) {
        notebook.page(text);
        return std::nullopt;
    }
    view::Rich rich{.plain = std::move(text)};
    if (!chosen.add_forms(found->array, found->description(), rich)) return notebook.fail(*found->failure);
    display.rich(rich);
    return std::nullopt;
}

std::optional<int> diff(Notebook& notebook, std::string_view argument) {
    std::vector<std::string> parts = split_expressions(argument);
    double tolerance = 0;
    if (parts.size() == 3) {
        const auto given = tolerance_of(parts.back());
        if (!given)
            return notebook.fail(
                error("bad-argument", fmt::format("expected a tolerance, got '{}'", parts.back()),
                      ":diff A B 1e-5; expressions with spaces stand in (...), or with commas between"));
        tolerance = *given;
        parts.pop_back();
    }
    if (parts.size() != 2)
        return notebook.fail(error("bad-argument", ":diff needs two arrays", ":diff A B [TOLERANCE]"));
    std::array<ArraySpec, 2> specs;
    std::array<session::Located, 2> located;
    for (std::size_t i = 0; i < 2; ++i) {
        auto spec = parse_array_spec(parts[i], {});
        if (!spec) return notebook.fail(spec.error());
        specs[i] = std::move(*spec);
        auto found = locate(notebook, ":diff", specs[i]);
        if (!found) return notebook.fail(found.error());
        located[i] = std::move(*found);
    }
    // Memory whose size is not known is as large as the other side.
    const auto shape = [&](std::size_t i, const LocatedArray* other) {
        ArraySpec spec = specs[i];
        if (other) spec.shape = other->array.extent;
        return shape_located(notebook, ":diff", located[i], std::move(spec));
    };
    std::array sides = {shape(0, nullptr), shape(1, nullptr)};
    for (std::size_t i = 0; i < 2; ++i) {
        if (sides[i] || sides[i].error().code != "size-unknown" || !sides[1 - i]) continue;
        sides[i] = shape(i, &*sides[1 - i]);
    }
    for (const auto& side : sides)
        if (!side) return notebook.fail(side.error());
    const view::Array &a = sides[0]->array, &b = sides[1]->array;
    if (a.element.scalars.size() != b.element.scalars.size())
        return notebook.fail(error("wrong-type",
                                   fmt::format("{} and {} can't be compared", a.element.type, b.element.type),
                                   "say the type: `:diff (a as float), b`"));
    std::string text;
    if (a.count() != b.count())
        text += fmt::format("{} has {} elements and {} has {}: the first {} are compared\n", parts[0], a.count(),
                            parts[1], b.count(), std::min(a.count(), b.count()));
    const auto difference = view::compare(a, b, tolerance);
    if (!difference) return notebook.fail(*sides[0]->failure);
    const view::Display& display = notebook.display();
    if (display.rich) {
        const std::string page = view::html(*difference, text);
        display.rich({.plain = text + view::print(*difference, display.plain_screen()), .html = page});
        return std::nullopt;
    }
    text += view::print(*difference, display.screen());
    notebook.page(text);
    return std::nullopt;
}

}  // namespace cudash::shell
