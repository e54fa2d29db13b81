// What atomics and reductions make of a value in memory.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/isa/semantics.h"

namespace cudash::virtual_gpu::updates {

using namespace semantics;

template <class T>
T take_new(T, T value) {
    return value;
}
/// atom.inc: ((old >= b) ? 0 : old + 1); atom.dec: ((old == 0 || old > b) ? b : old - 1).
inline std::uint32_t wrap_up(std::uint32_t old, std::uint32_t bound) {
    return old >= bound ? 0 : old + 1;
}
inline std::uint32_t wrap_down(std::uint32_t old, std::uint32_t bound) {
    return old == 0 || old > bound ? bound : old - 1;
}

// "atom.add.f32 on global memory flushes subnormal inputs and results to sign-preserving zero; on shared memory it
// does not" (PTX ISA, "atom"); so do host and managed memory on an H200. Vectors of .f32 are added alike.
inline float add_single(float old, float value) {
    return add_f32<Rounding::rn>(old, value);
}
inline float add_single_in_cache(float old, float value) {
    return add_f32<Rounding::rn, true>(old, value);
}
inline double add_double(double old, double value) {
    return add_f64<Rounding::rn>(old, value);
}
/// On global memory the L2 cache adds: there a NaN comes out as it went in, a signalling one too (measured on an H200).
inline double add_double_in_cache(double old, double value) {
    const double nan = value != value ? value : old;
    return nan != nan ? nan : old + value != old + value ? nan_f64 : old + value;
}
template <Format F>
std::uint16_t add_16(std::uint16_t old, std::uint16_t value) {
    return add_half<F>(old, value);
}
template <Format F, std::uint16_t (*Function)(std::uint16_t, std::uint16_t)>
std::uint32_t both_halves(std::uint32_t old, std::uint32_t value) {
    return each_half<std::uint16_t>([](std::uint16_t a, std::uint16_t b) { return Function(a, b); }, old, value);
}
template <Format F>
std::uint16_t min_16(std::uint16_t old, std::uint16_t value) {
    return min_half<F>(old, value);
}
template <Format F>
std::uint16_t max_16(std::uint16_t old, std::uint16_t value) {
    return max_half<F>(old, value);
}

/// Replaces *memory by Function(*memory, value), in one step where other host threads reach it.
template <class T, T (*Function)(T, T), bool Alone>
T update(std::byte* memory, T value, bool& changed) {
    if constexpr (Alone) {
        T old;
        std::memcpy(&old, memory, sizeof old);
        const T made = Function(old, value);
        changed |= std::memcmp(&made, &old, sizeof old) != 0;
        std::memcpy(memory, &made, sizeof made);
        return old;
    }
    using Bits = std::make_unsigned_t<typename IntegerOfSize<sizeof(T)>::Signed>;
    std::atomic_ref<Bits> cell(*reinterpret_cast<Bits*>(memory));
    Bits old = cell.load(std::memory_order_relaxed);
    for (;;) {
        const Bits made = std::bit_cast<Bits>(Function(std::bit_cast<T>(old), value));
        changed |= made != old;
        if (made == old || cell.compare_exchange_weak(old, made, std::memory_order_seq_cst))
            return std::bit_cast<T>(old);
    }
}

}  // namespace cudash::virtual_gpu::updates
