#include "repl/session/debug/type_table.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace cudash::session::debug {

TypeTable::TypeTable(std::vector<DebugType> types) : types_(std::move(types)) {
    using Kind = DebugType::Kind;
    const auto number = [&](Scalar::Kind kind, unsigned bytes, Kind of, const char* name) {
        numbers_[{kind, bytes}] = add({of, name, bytes, no_type, 0, {}, {}});
    };
    number(Scalar::Kind::boolean, 1, Kind::boolean, "bool");
    number(Scalar::Kind::signed_integer, 1, Kind::signed_integer, "signed char");
    number(Scalar::Kind::signed_integer, 2, Kind::signed_integer, "short");
    number(Scalar::Kind::signed_integer, 4, Kind::signed_integer, "int");
    number(Scalar::Kind::signed_integer, 8, Kind::signed_integer, "long");
    number(Scalar::Kind::unsigned_integer, 1, Kind::unsigned_integer, "unsigned char");
    number(Scalar::Kind::unsigned_integer, 2, Kind::unsigned_integer, "unsigned short");
    number(Scalar::Kind::unsigned_integer, 4, Kind::unsigned_integer, "unsigned int");
    number(Scalar::Kind::unsigned_integer, 8, Kind::unsigned_integer, "unsigned long");
    number(Scalar::Kind::single, 4, Kind::floating, "float");
    number(Scalar::Kind::real, 8, Kind::floating, "double");
    const TypeId word = numbers_[{Scalar::Kind::unsigned_integer, 4}];
    three_ = add({Kind::record, "uint3", 12, no_type, 0, {{"x", word, 0}, {"y", word, 4}, {"z", word, 8}}, {}});
}

TypeId TypeTable::add(DebugType type) {
    types_.push_back(std::move(type));
    return static_cast<TypeId>(types_.size()) - 1;
}

std::string TypeTable::name(TypeId id) const {
    const DebugType& type = types_[id];
    switch (type.kind) {
        case DebugType::Kind::pointer:
            return name(type.target) + (name(type.target).ends_with('*') ? "*" : " *");
        case DebugType::Kind::reference:
            return name(type.target) + " &";
        case DebugType::Kind::array: {
            // The outermost dimension comes first.
            std::string counts = fmt::format("[{}]", type.count);
            TypeId element = type.target;
            for (; types_[element].kind == DebugType::Kind::array; element = types_[element].target)
                counts += fmt::format("[{}]", types_[element].count);
            return name(element) + " " + counts;
        }
        case DebugType::Kind::none:
            return type.name.empty() ? "void" : type.name;
        default:
            return type.name.empty() ? "(unnamed)" : type.name;
    }
}

TypeId TypeTable::pointer_to(TypeId target) {
    const auto [known, is_new] = pointers_.try_emplace(target, no_type);
    if (is_new) known->second = add({DebugType::Kind::pointer, "", 8, target, 0, {}, {}});
    return known->second;
}

TypeId TypeTable::of(const Scalar& value) const {
    const auto found = numbers_.find({value.kind, value.bytes});
    return found == numbers_.end() ? no_type : found->second;
}

std::optional<TypeId> TypeTable::find(std::string_view name) const {
    // The unit's own types come first.
    for (TypeId id = 1; id < types_.size(); ++id) {
        const DebugType& type = types_[id];
        if (type.name == name && type.kind != DebugType::Kind::pointer && type.kind != DebugType::Kind::array)
            return id;
    }
    static const std::map<std::string_view, std::string_view> others = {{"unsigned", "unsigned int"},
                                                                        {"char", "signed char"},
                                                                        {"long long", "long"},
                                                                        {"unsigned long long", "unsigned long"},
                                                                        {"size_t", "unsigned long"}};
    const auto other = others.find(name);
    if (other == others.end()) return std::nullopt;
    return find(other->second);
}

std::optional<NumberType> TypeTable::number_type(TypeId id) const {
    using Kind = DebugType::Kind;
    const DebugType& type = types_[id];
    if (type.bytes == 0 || type.bytes > 8) return std::nullopt;
    const auto width = static_cast<unsigned>(type.bytes);
    switch (type.kind) {
        case Kind::boolean:
            return NumberType{Scalar::Kind::boolean, width};
        case Kind::floating:
            if (width == 4) return NumberType{Scalar::Kind::single, 4};
            if (width == 8) return NumberType{Scalar::Kind::real, 8};
            return std::nullopt;
        case Kind::signed_integer:
        case Kind::enumeration:
        case Kind::character:
            return NumberType{Scalar::Kind::signed_integer, width};
        case Kind::unsigned_integer:
            return NumberType{Scalar::Kind::unsigned_integer, width};
        case Kind::pointer:
            return NumberType{Scalar::Kind::unsigned_integer, 8};
        default:
            return std::nullopt;
    }
}

std::optional<Scalar> TypeTable::scalar(TypeId id, const std::vector<std::byte>& bytes) const {
    const auto type = number_type(id);
    if (!type || bytes.size() < types_[id].bytes) return std::nullopt;
    std::uint64_t raw = 0;
    std::memcpy(&raw, bytes.data(), types_[id].bytes);
    const NumberBits bits = number_of(*type, raw);
    if (type->is_real()) return Scalar::of_real(bits.real, type->kind == Scalar::Kind::single);
    return Scalar{type->kind, type->bytes, bits.integer, 0};
}

}  // namespace cudash::session::debug
