#include "runtime_wrappers/virtual_gpu/ptx/names.h"

#include <array>
#include <cstddef>

namespace cudash::ptx {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 7> space_names{"", "reg", "param", "local", "shared", "global", "const"};
constexpr std::array<std::string_view, 34> type_names{
    "",     "pred", "b8",     "b16",    "b32",   "b64",  "b128",   "u8",     "u16",        "u32",    "u64",   "s8",
    "s16",  "s32",  "s64",    "f16",    "f16x2", "bf16", "bf16x2", "tf32",   "f32",        "f64",    "u16x2", "s16x2",
    "e4m3", "e5m2", "e4m3x2", "e5m2x2", "s4",    "u4",   "b1",     "texref", "samplerref", "surfref"};
static_assert(space_names.size() == static_cast<std::size_t>(Space::constant) + 1);
static_assert(type_names.size() == static_cast<std::size_t>(Type::surfref) + 1);

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name) {
    for (std::size_t i = 1; i < N; ++i) {
        if (names[i] == name) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

}  // namespace

std::string_view name_of(Space space) {
    return space_names[static_cast<std::size_t>(space)];
}
std::string_view name_of(Type type) {
    return type_names[static_cast<std::size_t>(type)];
}
std::optional<Space> find_space(std::string_view name) {
    return find<Space>(space_names, name);
}
std::optional<Type> find_type(std::string_view name) {
    return find<Type>(type_names, name);
}

}  // namespace cudash::ptx
