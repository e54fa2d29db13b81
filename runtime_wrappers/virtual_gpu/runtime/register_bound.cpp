#include "runtime_wrappers/virtual_gpu/runtime/register_bound.h"

#include <charconv>

namespace cudash::virtual_gpu::runtime {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// 32-bit registers that one of the type takes; predicates live elsewhere.
unsigned width(std::string_view type) {
    if (type == ".pred") return 0;
    if (type.ends_with("128")) return 4;
    return type.ends_with("64") ? 2 : 1;
}

/// ".reg .b32 %r<57>;" declares 57.
unsigned declared(std::string_view line) {
    line = trimmed(line.substr(4));
    const auto space = line.find(' ');
    if (space == std::string_view::npos) return 0;
    const unsigned each = width(line.substr(0, space));
    unsigned count = 1;
    if (const auto open = line.find('<'); open != std::string_view::npos)
        std::from_chars(line.data() + open + 1, line.data() + line.size(), count);
    return each * count;
}

/// "_Z1kPi" of ".visible .entry _Z1kPi("; empty if the line begins no kernel.
std::string_view entry_name(std::string_view line) {
    constexpr std::string_view marker = ".entry ";
    const auto at = line.find(marker);
    if (at == std::string_view::npos || !line.starts_with('.')) return {};
    line = trimmed(line.substr(at + marker.size()));
    return line.substr(0, line.find_first_of("( \t"));
}

}  // namespace

std::map<std::string, unsigned, std::less<>> register_bounds(std::string_view ptx) {
    std::map<std::string, unsigned, std::less<>> bounds;
    unsigned functions = 0;
    unsigned* current = &functions;
    while (!ptx.empty()) {
        const auto end = ptx.find('\n');
        const std::string_view line = trimmed(ptx.substr(0, end));
        ptx.remove_prefix(end == std::string_view::npos ? ptx.size() : end + 1);
        if (const auto name = entry_name(line); !name.empty())
            current = &bounds[std::string(name)];
        else if (line.starts_with('.') && line.find(".func") != std::string_view::npos)
            current = &functions;
        else if (line.starts_with(".reg"))
            *current += declared(line);
    }
    for (auto& [name, bound] : bounds) bound += functions;
    return bounds;
}

}  // namespace cudash::virtual_gpu::runtime
