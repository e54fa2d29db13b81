// Elements of arrays as words, for all that show them: text and pages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "repl/view/array.h"

namespace cudash::view {

/// Which of `count` things are shown: all below `head`, then those from `tail` on.
struct Elision {
    std::uint64_t head = 0, tail = 0;
    bool any() const { return head < tail; }
};
Elision elide(std::uint64_t count, std::uint64_t head, std::uint64_t tail, bool all);

/// Adds the elements [from, from + count) of a row: "?" where nothing has written them. False: memory can't be read.
bool read_texts(const Array& array, std::uint64_t row, std::uint64_t from, std::uint64_t count,
                std::vector<std::string>& texts);

/// Bytes, sixteen a line.
struct HexDump {
    struct Line {
        std::uint64_t offset = 0;
        std::string digits, letters;
    };
    std::vector<Line> lines;
    std::uint64_t left_out = 0;  ///< bytes after them
};
bool read_hex(const Array& array, bool all, HexDump& dump);

}  // namespace cudash::view
