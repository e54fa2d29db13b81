// The system calls that a confined worker may make, as a seccomp filter.
#pragma once

namespace cudash::worker {

/// Restricts all threads of this process. Other calls fail with EPERM. False where the kernel refuses the filter.
bool restrict_system_calls();

}  // namespace cudash::worker
