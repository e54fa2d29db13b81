// Expected output against actual output, line by line, with elisions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudash::lesson {

using Lines = std::vector<std::string>;

/// True if `actual` is what the line `pattern` stands for: `[..]` is any text, a leading `\` is dropped.
bool matches_line(std::string_view pattern, std::string_view actual);

/// True if all of `actual` is what `expected` stands for.
bool matches(const Lines& expected, const Lines& actual);

/// A unified diff of one hunk, its lines beginning with ' ', '-' (expected) or '+' (actual).
std::string diff(const Lines& expected, const Lines& actual);

/// `actual` as expected lines: those of `expected` that still match are kept as they stand.
Lines merge(const Lines& expected, const Lines& actual);

}  // namespace cudash::lesson
