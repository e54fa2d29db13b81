// Loops over the lanes of a warp. A handler for a pure function of values is map<function>: it reads and writes 32
// lanes at once where all are active, and keeps the old values of the others where not.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "runtime_wrappers/virtual_gpu/exec/warp.h"
#include "runtime_wrappers/virtual_gpu/isa/lane_operation.h"

#if defined(__clang__)
#define CUDASH_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define CUDASH_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace cudash::virtual_gpu {

/// How a value of T lies in a register: 4 bytes per lane, or 8. Registers of the two sizes never share storage.
using Lane32 = std::uint32_t;
using Lane64 = std::uint64_t;
template <class T>
using Lane = std::conditional_t<sizeof(T) <= 4, Lane32, Lane64>;

template <class T>
inline T from_lane(Lane<T> bits) {
    if constexpr (sizeof(T) >= 4) {
        return std::bit_cast<T>(bits);
    } else {
        return static_cast<T>(bits);
    }
}
template <class T>
inline Lane<T> to_lane(T value) {
    if constexpr (sizeof(T) >= 4) {
        return std::bit_cast<Lane<T>>(value);
    } else {
        return static_cast<std::make_unsigned_t<T>>(value);
    }
}

template <class T>
inline Lane<T>* lanes(Warp& w, std::uint32_t offset) {
    return std::assume_aligned<64>(reinterpret_cast<Lane<T>*>(w.registers + offset));
}
/// A predicate: one bit per lane.
inline Lane32& predicate(Warp& w, std::uint32_t offset) {
    return *reinterpret_cast<Lane32*>(w.registers + offset);
}

inline void set_predicate(Warp& w, std::uint32_t offset, std::uint32_t bits) {
    Lane32& p = predicate(w, offset);
    p = (p & ~w.mask) | (bits & w.mask);
}

/// Goes on at `to` straight from a handler that is never `inner` of another one, without a way through Warp::run().
/// Compilers mostly make a jump of it. Where one makes a call, the stack grows by no more than some hundred handlers:
/// the decoder puts a pause into long code (isa/decode/flatten.cpp), and loops go through Warp::run() now and then.
[[gnu::always_inline]] inline const Instruction* go_on(const Instruction* to, Warp& w) {
    return to->run(to, w);
}
/// Backward branches after which a loop goes through Warp::run().
inline constexpr std::int32_t straight_loops = 8;
/// What a branch to `target` does after it has counted. `backward`: others get a turn when the slice ends.
[[gnu::always_inline]] inline const Instruction* go_to_target(const Instruction* target, Warp& w, bool backward) {
    if (backward) {
        if (--w.slice <= 0) return w.yield(target);
        if (w.slice % straight_loops == 0) return target;
    }
    return go_on(target, w);
}
[[gnu::always_inline]] inline const Instruction* next(const Instruction* i, Warp& w) {
    return go_on(i + 1, w);
}
/// The same for a handler that is `inner` where the instruction has a guard.
[[gnu::always_inline]] inline const Instruction* next_if_plain(const Instruction* i, Warp& w) {
    return i->guard == no_index ? go_on(i + 1, w) : i + 1;
}

template <class Visit>
inline void for_each_lane(std::uint32_t mask, Visit&& visit) {
    for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

/// Bit l of the result is the top bit of words[l].
inline std::uint32_t top_bits(const std::uint32_t* words) {
#if defined(__AVX2__)
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) {
        __m256 eight = _mm256_load_ps(reinterpret_cast<const float*>(words + 8 * i));
        bits |= static_cast<std::uint32_t>(_mm256_movemask_ps(eight)) << (8 * i);
    }
    return bits;
#else
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < warp_size; ++i) bits |= words[i] >> 31 << i;
    return bits;
#endif
}

/// Whether 16 words are first, first + Step, first + 2 * Step, ... or, with `constant`, all the same.
template <std::uint32_t Step>
inline bool is_progression(const Lane64* words, bool constant) {
#if defined(__AVX2__)
    const __m256i steps = constant ? _mm256_setzero_si256() : _mm256_setr_epi64x(0, Step, 2 * Step, 3 * Step);
    const __m256i four = constant ? _mm256_setzero_si256() : _mm256_set1_epi64x(4 * Step);
    __m256i expected = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(words[0])), steps);
    __m256i different = _mm256_setzero_si256();
    for (unsigned i = 0; i < 4; ++i) {
        const __m256i actual = _mm256_load_si256(reinterpret_cast<const __m256i*>(words + 4 * i));
        different = _mm256_or_si256(different, _mm256_xor_si256(actual, expected));
        expected = _mm256_add_epi64(expected, four);
    }
    return _mm256_testz_si256(different, different) != 0;
#else
    Lane64 different = 0;
    for (unsigned l = 0; l < 16; ++l) different |= words[l] ^ (words[0] + (constant ? 0 : l * Step));
    return different == 0;
