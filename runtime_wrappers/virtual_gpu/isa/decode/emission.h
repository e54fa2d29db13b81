// The passes that write a function's code, and what they share.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/decode/affine_registers.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/turns.h"

namespace cudash::virtual_gpu {

/// By plain instruction: where another form of it is.
using FormPlaces = std::vector<std::uint32_t>;

class Emission {
public:
    /// `checks`: of debug code without stops, where it has checks (decode_unstopped).
    Emission(const FlowGraph& graph, const AffineRegisters& affine, const RegisterPlaces& places,
             const StopChecks* checks, Code& code);

    const FlowGraph& graph;
    const AffineRegisters& affine;
    const RegisterPlaces& places;
    const StopChecks* const checks;
    Code& code;
    std::vector<std::uint32_t> item_of;  ///< by plain instruction; no_index: a helper
    std::vector<Handler> together;       ///< by plain instruction: its form for all warps of a block

    /// Adds a plain instruction of the item. `real`: one that was written.
    void push(const FlowItem& item, const Instruction& instruction, const Chosen& chosen, bool real);
    /// A constant in lanes of 4 or 8 bytes, or (0) a predicate: its place in the frame, or no_index if there are too
    /// many.
    std::uint32_t constant(std::uint64_t bits, unsigned bytes);
    std::uint32_t affine_constant(std::uint64_t value);
    /// Somebody reads the register.
    bool is_read(std::uint32_t number) const { return read_[number]; }

private:
    std::uint32_t ordinal_ = 0;
    std::vector<bool> read_;
    std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> constants_;
    std::map<std::uint64_t, std::uint32_t> affine_constants_;
};

/// All forms of the code.
void emit(Emission& emission, const AccessOrder& order, const TurnPlaces& turns);
/// Adds the affine form of the code. The result: where the affine form of each plain instruction is, or of the first
/// after it that is not steady.
FormPlaces emit_affine(Emission& emission);
/// Adds the form for all warps of a block in lockstep, if there is one.
FormPlaces emit_lockstep(Emission& emission, const AccessOrder& order, const FormPlaces& affine_places);
/// Two loads and the fma that multiplies what they loaded become one, in one of the affine forms.
void fuse_affine(Emission& emission, const FormPlaces& places);

/// What debug code has in addition (debug_code.cpp): a stop before each written instruction, or a check; a place for
/// every name.
void push_stop(Emission& emission, const FlowItem& item);
void keep_places(const FlowGraph& graph, RegisterPlaces& places, Code& code);

}  // namespace cudash::virtual_gpu
