// The .approx instructions of constants: ptxas computes them itself, exactly rounded, where the special function unit
// would give other last bits. NVRTC leaves such instructions in its PTX.
#pragma once

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::virtual_gpu {

/// rcp, rsqrt, sqrt, ex2, lg2, sin and cos .approx of a constant become mov; div.approx and div.full by a constant
/// become products with its reciprocal. tanh stays. Read off the machine code that ptxas 13.0 makes for sm_90.
void fold_constants(ptx::Function& function);

/// What ptxas computes of a constant, in double precision: the `folded` column of instructions.def.
namespace folded {

double rcp(double x);
double rsqrt(double x);
double sqrt(double x);
double ex2(double x);
double lg2(double x);
double sin(double x);
double cos(double x);

}  // namespace folded
}  // namespace cudash::virtual_gpu
