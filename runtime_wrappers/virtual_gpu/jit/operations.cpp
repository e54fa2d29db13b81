#include "runtime_wrappers/virtual_gpu/jit/operations.h"

#include <unordered_map>

#include "runtime_wrappers/virtual_gpu/isa/approx.h"
#include "runtime_wrappers/virtual_gpu/isa/lane_operation.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics.h"

// The file that clang made, as it is (CUDASH_OPERATION_BITCODE names it).
asm(".section .rodata\n"
    ".balign 16\n"
    "cudash_operation_bitcode_begin: .incbin \"" CUDASH_OPERATION_BITCODE
    "\"\n"
    "cudash_operation_bitcode_end: .byte 0\n"
    ".previous\n");
extern "C" const char cudash_operation_bitcode_begin[];
extern "C" const char cudash_operation_bitcode_end[];

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;

struct Row {
    std::string_view function;
    int line;
};

constexpr Row rows[] = {
#define CUDASH_OPERATION(...) {lane_operation<&__VA_ARGS__>.function, __LINE__},
#include "runtime_wrappers/virtual_gpu/jit/operations.def"
#undef CUDASH_OPERATION
};

}  // namespace

std::string operation_symbol(std::string_view function) {
    static const auto lines = [] {
        std::unordered_map<std::string_view, int> made;
        for (const Row& row : rows) made.emplace(row.function, row.line);
        return made;
    }();
    const auto found = lines.find(function);
    return found == lines.end() ? std::string() : "cudash_operation_" + std::to_string(found->second);
}

std::string_view operation_bitcode() {
    return {cudash_operation_bitcode_begin,
            static_cast<std::size_t>(cudash_operation_bitcode_end - cudash_operation_bitcode_begin)};
}

}  // namespace cudash::virtual_gpu
