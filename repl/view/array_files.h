// Arrays as files: NumPy's .npy, comma-separated values, and PNG images.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "repl/view/array.h"
#include "runtime_wrappers/result.h"

namespace cudash::view {

/// Takes the next bytes of a file; false ends the writing.
using Sink = std::function<bool(std::string_view)>;

/// An array out of a file.
struct Loaded {
    session::Element element;
    std::vector<std::uint64_t> extent;
    std::string bytes;  ///< without gaps
};

/// An error says why the elements can't be written so, or that memory can't be read. What `sink` refuses is not an
/// error.
std::optional<Diagnostic> write_npy(const Array& array, const Sink& sink);
std::optional<Diagnostic> write_csv(const Array& array, const Sink& sink);
std::optional<Diagnostic> write_png(const Array& array, const Sink& sink);

Result<Loaded> read_npy(std::string_view file);
Result<Loaded> read_csv(std::string_view file);
Result<Loaded> read_png(std::string_view file);

struct ArrayFile {
    std::string_view ending;
    std::optional<Diagnostic> (*write)(const Array&, const Sink&);
    Result<Loaded> (*read)(std::string_view);
};
std::span<const ArrayFile> array_files();

/// The loaded element at `index` as one of `element`, numbers converted; false if they are of no like kind.
bool convert(const Loaded& loaded, std::uint64_t index, const session::Element& element, std::byte* to);

}  // namespace cudash::view
