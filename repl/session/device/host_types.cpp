#include "repl/session/device/host_types.h"

#include <array>
#include <string>

namespace cudash::session {
namespace {

struct Type {
    std::string_view name, meaning;
    bool standard = true;  ///< also in std

    /// <cuda_pipeline.h> declares it by itself for NVRTC, as unsigned long long.
    bool is_of_pipelines() const { return name == "uint64_t" || name == "uintptr_t"; }
    std::string guarded(std::string line) const {
        return is_of_pipelines() ? "#ifndef CUDASH_PIPELINE_TYPES\n" + line + "#endif\n" : line;
    }
};

// Of a 64-bit Linux host.
constexpr std::array types = {
    Type{"int8_t", "signed char"},
    Type{"int16_t", "short"},
    Type{"int32_t", "int"},
    Type{"int64_t", "long"},
    Type{"uint8_t", "unsigned char"},
    Type{"uint16_t", "unsigned short"},
    Type{"uint32_t", "unsigned int"},
    Type{"uint64_t", "unsigned long"},
    Type{"int_least8_t", "signed char"},
    Type{"int_least16_t", "short"},
    Type{"int_least32_t", "int"},
    Type{"int_least64_t", "long"},
    Type{"uint_least8_t", "unsigned char"},
    Type{"uint_least16_t", "unsigned short"},
    Type{"uint_least32_t", "unsigned int"},
    Type{"uint_least64_t", "unsigned long"},
    Type{"int_fast8_t", "signed char"},
    Type{"int_fast16_t", "long"},
    Type{"int_fast32_t", "long"},
    Type{"int_fast64_t", "long"},
    Type{"uint_fast8_t", "unsigned char"},
    Type{"uint_fast16_t", "unsigned long"},
    Type{"uint_fast32_t", "unsigned long"},
    Type{"uint_fast64_t", "unsigned long"},
    Type{"intptr_t", "long"},
    Type{"uintptr_t", "unsigned long"},
    Type{"intmax_t", "long"},
    Type{"uintmax_t", "unsigned long"},
    Type{"uint", "unsigned int", false},
    Type{"ushort", "unsigned short", false},
    Type{"ulong", "unsigned long", false},
    Type{"ssize_t", "long", false},
};

std::string using_declarations() {
    std::string text;
    for (const Type& type : types)
        if (type.standard) text += type.guarded("using ::" + std::string(type.name) + ";\n");
    return text;
}

}  // namespace

std::string_view host_types() {
    static const std::string text = [] {
        std::string lines;
        for (const Type& type : types)
            lines += type.guarded("typedef " + std::string(type.meaning) + " " + std::string(type.name) + ";\n");
        return lines + "namespace std {\nusing ::size_t;\nusing ::ptrdiff_t;\n" + using_declarations() + "}\n";
    }();
    return text;
}

std::string_view cstdint_twin() {
    static const std::string text =
        "#ifndef _CUDA_STD_CSTDINT\n#define _CUDA_STD_CSTDINT\n#include <cuda/std/detail/__config>\n"
        "#include <cuda/std/climits>\n#include <cuda/std/version>\n_LIBCUDACXX_BEGIN_NAMESPACE_STD\n" +
        using_declarations() +
        "#if _CCCL_HAS_INT128()\nusing __cccl_intmax_t = __int128_t;\nusing __cccl_uintmax_t = __uint128_t;\n"
        "#else\nusing __cccl_intmax_t = long long;\nusing __cccl_uintmax_t = unsigned long long;\n#endif\n"
        "_LIBCUDACXX_END_NAMESPACE_STD\n#endif\n";
    return text;
}

}  // namespace cudash::session
