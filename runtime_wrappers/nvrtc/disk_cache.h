// Compiled device code kept on disk between runs: one file an artifact, named by the hash of what it was made from.
#pragma once

#include <optional>
#include <string>

#include "runtime_wrappers/nvrtc/compiler.h"

namespace cudash::nvrtc {

/// nullopt if there is none, or if it is damaged.
std::optional<Artifact> load_cached(const std::string& key);
/// Written beside and renamed into place; failures are no error. Old entries go when the folder grows too large.
void store_cached(const std::string& key, const Artifact& artifact);

}  // namespace cudash::nvrtc