#endif
}
template <std::uint32_t Step>
inline bool is_progression(const Lane32* words, bool constant) {
#if defined(__AVX2__)
    constexpr int step = static_cast<int>(Step);
    const __m256i steps = constant
                              ? _mm256_setzero_si256()
                              : _mm256_setr_epi32(0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step);
    const __m256i eight = constant ? _mm256_setzero_si256() : _mm256_set1_epi32(8 * step);
    const __m256i low = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(words[0])), steps);
    const __m256i high = _mm256_add_epi32(low, eight);
    const __m256i different =
        _mm256_or_si256(_mm256_xor_si256(low, _mm256_load_si256(reinterpret_cast<const __m256i*>(words))),
                        _mm256_xor_si256(high, _mm256_load_si256(reinterpret_cast<const __m256i*>(words + 8))));
    return _mm256_testz_si256(different, different) != 0;
#else
    Lane32 different = 0;
    for (unsigned l = 0; l < 16; ++l) different |= words[l] ^ (words[0] + (constant ? 0 : l * Step));
    return different == 0;
#endif
}

/// Writes value(l) to the active lanes of d.
template <class T, class Value>
inline void write_lanes(Warp& w, Lane<T>* d, Value&& value) {
    if (w.mask == full_mask) {
        CUDASH_LANE_LOOP
        for (unsigned l = 0; l < warp_size; ++l) d[l] = to_lane<T>(value(l));
    } else {
        const std::uint32_t mask = w.mask;
        CUDASH_LANE_LOOP
        for (unsigned l = 0; l < warp_size; ++l) {
            Lane<T> made = to_lane<T>(value(l));
            d[l] = mask >> l & 1 ? made : d[l];
        }
    }
}

template <auto Function>
struct LaneMap;

template <class R, class... A, R (*Function)(A...)>
struct LaneMap<Function> {
    static const Instruction* run(const Instruction* i, Warp& w) {
        return apply(i, w, std::index_sequence_for<A...>{});
    }

private:
    template <std::size_t... N>
    static const Instruction* apply(const Instruction* i, Warp& w, std::index_sequence<N...>) {
        const std::uint32_t offsets[] = {i->a, i->b, i->c, i->extra};
        std::tuple<const Lane<A>*...> sources{lanes<A>(w, offsets[N])...};
        write_lanes<R>(w, lanes<R>(w, i->d),
                       [&](unsigned l) { return Function(from_lane<A>(std::get<N>(sources)[l])...); });
        return next_if_plain(i, w);
    }
};

template <auto Function>
inline constexpr Chosen map = {&LaneMap<Function>::run, nullptr, &lane_operation<Function>};

/// The same one lane at a time: for forms that are rare and would cost much code as vector loops.
template <auto Function>
struct LaneWalk;

template <class R, class... A, R (*Function)(A...)>
struct LaneWalk<Function> {
    static const Instruction* run(const Instruction* i, Warp& w) {
        return apply(i, w, std::index_sequence_for<A...>{});
    }

private:
    template <std::size_t... N>
    static const Instruction* apply(const Instruction* i, Warp& w, std::index_sequence<N...>) {
        const std::uint32_t offsets[] = {i->a, i->b, i->c, i->extra};
        std::tuple<const Lane<A>*...> sources{lanes<A>(w, offsets[N])...};
        Lane<R>* d = lanes<R>(w, i->d);
        for_each_lane(w.mask,
                      [&](unsigned l) { d[l] = to_lane<R>(Function(from_lane<A>(std::get<N>(sources)[l])...)); });
        return i + 1;
    }
};

template <auto Function>
inline constexpr Chosen walk = {&LaneWalk<Function>::run, nullptr, &lane_operation<Function>};

template <auto Function, bool Common>
constexpr Chosen map_if() {
    if constexpr (Common) {
        return map<Function>;
    } else {
        return walk<Function>;
    }
}

/// The mask of lanes for which Function(a, b) is true; lanes that are not active give anything.
template <class T, bool (*Function)(T, T)>
[[gnu::noinline]] std::uint32_t compare_lanes(const Lane<T>* a, const Lane<T>* b) {
    alignas(64) std::uint32_t words[warp_size];
    if constexpr (sizeof(T) == 8) {
        // Narrowing first keeps this one vector loop.
        CUDASH_LANE_LOOP
        for (unsigned l = 0; l < warp_size; ++l)
            words[l] =
                static_cast<std::uint32_t>(Function(from_lane<T>(a[l]), from_lane<T>(b[l])) ? ~std::uint64_t{0} : 0);
    } else {
        CUDASH_LANE_LOOP
        for (unsigned l = 0; l < warp_size; ++l) words[l] = Function(from_lane<T>(a[l]), from_lane<T>(b[l])) ? ~0u : 0;
    }
    return top_bits(words);
}

}  // namespace cudash::virtual_gpu
