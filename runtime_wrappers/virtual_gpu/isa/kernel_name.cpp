#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace cudash::virtual_gpu {

std::string demangled(std::string_view mangled) {
    if (!mangled.starts_with("_Z")) return std::string(mangled);
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status), &std::free);
    return name ? std::string(name.get()) : std::string(mangled);
}

std::string readable_kernel(std::string_view mangled) {
    if (!mangled.starts_with("_Z")) return std::string(mangled);
    std::string text = demangled(mangled);
    // "void k<4>(float*, int)" is "k<4>" to its author.
    if (text.starts_with("void ")) text.erase(0, 5);
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += (text[i] == '<') - (text[i] == '>');
        if (text[i] == '(' && depth == 0 && i > 0 && text.compare(i, 10, "(anonymous") != 0) {
            text.erase(i);
            break;
        }
    }
    return text;
}

}  // namespace cudash::virtual_gpu
