// A new lesson or assignment: a small example that works, for its author to rewrite.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime_wrappers/result.h"

namespace cudash::grade {

struct TemplateFile {
    std::string_view path, text;
};

/// Writes the files into a new folder. In their texts, `@SEED@` becomes a random seed. The error says what can't be
/// written, or that the folder is there already (code "exists").
std::optional<Diagnostic> write_template(const std::string& folder, std::span<const TemplateFile> files);

/// The new folder as a word of a command line that means no other thing: "./hw1", "'./my lesson'".
std::string new_folder_word(const std::string& folder);

}  // namespace cudash::grade
