// The libraries beside CUDA's runtime whose functions a program may call: which one a name belongs to, and how to go on
// without it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

struct LibraryRow {
    std::string_view name;          ///< "cuBLAS"
    std::string_view prefix;        ///< of its functions
    std::string_view headers;       ///< of its headers' names, each between blanks
    std::string_view shared;        ///< the file that a real GPU's programs load; empty: none
    std::string_view without = {};  ///< how to go on where it is missing
    bool needs_gpu = true;          ///< false: the toolkit's works on the virtual GPU, too
    bool has_own = false;           ///< the virtual GPU has the library's functions, or tells which it lacks
};

/// The row of the function with this (mangled or plain) name; nullptr if it belongs to none.
const LibraryRow* library_of_function(std::string_view symbol);

/// For "'mpi.h' file not found": what it is part of and how to go on; empty if nothing is known of the header.
std::string help_with_header(const Diagnostic& diagnostic);

/// Of a built program, by the functions that it takes from shared libraries: each library that fails without a GPU, and
/// each of ours that has not got them all. `is_there` says of a function whether ours has it.
std::vector<Diagnostic> libraries_without_gpu(std::string_view program, const std::vector<std::string>& imported,
                                              bool (*is_there)(std::string_view function));

/// A function that is declared and defined nowhere.
Diagnostic undefined_function(const std::string& symbol, const std::string& readable, bool in_files);

/// The first function that the linker, called by nvcc, did not find; nullopt: it lacked nothing.
std::optional<Diagnostic> undefined_at_link(std::string_view log);

}  // namespace cudash::session
