// Transcripts: cells and the output they must have, in one readable file. Read, run, compared, rewritten.
//
// Text form (.cudash): lines `NEEDS: gpu|virtual`, `DEVICE: ...`, `ARGS: ...`, `WIDTH: COLUMNS` and `# comment`,
// then cells:
//
//     >> int x = 20;
//     >> x +
//     .. 22
//     (int) 42
//
// Markdown form (.md): each ```cuda fence is a cell (```cuda virtual: one that a real GPU does not run); the ```output
// fence after it is what it must print. Header lines stand in an HTML comment at the top.
//
// In expected output a line `...` stands for any lines, `[..]` for any text inside a line, and a leading `\` makes a
// line literal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::lesson {

struct Exchange {
    std::string code;
    std::vector<std::string> expected;  ///< lines, without trailing blank ones
    unsigned line = 0;                  ///< of the cell's first line in the file
    bool needs_virtual = false;         ///< a real GPU does not run it: ```cuda virtual
    /// Where `expected` stands in the file, and what goes before and after it when it is rewritten.
    std::size_t output_begin = 0, output_end = 0;
    std::string before_output, after_output;
};

struct Transcript {
    std::string path, text;
    std::string needs;                   ///< "gpu", "virtual" or empty
    std::string device;                  ///< empty: the caller's
    std::vector<std::string> arguments;  ///< command-line options of the session
    unsigned width = 0;                  ///< of the terminal; 0: what is printed is not wrapped
    std::vector<Exchange> exchanges;
};

/// Reads either form, by the file name's ending.
Result<Transcript> parse_transcript(std::string path, std::string text);

/// The file's text with `outputs` (one per exchange; none: it stays as it is) in place of the expected ones. Lines and
/// elisions that still match are kept.
std::string rewrite(const Transcript& transcript, const std::vector<std::optional<std::vector<std::string>>>& outputs);

}  // namespace cudash::lesson
