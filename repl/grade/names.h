// Names that students gave: any bytes but '/' and NUL may be in the name of a file.
#pragma once

#include <string>
#include <string_view>

namespace cudash::grade {

/// As it is shown and written everywhere: what a terminal, a spreadsheet, a browser or XML would take for something
/// else is replaced by %XX for each of its bytes, and so is '%'. Two names never become one.
std::string shown_name(std::string_view name);
/// Of a file that is made for a shown name; with room for a suffix within the 255 bytes that a name may have. '/'
/// becomes %2F; the rest of a long name becomes a hash.
std::string file_name(std::string_view shown);
/// The name under which compilers know a submission: its own where that is an ordinary one, else "submission.cu".
std::string source_name(std::string_view name);

/// Bytes of the well-formed UTF-8 sequence at the beginning of `text`, 0 if it is none (RFC 3629, section 4), or if it
/// has no place in a text: a control character, a direction mark, a noncharacter.
std::size_t printable_length(std::string_view text);

/// A name or path as a POSIX shell takes it for one word: in quotes where it needs them.
std::string shell_word(std::string_view name);

}  // namespace cudash::grade
