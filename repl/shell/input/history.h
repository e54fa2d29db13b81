// What was entered, kept in a file from one session to the next. Several shells may share the file: each appends what
// it is given, under a lock, and reads what is there when it starts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::shell {

inline constexpr std::size_t most_of_entry = 64 << 10;  ///< bytes; what is longer is not kept

/// The last `most` entries of the file, oldest first; of lines that are no text, nothing. A file that has grown to
/// twice `most` entries is cut. None without a file.
std::vector<std::string> load_history(const std::string& path, std::size_t most);

/// Adds an entry; makes the file and its folder. Why it can't be done, or "".
std::string append_history(const std::string& path, std::string_view entry);

/// $XDG_STATE_HOME/cudash/history, or below ~/.local/state; empty without a home.
std::string default_history_file();

}  // namespace cudash::shell
