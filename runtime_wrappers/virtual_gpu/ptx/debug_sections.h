// The debug information of PTX made with -G: DWARF, written as `.section .debug_info { .b8 1 ... }` (PTX ISA 11.5.5
// ".section"). An address of code is the line of the PTX text, which every instruction knows; the address of a variable
// is a number that `symbols` gives a name to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::ptx {

struct DebugSections {
    /// Added to an index into `symbols`.
    static constexpr std::uint64_t first_symbol = std::uint64_t{1} << 62;

    std::map<std::string, std::string> bytes;  ///< by name, "debug_info"
    std::vector<std::string> symbols;
};

/// Empty if the text has none.
DebugSections parse_debug_sections(std::string_view ptx);

}  // namespace cudash::ptx
