// The floating-point sides of instructions that exist for integers too.
#pragma once

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

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

// .u16x2 and .s16x2, and .relu of integers (exec/packed_arithmetic.cpp).
bool is_packed_integer(ptx::Type type);
void select_packed_add(Site& site);
void select_packed_min(Site& site);
void select_packed_max(Site& site);
void select_relu_min(Site& site);
void select_relu_max(Site& site);

// And their halves.
void select_half_add(Site& site);
void select_half_sub(Site& site);
void select_half_mul(Site& site);
void select_half_fma(Site& site);
void select_contracted(Site& site);
void select_contracted_quotient(Site& site);
void select_half_abs(Site& site);
void select_half_neg(Site& site);
void select_half_min(Site& site);
void select_half_max(Site& site);

}  // namespace cudash::virtual_gpu
