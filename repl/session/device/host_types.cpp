#include "repl/session/device/host_types.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <fstream>
#include <iterator>

#include "runtime_wrappers/nvrtc/compiler.h"

namespace cudash::session {
namespace {

struct Type {
    std::string_view name, meaning;
    bool standard = true;  ///< also in std
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
        if (type.standard) text += fmt::format("using ::{};\n", type.name);
    return text;
}

// They declare uint64_t and uintptr_t for NVRTC, and name barriers by them throughout.
constexpr std::array<std::string_view, 6> headers_with_own_types = {
    "cuda_pipeline.h",  "cuda_pipeline_primitives.h",  "cuda_pipeline_helpers.h",
    "cuda_awbarrier.h", "cuda_awbarrier_primitives.h", "cuda_awbarrier_helpers.h",
};

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The two types under names of their own.
std::string with_own_types(std::string text) {
    const auto in_word = [&](std::size_t at) {
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
    };
    constexpr std::string_view mark = "cudash_own_";
    for (const std::string_view type : {"uint64_t", "uintptr_t"})
        for (std::size_t at = 0; (at = text.find(type, at)) != std::string::npos; at += type.size()) {
            if (in_word(at - 1) || in_word(at + type.size())) continue;
            text.insert(at, mark);
            at += mark.size();
        }
    return text;
}

/// What stands in for libcu++'s own <cuda/std/cstdint>.
std::string cstdint_twin() {
    return "#ifndef _CUDA_STD_CSTDINT\n#define _CUDA_STD_CSTDINT\n#include <cuda/std/detail/__config>\n"
           "#include <cuda/std/climits>\n#include <cuda/std/version>\n_LIBCUDACXX_BEGIN_NAMESPACE_STD\n" +
           using_declarations() +
           "#if _CCCL_HAS_INT128()\nusing __cccl_intmax_t = __int128_t;\nusing __cccl_uintmax_t = __uint128_t;\n"
           "#else\nusing __cccl_intmax_t = long long;\nusing __cccl_uintmax_t = unsigned long long;\n#endif\n"
           "_LIBCUDACXX_END_NAMESPACE_STD\n#endif\n";
}

}  // namespace

std::string_view host_types() {
    static const std::string text = [] {
        std::string lines;
        for (const Type& type : types) lines += fmt::format("typedef {} {};\n", type.meaning, type.name);
        return lines + "namespace std {\nusing ::size_t;\nusing ::ptrdiff_t;\n" + using_declarations() + "}\n";
    }();
    return text;
}

const std::vector<std::pair<std::string, std::string>>& host_type_twins() {
    static const auto twins = [] {
        std::vector<std::pair<std::string, std::string>> found{{"cuda/std/cstdint", cstdint_twin()}};
        // CUDA 13.0 has all of this header under another name.
        if (!std::ifstream(nvrtc::toolkit_include() + "/cccl/cuda/std/algorithm"))
            found.emplace_back("cuda/std/algorithm", "#include <cuda/std/__algorithm_>\n");
        for (const std::string_view name : headers_with_own_types) {
            const std::string path = fmt::format("{}/{}", nvrtc::toolkit_include(), name);
            if (std::string text = with_own_types(read_file(path)); !text.empty())
                found.emplace_back(name, fmt::format("#line 1 \"{}\"\n{}", path, text));
        }
        return found;
    }();
    return twins;
}

}  // namespace cudash::session
