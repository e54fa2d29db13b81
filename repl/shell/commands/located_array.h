// From an expression of the user's to an array that the views can read.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "repl/shell/commands/array_spec.h"
#include "repl/shell/notebook.h"

namespace cudash::shell {

struct LocatedArray {
    session::Located located;
    ArraySpec spec;
    view::Array array;
    std::shared_ptr<Diagnostic> failure;  ///< why reading it ended
    /// "float[64][64] in device memory (d, cell 2)".
    std::string description() const;
};

/// Evaluates the expression, once, and says where its elements are; `command` is for messages.
Result<session::Located> locate(Notebook& notebook, std::string_view command, const ArraySpec& spec);

/// Gives an array of `located` a way to its bytes, in pieces of a few megabytes. `progress` (may be empty) is told how
/// far it is where that takes long; `what` is its name there. `failure` is set to what `read` refuses with.
void attach_reader(view::Array& array, const session::Located& located, worker::ReadMemory read,
                   std::shared_ptr<Diagnostic> failure, std::string what, decltype(view::Display::progress) progress);

/// What was located, in the shape that the spec gives it: this may be tried again with another shape. The array reads
/// through the session, a few megabytes at a time, and says how far it is where that takes long.
Result<LocatedArray> shape_located(Notebook& notebook, std::string_view command, session::Located located,
                                   ArraySpec spec);

/// Both.
Result<LocatedArray> locate_array(Notebook& notebook, std::string_view command, ArraySpec spec);

/// Writes the array's elements, in pieces. `fill` makes the bytes of the elements [from, from + count) of a row.
std::optional<Diagnostic> write_array(
    Notebook& notebook, std::string_view command, const LocatedArray& target,
    const std::function<bool(std::uint64_t row, std::uint64_t from, std::span<std::byte> bytes)>& fill);

}  // namespace cudash::shell
