#include "repl/session/device/host_macros.h"

#include <string>

namespace cudash::session {
namespace {

struct Macro {
    std::string_view name, value;
    std::string_view parameters = {};
};

// Of a 64-bit Linux host, whose types device code shares.
constexpr Macro macros[] = {
    // <limits.h>
    {"CHAR_BIT", "8"},
    {"SCHAR_MIN", "(-128)"},
    {"SCHAR_MAX", "127"},
    {"UCHAR_MAX", "255"},
    {"CHAR_MIN", "(-128)"},
    {"CHAR_MAX", "127"},
    {"SHRT_MIN", "(-32768)"},
    {"SHRT_MAX", "32767"},
    {"USHRT_MAX", "65535"},
    {"INT_MIN", "(-2147483647 - 1)"},
    {"INT_MAX", "2147483647"},
    {"UINT_MAX", "4294967295U"},
    {"LONG_MIN", "(-9223372036854775807L - 1L)"},
    {"LONG_MAX", "9223372036854775807L"},
    {"ULONG_MAX", "18446744073709551615UL"},
    {"LLONG_MIN", "(-9223372036854775807LL - 1LL)"},
    {"LLONG_MAX", "9223372036854775807LL"},
    {"ULLONG_MAX", "18446744073709551615ULL"},
    // <stdint.h>
    {"INT8_MIN", "(-128)"},
    {"INT8_MAX", "127"},
    {"UINT8_MAX", "255"},
    {"INT16_MIN", "(-32768)"},
    {"INT16_MAX", "32767"},
    {"UINT16_MAX", "65535"},
    {"INT32_MIN", "(-2147483647 - 1)"},
    {"INT32_MAX", "2147483647"},
    {"UINT32_MAX", "4294967295U"},
    {"INT64_MIN", "(-9223372036854775807L - 1L)"},
    {"INT64_MAX", "9223372036854775807L"},
    {"UINT64_MAX", "18446744073709551615UL"},
    {"INTPTR_MIN", "(-9223372036854775807L - 1L)"},
    {"INTPTR_MAX", "9223372036854775807L"},
    {"UINTPTR_MAX", "18446744073709551615UL"},
    {"INTMAX_MIN", "(-9223372036854775807L - 1L)"},
    {"INTMAX_MAX", "9223372036854775807L"},
    {"UINTMAX_MAX", "18446744073709551615UL"},
    {"PTRDIFF_MIN", "(-9223372036854775807L - 1L)"},
    {"PTRDIFF_MAX", "9223372036854775807L"},
    {"SIZE_MAX", "18446744073709551615UL"},
    {"INT64_C", "c##L", "(c)"},
    {"UINT32_C", "c##U", "(c)"},
    {"UINT64_C", "c##UL", "(c)"},
    // <float.h>
    {"FLT_RADIX", "2"},
    {"FLT_DIG", "6"},
    {"DBL_DIG", "15"},
    {"FLT_MANT_DIG", "24"},
    {"DBL_MANT_DIG", "53"},
    {"FLT_DECIMAL_DIG", "9"},
    {"DBL_DECIMAL_DIG", "17"},
    {"FLT_MIN_EXP", "(-125)"},
    {"FLT_MAX_EXP", "128"},
    {"FLT_MIN_10_EXP", "(-37)"},
    {"FLT_MAX_10_EXP", "38"},
    {"DBL_MIN_EXP", "(-1021)"},
    {"DBL_MAX_EXP", "1024"},
    {"DBL_MIN_10_EXP", "(-307)"},
    {"DBL_MAX_10_EXP", "308"},
    {"FLT_MAX", "3.402823466e+38F"},
    {"FLT_MIN", "1.175494351e-38F"},
    {"FLT_EPSILON", "1.192092896e-07F"},
    {"FLT_TRUE_MIN", "1.401298464e-45F"},
    {"DBL_MAX", "1.7976931348623157e+308"},
    {"DBL_MIN", "2.2250738585072014e-308"},
    {"DBL_EPSILON", "2.2204460492503131e-16"},
    {"DBL_TRUE_MIN", "4.9406564584124654e-324"},
    // <stdlib.h>
    {"RAND_MAX", "2147483647"},
    {"EXIT_SUCCESS", "0"},
    {"EXIT_FAILURE", "1"},
    // <math.h>
    {"M_E", "2.71828182845904523536"},
    {"M_LOG2E", "1.44269504088896340736"},
    {"M_LOG10E", "0.43429448190325182765"},
    {"M_LN2", "0.69314718055994530942"},
    {"M_LN10", "2.30258509299404568402"},
    {"M_PI", "3.14159265358979323846"},
    {"M_PI_2", "1.57079632679489661923"},
    {"M_PI_4", "0.78539816339744830962"},
    {"M_1_PI", "0.31830988618379067154"},
    {"M_2_PI", "0.63661977236758134308"},
    {"M_2_SQRTPI", "1.12837916709551257390"},
    {"M_SQRT2", "1.41421356237309504880"},
    {"M_SQRT1_2", "0.70710678118654752440"},
    {"INFINITY", "__builtin_bit_cast(float, 0x7f800000)"},
    {"NAN", "__builtin_bit_cast(float, 0x7fc00000)"},
    {"HUGE_VALF", "__builtin_bit_cast(float, 0x7f800000)"},
    {"HUGE_VAL", "__builtin_bit_cast(double, 0x7ff0000000000000)"},
    {"FP_NAN", "0"},
    {"FP_INFINITE", "1"},
    {"FP_ZERO", "2"},
    {"FP_SUBNORMAL", "3"},
    {"FP_NORMAL", "4"},
};

std::string define_all() {
    // libcu++ defines some of them anew, by other words for the same values.
    std::string text = "#pragma nv_diag_suppress 47\n";
    for (const Macro& macro : macros) {
        text.append("#ifndef ").append(macro.name).append("\n#define ").append(macro.name);
        text.append(macro.parameters).append(" ").append(macro.value).append("\n#endif\n");
    }
    return text;
}

}  // namespace

std::string_view host_macros() {
    static const std::string text = define_all();
    return text;
}

}  // namespace cudash::session
