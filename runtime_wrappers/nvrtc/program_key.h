// What a program is built from, as the name of its entry in the cache.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cudash::nvrtc {

/// The hash of the sources, of all files of the user's that they include, and of `command`, which builds them. nullopt:
/// the files can't be told from the text (a macro names one), or can't be read. The toolkit's headers count by its
/// nvcc, those of the system do not.
std::optional<std::string> program_key(const std::vector<std::string>& sources,
                                       const std::vector<std::string>& include_dirs,
                                       const std::vector<std::string>& command);

}  // namespace cudash::nvrtc
