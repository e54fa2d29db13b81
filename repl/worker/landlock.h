// Landlock (Documentation/userspace-api/landlock.rst): a process gives up access to all files but those it names.
#pragma once

#include <string>
#include <vector>

namespace cudash::worker {

/// Restricts this thread, and what it starts, to reading `readable` (folders or files) and writing `writable`; no TCP;
/// no signals and abstract sockets to processes outside. False where the kernel lacks Landlock.
bool restrict_files(const std::vector<std::string>& readable, const std::vector<std::string>& writable);

}  // namespace cudash::worker
