// Files that others give to the grader.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace cudash::grade {

/// Of what is read at once: what is larger is cut off just beyond it, so that it is seen to be too large.
inline constexpr std::size_t most_file = 4 << 20, most_data_file = 64 << 20;

/// The bytes of a file; nullopt with why. What is not a plain file is none.
std::optional<std::string> read_file(const std::string& path, std::string& why, std::size_t most_bytes = most_file);

/// The rest of an open file's bytes; nullopt with why.
std::optional<std::string> read_open_file(int file, std::string& why, std::size_t most_bytes);

}  // namespace cudash::grade
