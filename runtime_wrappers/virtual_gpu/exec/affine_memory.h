// Loads and stores whose addresses are affine: checked by their two ends, without looking at the lanes.
#pragma once

#include "runtime_wrappers/virtual_gpu/isa/affine_form.h"

namespace cudash::virtual_gpu {

/// None where there is no affine form.
AffineForms affine_load(const AffineQuery& query);
AffineForms affine_store(const AffineQuery& query);

}  // namespace cudash::virtual_gpu
