// The elements of a warp's matrix fragments, register by register: where each belongs is looked up in a table.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/warp.h"
#include "runtime_wrappers/virtual_gpu/isa/matrix_work.h"

namespace cudash::virtual_gpu {

/// Of a fragment's elements by slot, and in a slot by lane: row and column, and the number in a matrix stored by rows.
struct ElementPlaces {
    using Lanes = std::array<std::uint16_t, warp_size>;
    std::vector<Lanes> row, column, index;  ///< by slot
};

/// The number of a shape's places; there are some dozens of shapes, whose places are found once in a process.
/// no_index: too many shapes.
std::uint32_t number_of_places(const FragmentShape& shape);
const ElementPlaces& places_of(std::uint32_t number);

/// Registers of a fragment, with its places.
struct FragmentRegisters {
    Warp& warp;
    const std::uint32_t* list;
    const FragmentShape& shape;
    const ElementPlaces& places;
};

/// Calls `take(places, bits)` for each slot: of 32 lanes, where the elements belong and their bits, of which those
/// above an element's may be anything.
template <unsigned Bits, class Take>
void take_elements(const FragmentRegisters& fragment, Take take) {
    constexpr unsigned in_register = Bits < 32 ? 32 / Bits : 1;
    const auto slots = static_cast<unsigned>(fragment.places.index.size());
    for (unsigned s = 0; s < slots; ++s) {
        const ElementPlaces::Lanes& at = fragment.places.index[s];
        if constexpr (Bits == 64) {
            take(at, lanes<std::uint64_t>(fragment.warp, fragment.list[s]));
        } else {
            const std::uint32_t* words = lanes<std::uint32_t>(fragment.warp, fragment.list[s / in_register]);
            const unsigned shift = s % in_register * Bits;
            alignas(64) std::array<std::uint32_t, warp_size> bits;
            for (unsigned l = 0; l < warp_size; ++l) bits[l] = words[l] >> shift;
            take(at, bits.data());
        }
    }
}

/// Writes `bits_of(place)` to each element's bits.
template <class BitsOf>
void give_elements(const FragmentRegisters& fragment, std::uint32_t holders, BitsOf bits_of) {
    const unsigned width = fragment.shape.element_bits(), in_register = fragment.shape.per_register();
    const auto slots = static_cast<unsigned>(fragment.places.index.size());
    for (unsigned s = 0; s < slots; ++s) {
        const ElementPlaces::Lanes& at = fragment.places.index[s];
        if (width == 64) {
            std::uint64_t* to = lanes<std::uint64_t>(fragment.warp, fragment.list[s]);
            for_each_lane(holders, [&](unsigned l) { to[l] = bits_of(at[l]); });
            continue;
        }
        std::uint32_t* to = lanes<std::uint32_t>(fragment.warp, fragment.list[s / in_register]);
        const unsigned shift = s % in_register * width;
        const std::uint32_t mask = (width == 32 ? ~0u : (1u << width) - 1) << shift;
        for_each_lane(holders, [&](unsigned l) {
            to[l] = (to[l] & ~mask) | (static_cast<std::uint32_t>(bits_of(at[l])) << shift & mask);
        });
    }
}

}  // namespace cudash::virtual_gpu
