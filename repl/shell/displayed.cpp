#include "repl/shell/displayed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "repl/shell/commands/located_array.h"
#include "repl/view/array_views.h"
#include "repl/view/rich/forms.h"

namespace cudash::shell {
namespace {

/// Each row of an array as a line of bars.
bool print_plot(const view::Array& array, const view::Screen& screen, std::string& text) {
    for (std::uint64_t row = 0; row < array.rows(); ++row)
        if (!print_sparkline(row_of(array, row), screen, text)) return false;
    return true;
}

struct DisplayForm {
    std::string_view name;
    bool (*print)(const view::Array&, const view::Screen&, std::string&);
    bool (*add_forms)(const view::Array&, std::string_view title, view::Rich&);
};
/// By their names in <cudash/display.h>.
constexpr std::array forms = {
    DisplayForm{
        "numbers",
        [](const view::Array& a, const view::Screen& s, std::string& t) { return print_numbers(a, s, false, t); },
        [](const view::Array& a, std::string_view title, view::Rich& r) { return add_numbers(a, false, title, r); }},
    DisplayForm{"heat", view::print_heat_map, view::add_heat_map},
    DisplayForm{"image", view::print_image, view::add_image},
    DisplayForm{"histogram", view::print_histogram, view::add_histogram},
    DisplayForm{"plot", print_plot, view::add_plot},
};

/// Whatever a worker sends, it describes an array: elements of scalars that lie in them, and a size that a memory has.
bool is_sound(const session::Located& located) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 46, most_in_element = 4096;
    const std::uint64_t size = located.element.bytes;
    if (size == 0 || size > most_in_element || located.element.scalars.empty()) return false;
    for (const session::Scalar& scalar : located.element.scalars)
        if (std::uint64_t{scalar.offset} + scalar.bytes > size) return false;
    if (located.extent.empty() || located.extent.size() > 2 || located.extent.size() != located.stride.size())
        return false;
    std::uint64_t bytes = size;
    for (std::size_t i = located.extent.size(); i-- > 0;) {
        if (located.extent[i] == 0 || located.stride[i] != bytes) return false;
        if (__builtin_mul_overflow(bytes, located.extent[i], &bytes) || bytes > most_bytes) return false;
    }
    return true;
}

}  // namespace

void show_displayed(const session::Displayed& displayed, const worker::ReadMemory& read, const view::Display& display,
                    const view::SourceLines& lines) {
    const auto* form = std::ranges::find(forms, displayed.form, &DisplayForm::name);
    if (form == forms.end() || !is_sound(displayed.located)) {
        display.show(error("bad-array", "the program's array can't be shown: its description contradicts itself"),
                     lines);
        return;
    }
    LocatedArray shown;
    shown.located = displayed.located;
    shown.array.element = displayed.located.element;
    shown.array.extent = displayed.located.extent;
    shown.array.stride = displayed.located.stride;
    shown.array.first.assign(shown.array.extent.size(), 0);
    const auto failure = std::make_shared<Diagnostic>(
        error("bad-address", "the memory can't be read: it ends before, or was freed", ":mem lists what is allocated"));
    attach_reader(shown.array, shown.located, read, failure, "cudash::display", display.progress);
    const std::string title = displayed.title.empty() ? shown.description() : displayed.title;
    view::Rich rich{.plain = title + "\n"};
    const view::Screen screen = display.rich ? display.plain_screen() : display.screen();
    if (!form->print(shown.array, screen, rich.plain)) return display.show(*failure, lines);
    if (display.rich && !form->add_forms(shown.array, title, rich)) return display.show(*failure, lines);
    if (display.fresh_line) display.fresh_line();
    if (display.rich)
        display.rich(rich);
    else
        display.results(rich.plain);
}

}  // namespace cudash::shell
