// What a result looks like on a page: HTML for text and tables, SVG for drawings. Everything that comes from a program
// or a student is escaped, nothing is loaded from elsewhere, and no scripts run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/view/array.h"
#include "repl/view/array_difference.h"
#include "repl/view/diagnostic_printer.h"
#include "repl/view/rich.h"

namespace cudash::view {

/// Under the sentences of `text`, each line of which is one.
std::string html(const session::Table& table, std::string_view text = {});
std::string html(const Diagnostic& diagnostic, const SourceLines& lines);
std::string html(const session::DebugStop& stop, const SourceLines& lines);
std::string html(const session::DebugLanes& lanes);
std::string html(const Difference& difference, std::string_view text);

/// Fills in `html` or `svg`.
void add_forms(const Picture& picture, Rich& rich);
std::string memory_map_svg(const std::vector<session::MemoryRange>& ranges);

// Forms of arrays, under `title`. False: memory can't be read.
bool add_numbers(const Array& array, bool all, std::string_view title, Rich& rich);
bool add_hex(const Array& array, std::string_view title, Rich& rich);
bool add_heat_map(const Array& array, std::string_view title, Rich& rich);
bool add_image(const Array& array, std::string_view title, Rich& rich);
bool add_histogram(const Array& array, std::string_view title, Rich& rich);
/// A curve; of more dimensions, the rows' averages.
bool add_sparkline(const Array& array, std::string_view title, Rich& rich);
/// A curve for each row, of the first ones.
bool add_plot(const Array& array, std::string_view title, Rich& rich);

}  // namespace cudash::view
