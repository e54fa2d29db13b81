// A real GPU as a session sees it.
#pragma once

#include <memory>

#include "runtime_wrappers/api/served.h"
#include "runtime_wrappers/result.h"

namespace cudash::cuda {

/// Takes `served` if there is such a GPU.
Result<std::unique_ptr<api::Runtime>> create_real(const api::Options& options, std::unique_ptr<api::Served>& served);

}  // namespace cudash::cuda
