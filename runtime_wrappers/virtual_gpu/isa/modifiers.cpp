#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

#include <charconv>
#include <unordered_map>

namespace cudash::virtual_gpu {
namespace {

using ptx::Space;
using ptx::Type;

struct TypeRow {
    Type type;
    std::string_view name;
    unsigned bytes;
    bool is_signed, is_float;
};

constexpr TypeRow type_rows[] = {
    {Type::none, "", 0, false, false},
    {Type::pred, "pred", 0, false, false},
    {Type::b8, "b8", 1, false, false},
    {Type::b16, "b16", 2, false, false},
    {Type::b32, "b32", 4, false, false},
    {Type::b64, "b64", 8, false, false},
    {Type::b128, "b128", 16, false, false},
    {Type::u8, "u8", 1, false, false},
    {Type::u16, "u16", 2, false, false},
    {Type::u32, "u32", 4, false, false},
    {Type::u64, "u64", 8, false, false},
    {Type::s8, "s8", 1, true, false},
    {Type::s16, "s16", 2, true, false},
    {Type::s32, "s32", 4, true, false},
    {Type::s64, "s64", 8, true, false},
    {Type::f16, "f16", 2, false, true},
    {Type::f16x2, "f16x2", 4, false, true},
    {Type::bf16, "bf16", 2, false, true},
    {Type::bf16x2, "bf16x2", 4, false, true},
    {Type::tf32, "tf32", 4, false, true},
    {Type::f32, "f32", 4, false, true},
    {Type::f64, "f64", 8, false, true},
    {Type::u16x2, "u16x2", 4, false, false},
    {Type::s16x2, "s16x2", 4, true, false},
    {Type::e4m3, "e4m3", 1, false, true},
    {Type::e5m2, "e5m2", 1, false, true},
    {Type::e4m3x2, "e4m3x2", 2, false, true},
    {Type::e5m2x2, "e5m2x2", 2, false, true},
    {Type::s4, "s4", 1, true, false},
    {Type::u4, "u4", 1, false, false},
    {Type::b1, "b1", 1, false, false},
    {Type::texref, "texref", 0, false, false},
    {Type::samplerref, "samplerref", 0, false, false},
    {Type::surfref, "surfref", 0, false, false},
};
static_assert(
    [] {
        for (std::size_t i = 0; i < std::size(type_rows); ++i)
            if (type_rows[i].type != static_cast<Type>(i)) return false;
        return std::size(type_rows) == static_cast<std::size_t>(Type::surfref) + 1;
    }(),
    "a row for each type, in the order of ptx::Type");

const TypeRow& row(Type type) {
    return type_rows[static_cast<unsigned>(type)];
}

enum class WordMeaning : std::uint8_t { modifier, type, space };
struct Entry {
    WordMeaning meaning;
    std::uint8_t value;
};

const std::unordered_map<std::string_view, Entry>& dictionary() {
    static const auto entries = [] {
        std::unordered_map<std::string_view, Entry> all;
#define PTX_MODIFIER(name, text) all.emplace(text, Entry{WordMeaning::modifier, static_cast<std::uint8_t>(Mod::name)});
#include "runtime_wrappers/virtual_gpu/isa/modifiers.def"
#undef PTX_MODIFIER
        for (const TypeRow& type : type_rows)
            if (!type.name.empty())
                all.emplace(type.name, Entry{WordMeaning::type, static_cast<std::uint8_t>(type.type)});
        auto space = [&](std::string_view text, Space value) {
            all.insert_or_assign(text, Entry{WordMeaning::space, static_cast<std::uint8_t>(value)});
        };
        space("global", Space::global);
        space("shared", Space::shared);
        space("shared::cta", Space::shared);
        space("shared::cluster", Space::shared);
        space("local", Space::local);
        space("const", Space::constant);
        space("param", Space::param);
        space("param::entry", Space::param);
        space("param::func", Space::param);
        return all;
    }();
    return entries;
}

/// "m64n128k16"
bool read_warpgroup_shape(std::string_view text, ParsedModifiers& parsed) {
    constexpr std::string_view rows = "m64n";
    if (!text.starts_with(rows)) return false;
    const char* const end = text.data() + text.size();
    const auto [after, failed] = std::from_chars(text.data() + rows.size(), end, parsed.columns);
    if (failed != std::errc() || after == end || *after != 'k') return false;
    const auto [last, failed_too] = std::from_chars(after + 1, end, parsed.depth);
    if (failed_too != std::errc() || last != end) return false;
    parsed.set.add(Mod::m64);
    return true;
}

}  // namespace

ParsedModifiers parse_modifiers(const std::vector<std::string>& written) {
    ParsedModifiers parsed;
    for (const std::string& text : written) {
        auto found = dictionary().find(text);
        if (found == dictionary().end()) {
            if (read_warpgroup_shape(text, parsed)) continue;
            // Cache hints say nothing about the result: L1::evict_last, L2::128B, L2::evict_first.
            if (!text.starts_with("L1::") && !text.starts_with("L2::")) parsed.unknown.push_back(text);
            continue;
        }
        auto [meaning, value] = found->second;
        if (meaning == WordMeaning::modifier) {
            const auto mod = static_cast<Mod>(value);
            parsed.set.add(mod);
            if (mod == Mod::row || mod == Mod::col) parsed.layouts.push_back(mod);
        }
        if (meaning == WordMeaning::type) parsed.types.push_back(static_cast<Type>(value));
        if (meaning == WordMeaning::space) {
            parsed.spaces.push_back(static_cast<Space>(value));
            if (text == "shared::cluster") parsed.shared_cluster = true;
        }
    }
    return parsed;
}

unsigned type_bytes(Type type) {
    return row(type).bytes;
}
std::string_view type_name(Type type) {
    return row(type).name;
}
bool is_signed(Type type) {
    return row(type).is_signed;
}
bool is_float(Type type) {
    return row(type).is_float;
}

}  // namespace cudash::virtual_gpu
