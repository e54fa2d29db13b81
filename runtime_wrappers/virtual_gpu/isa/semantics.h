// What instructions do to values: pure functions that the executor calls in its loops over lanes. They know nothing of
// registers, lanes or memory, and give exactly the bits that hardware gives; where a rule leaves that open, the
// function says what was chosen.
#pragma once

#include "runtime_wrappers/virtual_gpu/isa/semantics_bits.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_convert.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_float.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_half.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_integer.h"
