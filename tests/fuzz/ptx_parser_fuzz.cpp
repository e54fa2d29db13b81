// Any text must parse or give a diagnostic; what parses must print as text that parses to the same print.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/ptx/parser.h"
#include "runtime_wrappers/virtual_gpu/ptx/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto module = cudash::ptx::parse(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!module) return 0;
    const std::string text = cudash::ptx::print(*module);
    const auto again = cudash::ptx::parse(text);
    if (!again || cudash::ptx::print(*again) != text) std::abort();
    return 0;
}
