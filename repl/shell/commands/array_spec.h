// What `:show`, `:diff`, `:save` and `:load` say of an array: EXPR [as TYPE] [ROWSxCOLS] [[slice]] [form].
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/memory/query.h"
#include "repl/view/array.h"
#include "runtime_wrappers/result.h"

namespace cudash::shell {

/// Part of a dimension: "2", "1:5", "::2", ":". Below 0 they count from the end.
struct Slice {
    std::optional<std::int64_t> begin, end, step;
    bool single = false;  ///< one index: the dimension goes
};

struct ArraySpec {
    std::string expression, as, form;
    std::vector<std::uint64_t> shape;
    std::vector<Slice> slices;
};

/// `forms` are the words that may stand last.
Result<ArraySpec> parse_array_spec(std::string_view text, std::span<const std::string_view> forms);

/// Splits at white space outside of brackets and quotes, or at commas if there are any.
std::vector<std::string> split_expressions(std::string_view text);

/// The array that the spec means of what was located, its `read` left empty. The error says what does not fit.
Result<view::Array> shape_array(const session::Located& located, const ArraySpec& spec);

}  // namespace cudash::shell
