// The files that a confined worker needs to see, for the layers that let it see no others.
#pragma once

#include <string>
#include <vector>

namespace cudash::worker {

/// Folders and files: libraries, headers, the toolkit, what the system says of itself, `program` with what lies beside
/// it, precompiled headers in `header_cache`. Some may not be there.
std::vector<std::string> readable_paths(const std::string& program, const std::string& header_cache);

}  // namespace cudash::worker
