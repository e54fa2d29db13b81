// Which registers of a kernel can be kept as arithmetic progressions over the lanes (exec/affine.h), found at decode
// time. The analysis assumes that all lanes of a warp run together; where they do not, the handlers notice.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/affine_form.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/flow_graph.h"

namespace cudash::virtual_gpu {

inline constexpr std::uint32_t affine_slot_bytes = 32;

struct AffineRegisters {
    std::vector<ChooseAffine> rules;  ///< by item; empty: the function has no affine form
    // By register:
    std::vector<Shape> shapes;
    std::vector<bool> mirrored;         ///< somebody reads its lanes: they are written too
    std::vector<bool> local;            ///< every value is read in the basic block that wrote it
    std::vector<std::uint32_t> places;  ///< in the frame (place_affine_registers)
    std::vector<bool> steady;           ///< the same in every block of a launch: computed once (find_steady_registers)
    std::size_t count = 0;              ///< of those that are kept affine
    bool is_affine(std::uint32_t r) const { return shapes[r] == Shape::uniform || shapes[r] == Shape::affine; }
};

/// Fills all but `places` and `steady`.
AffineRegisters find_affine_registers(const FlowGraph& graph);
/// Gives them places behind the others, and tells the code.
std::vector<std::uint32_t> place_affine_registers(const FlowGraph& graph, const AffineRegisters& affine,
                                                  RegisterPlaces& places, Code& code);
/// What a warp computes alike in every block of a launch (steady_registers.cpp).
std::vector<bool> find_steady_registers(const FlowGraph& graph, const AffineRegisters& affine,
                                        const RegisterPlaces& places);

/// An item's affine form, if it has one.
AffineChoice affine_choice(const FlowGraph& graph, const AffineRegisters& affine, std::uint32_t item);
/// The register that the item defines, if it could be affine.
std::uint32_t affine_target(const FlowGraph& graph, const AffineRegisters& affine, std::uint32_t item);
Shape affine_shape(const FlowGraph& graph, const AffineRegisters& affine, const FlowItem& item,
                   const ptx::Operand& operand);
/// The item defines a steady register.
bool is_steady(const FlowGraph& graph, const AffineRegisters& affine, std::uint32_t item);
/// A constant operand: a number, or a variable's address.
std::optional<std::uint64_t> constant_value(const FlowGraph& graph, const FlowItem& item, const ptx::Operand& operand);

}  // namespace cudash::virtual_gpu
