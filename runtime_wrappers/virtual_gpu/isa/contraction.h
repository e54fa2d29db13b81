// Contraction: a product and a sum without .rn become one fma (PTX ISA 9.7.3 "add", "mul": "an add instruction with no
// rounding modifier defaults to round-to-nearest-even and may be optimized aggressively by the code optimizer"). NVRTC
// leaves that to ptxas wherever it did not write fma itself, and ptxas's choice shows in the last bits of results.
//
// Its rule, read off the machine code that ptxas 13.0 makes for sm_90 from random sequences of mul, add, sub, neg and
// fma (tests/hardware/contraction says how; .f32, .f64, .f16, .bf16 and pairs alike):
// - Both stand in one basic block, unless a factor is a constant, a kernel's parameter or in constant memory: then the
//   sums may stand in any. Branches, labels, calls and fences end a block; barriers, loads and stores do not.
// - div.approx and div.full count as products, of the dividend and the reciprocal: `div a, b, c` with a sum's operand
// for
//   a fourth is such a one.
// - .ftz is on both or on neither; the product has no .sat and no guard.
// - Every use of the product, through neg and mov too, is an operand of such a sum; no sum has it twice.
// - Where both operands of a sum are such products, the one with fewer uses is fused, the first if both have as many;
//   one that some sum passes over for a product with fewer uses is fused nowhere.
// - Sums are taken in their order. A product that lost to one with as many uses is fused in no sum after that one.
// In long sequences ptxas also weighs registers: of the 1,000 recorded sequences of 6, 12 and 25 instructions one, of
// 25, differs from the rule.
#pragma once

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::virtual_gpu {

/// In the whole function. The fma that come of it are marked (`contracted`), and their operands may be
/// negated.
void contract_products(ptx::Function& function);

}  // namespace cudash::virtual_gpu
