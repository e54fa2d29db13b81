// The elements of a warp's matrix fragments, register by register: where each belongs is looked up in a table.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/warp.h"
#include "runtime_wrappers/virtual_gpu/isa/matrix_work.h"

namespace cudash::virtual_gpu {

/// Elements of the largest operand of an instruction for one warp.
constexpr unsigned largest_matrix = 16 * 256;

/// Of a fragment's elements by slot, and in a slot by lane: row and column, and the number in a matrix stored by rows.
struct ElementPlaces {
    using Lanes = std::array<std::int32_t, warp_size>;
    std::vector<Lanes> row, column, index;  ///< by slot
    /// By number of an element, where it is: 32 times the slot, plus the lane. Empty where lanes share matrices of
    /// less.
    std::vector<std::int32_t> source;
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

/// The elements by number, as `decode` makes them of their bits.
template <unsigned Bits, class Number, class Decode>
void decode_elements(const FragmentRegisters& fragment, Number* to, Decode decode) {
    constexpr unsigned in_register = Bits < 32 ? 32 / Bits : 1;
    using Word = std::conditional_t<Bits == 64, std::uint64_t, std::uint32_t>;
    alignas(64) std::array<Number, largest_matrix> by_slot;
    const auto slots = static_cast<unsigned>(fragment.places.index.size());
    for (unsigned s = 0; s < slots; ++s) {
        const Word* words = lanes<Word>(fragment.warp, fragment.list[s / in_register]);
        Number* const numbers = &by_slot[s * warp_size];
        for (unsigned l = 0; l < warp_size; ++l)
            numbers[l] = decode(static_cast<Word>(words[l] >> (s % in_register * Bits)));
    }
    const std::int32_t* const source = fragment.places.source.data();
    const std::size_t count = fragment.places.source.size();
    for (std::size_t i = 0; i < count; ++i) to[i] = by_slot[source[i]];
}

/// Writes numbers of 32 or 64 bits, each to where the element of its number belongs.
template <class Number>
void encode_elements(const FragmentRegisters& fragment, const Number* from) {
    const auto slots = static_cast<unsigned>(fragment.places.index.size());
    for (unsigned s = 0; s < slots; ++s) {
        const ElementPlaces::Lanes& at = fragment.places.index[s];
        Number* const to = lanes<Number>(fragment.warp, fragment.list[s]);
        for (unsigned l = 0; l < warp_size; ++l) to[l] = from[at[l]];
    }
}

/// The same of elements of 16 bits.
inline void encode_halves(const FragmentRegisters& fragment, const std::uint32_t* from) {
    const auto slots = static_cast<unsigned>(fragment.places.index.size());
    for (unsigned s = 0; s < slots; s += 2) {
        const ElementPlaces::Lanes &lower = fragment.places.index[s], &upper = fragment.places.index[s + 1];
        std::uint32_t* const to = lanes<std::uint32_t>(fragment.warp, fragment.list[s / 2]);
        for (unsigned l = 0; l < warp_size; ++l) to[l] = from[lower[l]] | from[upper[l]] << 16;
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
