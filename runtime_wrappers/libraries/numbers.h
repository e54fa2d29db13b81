// Elements of matrices by the type that a layout names: all are computed with as float, double or their complex
// numbers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <library_types.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/isa/semantics_half.h"

namespace cudash::libraries {

/// A number of the device as one of the host.
template <class T>
T widened(T value) {
    return value;
}
inline float widened(__half value) {
    return virtual_gpu::semantics::read_half<virtual_gpu::semantics::format_f16, false>(
        std::bit_cast<std::uint16_t>(value));
}
inline float widened(__nv_bfloat16 value) {
    return std::bit_cast<float>(std::uint32_t{std::bit_cast<std::uint16_t>(value)} << 16);
}
template <class T>
void narrow(T value, T& to) {
    to = value;
}
inline void narrow(float value, __half& to) {
    to = std::bit_cast<__half>(virtual_gpu::semantics::write_half<virtual_gpu::semantics::format_f16, false,
                                                                  virtual_gpu::semantics::Clamp::none>(value));
}

inline void narrow(float value, __nv_bfloat16& to) {
    to = std::bit_cast<__nv_bfloat16>(virtual_gpu::semantics::write_half<virtual_gpu::semantics::format_bf16, false,
                                                                         virtual_gpu::semantics::Clamp::none>(value));
}
inline void narrow(double value, std::int32_t& to) {
    to = static_cast<std::int32_t>(static_cast<std::int64_t>(value));  // sums of integers wrap around
}

template <class T>
constexpr bool is_complex_number = false;
template <class T>
constexpr bool is_complex_number<std::complex<T>> = true;

/// Bytes of an element; 0: no type that is computed with here.
inline std::int64_t size_of_type(std::int32_t type) {
    switch (type) {
        case CUDA_R_8I:
        case CUDA_R_8F_E4M3:
        case CUDA_R_8F_E5M2:
            return 1;
        case CUDA_R_16F:
        case CUDA_R_16BF:
            return 2;
        case CUDA_R_32F:
        case CUDA_R_32I:
            return 4;
        case CUDA_R_64F:
        case CUDA_C_32F:
            return 8;
        case CUDA_C_64F:
            return 16;
        default:
            return 0;
    }
}
inline bool is_eight_bit_float(std::int32_t type) {
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

/// Calls `use` with a pointer of the type's elements.
template <class Byte, class Use>
void with_elements(std::int32_t type, Byte* bytes, Use use) {
    const auto as = [&]<class T>(T*) {
        using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
        use(reinterpret_cast<Element*>(bytes));
    };
    switch (type) {
        case CUDA_R_8I:
            return as(static_cast<std::int8_t*>(nullptr));
        case CUDA_R_8F_E4M3:
            return as(static_cast<__nv_fp8_e4m3*>(nullptr));
        case CUDA_R_8F_E5M2:
            return as(static_cast<__nv_fp8_e5m2*>(nullptr));
        case CUDA_R_16F:
            return as(static_cast<__half*>(nullptr));
        case CUDA_R_16BF:
            return as(static_cast<__nv_bfloat16*>(nullptr));
        case CUDA_R_32F:
            return as(static_cast<float*>(nullptr));
        case CUDA_R_32I:
            return as(static_cast<std::int32_t*>(nullptr));
        case CUDA_R_64F:
            return as(static_cast<double*>(nullptr));
        case CUDA_C_32F:
            return as(static_cast<std::complex<float>*>(nullptr));
        case CUDA_C_64F:
            return as(static_cast<std::complex<double>*>(nullptr));
        default:
            return;
    }
}

/// Elements of 8 bits are those of half with fewer bits.
inline float read_eight_bits(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t kind) {
    const __half_raw half = __nv_cvt_fp8_to_halfraw(bits, kind);
    return widened(std::bit_cast<__half>(half.x));
}
template <class Wide, class T>
Wide read_number(const T& value) {
    if constexpr (std::is_same_v<T, __nv_fp8_e4m3>)
        return static_cast<Wide>(read_eight_bits(value.__x, __NV_E4M3));
    else if constexpr (std::is_same_v<T, __nv_fp8_e5m2>)
        return static_cast<Wide>(read_eight_bits(value.__x, __NV_E5M2));
    else if constexpr (is_complex_number<T> && !is_complex_number<Wide>)
        return static_cast<Wide>(value.real());
    else
        return Wide(widened(value));
}
/// Rounded once; integers and floats of 8 bits saturate.
template <class Wide, class T>
void write_number(Wide value, T& to) {
    if constexpr (is_complex_number<Wide> && !is_complex_number<T>)
        write_number(value.real(), to);
    else if constexpr (is_complex_number<T>)
        to = T(value);
    else if constexpr (std::is_same_v<T, __nv_fp8_e4m3>)
        to.__x = __nv_cvt_float_to_fp8(static_cast<float>(value), __NV_SATFINITE, __NV_E4M3);
    else if constexpr (std::is_same_v<T, __nv_fp8_e5m2>)
        to.__x = __nv_cvt_float_to_fp8(static_cast<float>(value), __NV_SATFINITE, __NV_E5M2);
    else if constexpr (std::is_same_v<T, std::int8_t>)
        to = static_cast<std::int8_t>(std::clamp(std::nearbyint(static_cast<double>(value)), -128.0, 127.0));
    else if constexpr (std::is_same_v<T, std::int32_t>)
        narrow(static_cast<double>(value), to);
    else if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>)
        narrow(static_cast<float>(value), to);
    else
        to = static_cast<T>(value);
}

/// A single one, as alpha and beta are given.
template <class Wide>
Wide read_number(std::int32_t type, const void* from) {
    Wide value{};
    with_elements(type, static_cast<const std::byte*>(from),
                  [&](const auto* elements) { value = read_number<Wide>(*elements); });
    return value;
}

}  // namespace cudash::libraries
