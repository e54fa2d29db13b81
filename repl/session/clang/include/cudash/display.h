// Arrays of a program, shown where it runs: as text in a terminal, as tables and graphics in a notebook. Host code
// only; pointers to host and to device memory are taken alike, and what was launched is waited for.
//
//   cudash::display(d, 64, 64);             // a table
//   cudash::heat_map(d, 64, 64, "after one step");
//   cudash::image(pixels, height, width);   // unsigned char or float: gray; uchar3, uchar4, float3, float4: colors
//   cudash::plot(losses, 100);              // one series; plot(d, 3, 100): three of them, a row each
//   cudash::histogram(d, n);
//
// std::vector, std::array and arrays of C++ say their size themselves: cudash::display(v). Include cuda_fp16.h or
// cuda_bf16.h first to show their types.
//
// nvcc takes this header too. Programs that it builds print the beginning of each array as plain text.
#pragma once

#include <cuda_runtime.h>

#include <cudash/display_array.h>
#include <cstddef>
#include <cstdio>
#include <type_traits>

#ifdef __CUDASH__
extern "C" void cudash_display_array(const struct cudash_array* array);
#endif

namespace cudash {
namespace detail {

template <class T>
constexpr const char* name_of_scalar() {
    return std::is_same<T, float>::value                ? "float"
           : std::is_same<T, double>::value             ? "double"
           : std::is_same<T, bool>::value               ? "bool"
           : std::is_same<T, char>::value               ? "char"
           : std::is_same<T, signed char>::value        ? "signed char"
           : std::is_same<T, unsigned char>::value      ? "unsigned char"
           : std::is_same<T, short>::value              ? "short"
           : std::is_same<T, unsigned short>::value     ? "unsigned short"
           : std::is_same<T, int>::value                ? "int"
           : std::is_same<T, unsigned>::value           ? "unsigned int"
           : std::is_same<T, long>::value               ? "long"
           : std::is_same<T, unsigned long>::value      ? "unsigned long"
           : std::is_same<T, long long>::value          ? "long long"
           : std::is_same<T, unsigned long long>::value ? "unsigned long long"
                                                        : "element";
}

/// "float4".
template <class T>
constexpr const char* name_of_vector(unsigned channels) {
#define CUDASH_NAMES(type, name)      \
    if (std::is_same<T, type>::value) \
        return channels == 1 ? name "1" : channels == 2 ? name "2" : channels == 3 ? name "3" : name "4";
    CUDASH_NAMES(signed char, "char")
    CUDASH_NAMES(unsigned char, "uchar")
    CUDASH_NAMES(short, "short")
    CUDASH_NAMES(unsigned short, "ushort")
    CUDASH_NAMES(int, "int")
    CUDASH_NAMES(unsigned, "uint")
    CUDASH_NAMES(long, "long")
    CUDASH_NAMES(unsigned long, "ulong")
    CUDASH_NAMES(long long, "longlong")
    CUDASH_NAMES(unsigned long long, "ulonglong")
    CUDASH_NAMES(float, "float")
    CUDASH_NAMES(double, "double")
#undef CUDASH_NAMES
    return "vector";
}

template <class T>
constexpr cudash_element scalar(unsigned channels, std::size_t bytes, const char* type) {
    return {std::is_same<T, bool>::value       ? 4u
            : std::is_floating_point<T>::value ? 2u
            : std::is_signed<T>::value         ? 0u
                                               : 1u,
            sizeof(T), channels, bytes, type};
}

// CUDA's vector types: float4, uchar3.
template <class T, class = void>
struct element {
    static_assert(std::is_arithmetic<T>::value, "cudash shows numbers and CUDA's vectors of them");
    static cudash_element of() { return scalar<T>(1, sizeof(T), name_of_scalar<T>()); }
};
template <class T>
struct element<T, decltype(static_cast<void>(T::x))> {
    using part = typename std::remove_cv<decltype(T::x)>::type;
    static cudash_element of() {
        const unsigned channels = sizeof(T) / sizeof(part);
        return scalar<part>(channels, sizeof(T), name_of_vector<part>(channels));
    }
};
#ifdef __CUDA_FP16_TYPES_EXIST__
template <>
struct element<__half> {
    static cudash_element of() { return {2u, 2u, 1u, sizeof(__half), "half"}; }
};
#endif
#ifdef __CUDA_BF16_TYPES_EXIST__
template <>
struct element<__nv_bfloat16> {
    static cudash_element of() { return {3u, 2u, 1u, sizeof(__nv_bfloat16), "bfloat16"}; }
};
#endif

#ifndef __CUDASH__
/// A program of nvcc's: the first elements as text.
inline void print_number(const cudash_element& element, const unsigned char* at) {
    if (element.kind == 2 && element.scalar_bytes == 4)
        std::printf(" %g", *reinterpret_cast<const float*>(at));
    else if (element.kind == 2 && element.scalar_bytes == 8)
        std::printf(" %g", *reinterpret_cast<const double*>(at));
    else if (element.kind == 0 && element.scalar_bytes == 1)
        std::printf(" %d", *reinterpret_cast<const signed char*>(at));
    else if (element.kind == 0 && element.scalar_bytes == 2)
        std::printf(" %d", *reinterpret_cast<const short*>(at));
    else if (element.kind == 0 && element.scalar_bytes == 4)
        std::printf(" %d", *reinterpret_cast<const int*>(at));
    else if (element.kind == 0 && element.scalar_bytes == 8)
        std::printf(" %lld", *reinterpret_cast<const long long*>(at));
    else if (element.scalar_bytes == 1)
        std::printf(" %u", *at);
    else if (element.scalar_bytes == 2)
        std::printf(element.kind == 1 ? " %u" : " 0x%04x", *reinterpret_cast<const unsigned short*>(at));
    else if (element.scalar_bytes == 4)
        std::printf(" %u", *reinterpret_cast<const unsigned*>(at));
    else
        std::printf(" %llu", *reinterpret_cast<const unsigned long long*>(at));
}
inline void cudash_display_array(const cudash_array* array) {
    const std::size_t most = 8;
    std::printf("%s%s%s[%zu][%zu]\n", array->title, array->title[0] ? ": " : "", array->element.type, array->rows,
                array->columns);
    for (std::size_t row = 0; row < array->rows && row < most; ++row) {
        const std::size_t count = array->columns < most ? array->columns : most;
        unsigned char bytes[8 * 64];
        const char* from = static_cast<const char*>(array->data) + row * array->columns * array->element.bytes;
        const bool had_error = cudaPeekAtLastError() != cudaSuccess;
        if (array->element.bytes > 64 ||
            cudaMemcpy(bytes, from, count * array->element.bytes, cudaMemcpyDefault) != cudaSuccess) {
            std::printf("  can't be read\n");
            // The program's next look at errors is for errors of its own.
            if (!had_error) (void)cudaGetLastError();
            return;
        }
        for (std::size_t i = 0; i < count; ++i)
            for (unsigned channel = 0; channel < array->element.channels; ++channel)
                print_number(array->element, bytes + i * array->element.bytes + channel * array->element.scalar_bytes);
        std::printf(array->columns > most ? " ...\n" : "\n");
    }
    if (array->rows > most) std::printf(" ...\n");
}
#endif

template <class T>
void show(const T* data, std::size_t rows, std::size_t columns, int is_plane, const char* form, const char* title) {
    using plain = typename std::remove_cv<T>::type;
    cudaDeviceSynchronize();
    const cudash_array array = {data, element<plain>::of(), rows, columns, is_plane, form, title ? title : ""};
    cudash_display_array(&array);
}

}  // namespace detail

/// A table of rows x columns elements, rows one after the other.
template <class T>
void display(const T* data, std::size_t rows, std::size_t columns, const char* title = "") {
    detail::show(data, rows, columns, 1, "numbers", title);
}
template <class T>
void display(const T* data, std::size_t count, const char* title = "") {
    detail::show(data, 1, count, 0, "numbers", title);
}
template <class T, std::size_t N, typename std::enable_if<!std::is_array<T>::value, int>::type = 0>
void display(const T (&data)[N], const char* title = "") {
    detail::show(&data[0], 1, N, 0, "numbers", title);
}
template <class T, std::size_t N, std::size_t M, typename std::enable_if<!std::is_array<T>::value, int>::type = 0>
void display(const T (&data)[N][M], const char* title = "") {
    detail::show(&data[0][0], N, M, 1, "numbers", title);
}
/// Of std::vector, std::array, std::span: whatever has data() and size().
template <class Container>
auto display(const Container& data, const char* title = "") -> decltype(data.data(), void()) {
    detail::show(data.data(), 1, data.size(), 0, "numbers", title);
}

/// Values as colors.
template <class T>
void heat_map(const T* data, std::size_t rows, std::size_t columns, const char* title = "") {
    detail::show(data, rows, columns, 1, "heat", title);
}

/// Bytes from 0 to 255, other numbers from their least to their largest.
template <class T>
void image(const T* data, std::size_t rows, std::size_t columns, const char* title = "") {
    detail::show(data, rows, columns, 1, "image", title);
}

/// A curve.
template <class T>
void plot(const T* data, std::size_t count, const char* title = "") {
    detail::show(data, 1, count, 0, "plot", title);
}
/// As many curves as there are rows.
template <class T>
void plot(const T* data, std::size_t series, std::size_t count, const char* title = "") {
    detail::show(data, series, count, 1, "plot", title);
}
template <class Container>
auto plot(const Container& data, const char* title = "") -> decltype(data.data(), void()) {
    detail::show(data.data(), 1, data.size(), 0, "plot", title);
}

/// How often values lie where.
template <class T>
void histogram(const T* data, std::size_t count, const char* title = "") {
    detail::show(data, 1, count, 0, "histogram", title);
}
template <class Container>
auto histogram(const Container& data, const char* title = "") -> decltype(data.data(), void()) {
    detail::show(data.data(), 1, data.size(), 0, "histogram", title);
}

}  // namespace cudash
