// The floating-point sides of instructions that exist for integers too.
#pragma once

namespace cudash::virtual_gpu {

class Site;

void select_float_add(Site& site);
void select_float_sub(Site& site);
void select_float_mul(Site& site);
void select_float_div(Site& site);
void select_float_abs(Site& site);
void select_float_neg(Site& site);
void select_float_min(Site& site);
void select_float_max(Site& site);

// And their halves.
void select_half_add(Site& site);
void select_half_sub(Site& site);
void select_half_mul(Site& site);
void select_half_fma(Site& site);
void select_half_abs(Site& site);
void select_half_neg(Site& site);
void select_half_min(Site& site);
void select_half_max(Site& site);

}  // namespace cudash::virtual_gpu
