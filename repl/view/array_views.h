// The pictures that `:show` makes of an array, in text: the same with and without colour, but for the colour.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "repl/view/array.h"
#include "repl/view/rich.h"

namespace cudash::view {

/// Rows of values, the middle of long ones left out unless `all`. False: memory can't be read.
bool print_numbers(const Array& array, const Screen& screen, bool all, std::string& text);
/// Averages of parts as shades.
bool print_heat_map(const Array& array, const Screen& screen, std::string& text);
/// A picture: colours where the terminal has them and the elements have three or four channels, otherwise grey; in
/// braille without colour, in characters without UTF-8.
bool print_image(const Array& array, const Screen& screen, std::string& text);
/// How often values lie in each of equal intervals, and a summary.
bool print_histogram(const Array& array, const Screen& screen, std::string& text);
/// One line of bars: averages along the array.
bool print_sparkline(const Array& array, const Screen& screen, std::string& text);
/// Bytes, sixteen a line, with offsets.
bool print_hex(const Array& array, const Screen& screen, bool all, std::string& text);

struct ArrayForm {
    std::string_view name, help;
    bool (*print)(const Array&, const Screen&, std::string&);
    bool (*add_forms)(const Array&, std::string_view title, Rich&);  ///< those of pages
};
/// One row for each; the first is the standard.
std::span<const ArrayForm> array_forms();

}  // namespace cudash::view
