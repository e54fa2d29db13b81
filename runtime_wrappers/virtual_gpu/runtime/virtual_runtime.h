// The virtual GPU as a session sees it.
#pragma once

#include <memory>

#include "runtime_wrappers/api/served.h"
#include "runtime_wrappers/result.h"

namespace cudash::virtual_gpu::runtime {

Result<std::unique_ptr<api::Runtime>> create_virtual(const api::Options& options, std::unique_ptr<api::Served> served);

}  // namespace cudash::virtual_gpu::runtime
