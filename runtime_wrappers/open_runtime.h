// The choice between the real CUDA runtime and the virtual GPU.
#pragma once

#include <memory>

#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/result.h"

namespace cudash {

/// `code` and `events` must outlive the runtime. At most one runtime lives at a time.
Result<std::unique_ptr<api::Runtime>> open_runtime(const api::Options& options, api::DeviceCode& code,
                                                   api::Events events);

}  // namespace cudash
