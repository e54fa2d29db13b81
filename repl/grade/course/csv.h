// Comma-separated values as spreadsheets write them (RFC 4180): quotes, line ends in quotes, `;` in the place of `,`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::grade {

struct CsvRow {
    std::vector<std::string> fields;
    unsigned line = 0;  ///< where it begins, from 1
};

/// All rows but empty ones; the first has the columns' names. The error says where it is not UTF-8, or no table.
Result<std::vector<CsvRow>> read_csv(std::string_view text, const std::string& path);

/// A field as it is written: in quotes where it needs them; what a spreadsheet would take for a formula begins with '.
std::string csv_field(std::string_view field);

}  // namespace cudash::grade
