// Expected output against actual output, line by line, with elisions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudash::grade {

using Lines = std::vector<std::string>;

/// The lines of a text, without their line ends.
Lines split_lines(std::string_view text);
void drop_trailing_blanks(Lines& lines);
/// What a program printed, as it is compared: lines without trailing blank ones.
Lines printed_lines(std::string_view text);

/// True if `actual` is what the line `pattern` stands for: `[..]` is any text, a leading `\` is dropped.
bool matches_line(std::string_view pattern, std::string_view actual);

/// True if all of `actual` is what `expected` stands for.
bool matches(const Lines& expected, const Lines& actual);

/// A unified diff of one hunk, its lines beginning with ' ', '-' (expected) or '+' (actual).
std::string diff(const Lines& expected, const Lines& actual);

/// `actual` as expected lines: those of `expected` that still match are kept as they stand.
Lines merge(const Lines& expected, const Lines& actual);

}  // namespace cudash::grade
