#include "repl/session/clang/value_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>
#include <vector>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"

namespace cudash::session {
namespace {

constexpr std::uint64_t shown_elements = 16;
constexpr int shown_alternatives = 4;  ///< of a union
constexpr std::uint64_t shown_characters = 200;
constexpr int deepest = 6;
constexpr const char* unreadable = "<memory that can't be read>";

template <class T>
std::string real(T number) {
    if (std::isnan(number) || std::isinf(number)) return fmt::format("{}", number);
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string quoted(char c) {
    switch (c) {
        case '\n':
            return "\\n";
        case '\t':
            return "\\t";
        case '\r':
            return "\\r";
        case '\0':
            return "\\0";
        case '\\':
            return "\\\\";
        default:
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
                return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
            return std::string(1, c);
    }
}

}  // namespace

/// `v.size()` is an unsigned long to its reader, not a std::vector<int>::size_type; decltype(x) is x's type. A trait
/// that gives a plain number, detail::distance_from_result<...>, is that number's type.
clang::QualType ValueReader::without_detours(clang::QualType type) const {
    for (;;) {
        const auto* alias = type->getAs<clang::TypedefType>();
        const bool of_a_class = alias && alias->getDecl()->getDeclContext()->isRecord();
        const auto* written = llvm::dyn_cast<clang::ElaboratedType>(type.getTypePtr());
        const auto* instance = llvm::dyn_cast<clang::TemplateSpecializationType>(
            written ? written->getNamedType().getTypePtr() : type.getTypePtr());
        if (instance && instance->isTypeAlias() && llvm::isa<clang::BuiltinType>(type.getCanonicalType()))
            return type.getCanonicalType();
        if (!of_a_class && !llvm::isa<clang::DecltypeType, clang::AutoType, clang::SubstTemplateTypeParmType,
                                      clang::TypeOfExprType, clang::ParenType>(type.getTypePtr()))
            break;
        type = type.getSingleStepDesugaredType(context_);
    }
    const auto* pointer = llvm::dyn_cast<clang::PointerType>(type.getTypePtr());
    if (!pointer) return type;
    const clang::QualType pointee = without_detours(pointer->getPointeeType());
    return pointee == pointer->getPointeeType()
               ? type
               : context_.getQualifiedType(context_.getPointerType(pointee), type.getQualifiers());
}

std::string ValueReader::type_name(clang::QualType type) const {
    clang::PrintingPolicy policy(context_.getLangOpts());
    policy.SuppressTagKeyword = true;
    policy.Bool = true;
    type = without_detours(type.getNonReferenceType());
    std::string name = type.getUnqualifiedType().getAsString(policy);
    // std::make_pair(1, 2) is a std::pair<int, int>.
    if (name.find("typename __") != std::string::npos || name.starts_with("::"))
        name = type.getCanonicalType().getUnqualifiedType().getAsString(policy);
    for (const std::string_view keyword : {"enum ", "struct ", "class ", "union "})
        if (name.starts_with(keyword)) name.erase(0, keyword.size());
    return name;
}

std::string ValueReader::value(clang::QualType type, std::uint64_t address, int depth) {
    type = type.getNonReferenceType().getCanonicalType();
    if (const auto* builtin_type = type->getAs<clang::BuiltinType>()) return builtin(*builtin_type, address);
    if (const auto* enum_type = type->getAs<clang::EnumType>()) return enumeration(*enum_type, address);
    if (const auto* pointer_type = type->getAs<clang::PointerType>()) {
        std::uint64_t target = 0;
        if (!read_(address, &target, sizeof target)) return unreadable;
        return pointer(pointer_type->getPointeeType(), target, depth);
    }
    if (const auto* array = context_.getAsConstantArrayType(type)) {
        const std::uint64_t count = array->getSize().getZExtValue();
        if (array->getElementType()->isCharType()) return "\"" + characters(address, count, true) + "\"";
        return elements(array->getElementType(), address, count, depth);
    }
    if (const auto* record_type = type->getAs<clang::RecordType>()) {
        const auto* definition = record_type->getDecl()->getDefinition();
        if (!definition) return "{...}";
        return record(*definition, address, depth);
    }
    if (type->isFunctionType()) return "a function";
    return "{...}";
}

std::string ValueReader::builtin(const clang::BuiltinType& type, std::uint64_t address) {
    using Kind = clang::BuiltinType;
    if (type.getKind() == Kind::NullPtr) return "nullptr";
    if (type.getKind() == Kind::Void) return "";
    const std::uint64_t size = context_.getTypeSizeInChars(&type).getQuantity();
    std::array<std::byte, 16> bytes{};
    if (size > bytes.size() || !read_(address, bytes.data(), size)) return unreadable;
    const auto as = [&]<class T>(T zero) {
        std::memcpy(&zero, bytes.data(), sizeof zero);
        return zero;
    };
    switch (type.getKind()) {
        case Kind::Bool:
            return as(std::uint8_t{}) ? "true" : "false";
        case Kind::Char_S:
        case Kind::Char_U:
            return "'" + quoted(as(char{})) + "'";
        case Kind::Float:
            return real(as(float{}));
        case Kind::Double:
            return real(as(double{}));
        case Kind::LongDouble:
            return real(as(static_cast<long double>(0)));
        default:
            break;
    }
    if (!type.isInteger()) return "{...}";
    if (size == 16) return "{128-bit integer}";
    if (type.isSignedInteger()) {
        const std::int64_t number = size == 1   ? as(std::int8_t{})
                                    : size == 2 ? as(std::int16_t{})
                                    : size == 4 ? as(std::int32_t{})
                                                : as(std::int64_t{});
        return fmt::format("{}", number);
    }
    return fmt::format("{}", as(std::uint64_t{}));
}

std::string ValueReader::enumeration(const clang::EnumType& type, std::uint64_t address) {
    const auto integer = type.getDecl()->getIntegerType();
    if (integer.isNull()) return "{...}";
    const std::uint64_t size = context_.getTypeSizeInChars(integer).getQuantity();
    std::uint64_t bits = 0;
    if (size > 8 || !read_(address, &bits, size)) return unreadable;
    const unsigned width = static_cast<unsigned>(size * 8);
    const llvm::APInt wanted(width, bits);
    for (const auto* constant : type.getDecl()->enumerators())
        if (constant->getInitVal().extOrTrunc(width) == wanted) return constant->getNameAsString();
    return fmt::format("{}", bits);
}

std::string ValueReader::characters(std::uint64_t address, std::uint64_t length, bool to_zero) {
    std::string text;
    for (std::uint64_t i = 0; i < length; ++i) {
        if (i == shown_characters) return text + "...";
        char c = 0;
        if (!read_(address + i, &c, 1)) return text + "...";
        if (to_zero && c == 0) break;
        text += c == '"' ? "\\\"" : quoted(c);
    }
    return text;
}

std::string ValueReader::pointer(clang::QualType pointee, std::uint64_t target, int depth) {
    if (target == 0) return "nullptr";
    if (pointee->isCharType()) {
        char first = 0;
        const std::string about = describe_(target);
        if (about.empty() && read_(target, &first, 1))
            return "\"" + characters(target, shown_characters + 1, true) + "\"";
    }
    std::string text = fmt::format("{:#x}", target);
    if (pointee->isFunctionType()) return text;
    const std::string about = describe_(target);
    if (!about.empty()) return text + ": " + about;
    if (depth == 0 && !pointee->isVoidType() && !pointee->isIncompleteType()) {
        std::byte probe{};
        if (read_(target, &probe, 1)) text += " -> " + value(pointee, target, depth + 1);
    }
    return text;
}

std::string ValueReader::elements(clang::QualType type, std::uint64_t address, std::uint64_t count, int depth) {
    if (depth >= deepest) return "{...}";
    const std::uint64_t stride = context_.getTypeSizeInChars(type).getQuantity();
    std::string text = "{";
    for (std::uint64_t i = 0; i < count && i < shown_elements; ++i) {
        if (i) text += ", ";
        text += value(type, address + i * stride, depth + 1);
    }
    if (count > shown_elements) text += fmt::format(", ... {} elements", count);
    return text + "}";
}

/// What a union of many members may hold: nothing says which member it is, and the others' values mean nothing.
std::string ValueReader::alternatives(const clang::RecordDecl& record) {
    std::string names;
    for (const auto* field : record.fields()) {
        if (!field->getIdentifier()) continue;
        names += (names.empty() ? "." : ", .") + field->getNameAsString();
    }
    return fmt::format("{{one of {}}}", names);
}

std::string ValueReader::record(const clang::RecordDecl& record, std::uint64_t address, int depth) {
    if (depth >= deepest || record.isInvalidDecl()) return "{...}";
    const auto* class_record = llvm::dyn_cast<clang::CXXRecordDecl>(&record);
    if (class_record && class_record->isLambda()) return "a lambda";
    if (const std::string text = short_float(record, address); !text.empty()) return text;
    if (class_record && class_record->isInStdNamespace()) {
        std::string text = library_record(*class_record, address, depth);
        if (!text.empty()) return text;
    }
    if (class_record)
        if (std::string text = thrust_record(*class_record, address, depth); !text.empty()) return text;
    if (record.isUnion() && std::ranges::distance(record.fields()) > shown_alternatives) return alternatives(record);
    const auto& layout = context_.getASTRecordLayout(&record);
    std::string text;
    const auto separate = [&] { text += text.empty() ? "" : ", "; };
    if (class_record) {
        for (const auto& base : class_record->bases()) {
            const auto* base_record = base.getType()->getAsCXXRecordDecl();
            if (!base_record || base.isVirtual() || base_record->isEmpty()) continue;
            separate();
            const std::uint64_t offset = layout.getBaseClassOffset(base_record).getQuantity();
            text += value(base.getType(), address + offset, depth + 1);
        }
    }
    for (const auto* field : record.fields()) {
        if (field->isBitField()) {
            const std::uint64_t bit = layout.getFieldOffset(field->getFieldIndex());
            const unsigned width = field->getBitWidthValue(context_);
            std::uint64_t bits = 0;
            if (width == 0 || !read_(address + bit / 8, &bits, (bit % 8 + width + 7) / 8)) continue;
            separate();
            text += fmt::format(".{} = {}", field->getNameAsString(),
                                (bits >> (bit % 8)) & (width == 64 ? ~0ull : (1ull << width) - 1));
            continue;
        }
        separate();
        const std::uint64_t offset = layout.getFieldOffset(field->getFieldIndex()) / 8;
        const std::string name = field->getNameAsString();
        if (!name.empty()) text += "." + name + " = ";
        text += value(field->getType(), address + offset, depth + 1);
    }
    return "{" + text + "}";
}

std::string ValueReader::library_record(const clang::CXXRecordDecl& record, std::uint64_t address, int depth) {
    const llvm::StringRef name = record.getName();
    const auto* specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
    const auto argument = [&](unsigned index) {
        const auto& arguments = specialization->getTemplateArgs();
        return index < arguments.size() && arguments[index].getKind() == clang::TemplateArgument::Type
                   ? arguments[index].getAsType()
                   : clang::QualType();
    };
    if (!specialization) return {};

    if (name == "basic_string") {
        // libstdc++: pointer, length, then the small buffer or the capacity.
        struct {
            std::uint64_t data, length;
        } layout{};
        if (!argument(0)->isCharType()) return {};
        if (!read_(address, &layout, sizeof layout)) return unreadable;
        return "\"" + characters(layout.data, layout.length, false) + "\"";
    }
    if (name == "vector" && !argument(0)->isBooleanType()) {
        struct {
            std::uint64_t begin, end, limit;
        } layout{};
        if (!read_(address, &layout, sizeof layout)) return unreadable;
        const std::uint64_t stride = context_.getTypeSizeInChars(argument(0)).getQuantity();
        if (layout.end < layout.begin || layout.limit < layout.end || stride == 0) return "{not initialized}";
        return elements(argument(0), layout.begin, (layout.end - layout.begin) / stride, depth);
    }
    if (name == "array") {
        const auto& count = specialization->getTemplateArgs()[1];
        if (count.getKind() != clang::TemplateArgument::Integral) return {};
        return elements(argument(0), address, count.getAsIntegral().getZExtValue(), depth);
    }
    if (name == "unique_ptr" || name == "shared_ptr") {
        std::uint64_t target = 0;
        if (!read_(address, &target, sizeof target)) return unreadable;
        clang::QualType pointee = argument(0);
        if (const auto* array = context_.getAsArrayType(pointee)) pointee = array->getElementType();
        return pointer(pointee, target, depth);
    }
    if (name == "complex") {
        clang::QualType part = argument(0);
        const std::uint64_t stride = context_.getTypeSizeInChars(part).getQuantity();
        return "(" + value(part, address, depth + 1) + ", " + value(part, address + stride, depth + 1) + ")";
    }
    if (name == "pair") return {};
    if (name == "tuple") {
        std::string text;
        parts(record, address, depth, text);
        return "{" + text + "}";
    }
    if (name == "optional") {
        // libstdc++: the value's storage, then whether it is there.
        bool engaged = false;
        const std::uint64_t size = context_.getTypeSizeInChars(argument(0)).getQuantity();
        if (!read_(address + size, &engaged, sizeof engaged)) return unreadable;
        return engaged ? value(argument(0), address, depth + 1) : "nullopt";
    }
    if (name == "map" || name == "multimap") return tree(argument(0), argument(1), address, depth);
    if (name == "set" || name == "multiset") return tree(argument(0), {}, address, depth);
    if (name == "unordered_map" || name == "unordered_multimap")
        return hash_table(argument(0), argument(1), address, depth);
    if (name == "unordered_set" || name == "unordered_multiset") return hash_table(argument(0), {}, address, depth);
    return record.isAggregate() ? std::string() : fmt::format("<std::{}>", name.str());
}

/// The members of a std::tuple, in order. libstdc++ has the first one in a base _Head_base, behind
/// that of the others.
void ValueReader::parts(const clang::CXXRecordDecl& record, std::uint64_t address, int depth, std::string& text) {
    const auto& layout = context_.getASTRecordLayout(&record);
    const auto visit = [&](std::string_view wanted) {
        for (const auto& base : record.bases()) {
            const auto* base_record = base.getType()->getAsCXXRecordDecl();
            if (base_record && std::string_view(base_record->getName()) == wanted)
                parts(*base_record, address + layout.getBaseClassOffset(base_record).getQuantity(), depth, text);
        }
    };
    visit("_Head_base");
    for (const auto* field : record.fields()) {
        if (!text.empty()) text += ", ";
        text += value(field->getType(), address + layout.getFieldOffset(field->getFieldIndex()) / 8, depth + 1);
    }
    visit("_Tuple_impl");
}

/// An element of a map, or of a set where `mapped` is null.
std::string ValueReader::element(clang::QualType key, clang::QualType mapped, std::uint64_t address, int depth) {
    const std::string text = value(key, address, depth + 1);
    if (mapped.isNull()) return text;
    const std::uint64_t size = context_.getTypeSizeInChars(key).getQuantity();
    const std::uint64_t align = context_.getTypeAlignInChars(mapped).getQuantity();
    return "{" + text + ", " + value(mapped, address + (size + align - 1) / align * align, depth + 1) + "}";
}

std::string ValueReader::tree(clang::QualType key, clang::QualType mapped, std::uint64_t address, int depth) {
    if (depth >= deepest) return "{...}";
    // libstdc++'s stl_tree.h: the comparison, the header node, the count; a node's value follows its links.
    struct Node {
        std::uint64_t colour, parent, left, right;
    };
    struct {
        Node header;
        std::uint64_t count;
    } layout{};
    if (!read_(address + 8, &layout, sizeof layout)) return unreadable;
    std::string text;
    Node node{};
    std::uint64_t at = layout.header.left;  // the smallest
    for (std::uint64_t i = 0; i < layout.count; ++i) {
        if (i == shown_elements) return fmt::format("{{{}, ... {} elements}}", text, layout.count);
        if (!read_(at, &node, sizeof node)) return unreadable;
        text += (i ? ", " : "") + element(key, mapped, at + sizeof node, depth + 1);
        // The next one: the leftmost on the right, or the first parent that this is left of.
        std::uint64_t next = node.right;
        if (next != 0) {
            while (read_(next, &node, sizeof node) && node.left != 0) next = node.left;
        } else {
            std::uint64_t child = at;
            next = node.parent;
            for (int level = 0; level < 64 && read_(next, &node, sizeof node) && node.right == child; ++level) {
                child = next;
                next = node.parent;
            }
        }
        at = next;
    }
    return "{" + text + "}";
}

std::string ValueReader::hash_table(clang::QualType key, clang::QualType mapped, std::uint64_t address, int depth) {
    if (depth >= deepest) return "{...}";
    // libstdc++'s hashtable.h: buckets, their number, the first node, the count; a node's value follows its link.
    struct {
        std::uint64_t buckets, bucket_count, first, count;
    } layout{};
    if (!read_(address, &layout, sizeof layout)) return unreadable;
    std::uint64_t align = context_.getTypeAlignInChars(key).getQuantity();
    if (!mapped.isNull()) align = std::max<std::uint64_t>(align, context_.getTypeAlignInChars(mapped).getQuantity());
    const std::uint64_t offset = std::max<std::uint64_t>(sizeof layout.first, align);
    std::string text;
    std::uint64_t at = layout.first;
    for (std::uint64_t i = 0; i < layout.count && at != 0; ++i) {
        if (i == shown_elements) return fmt::format("{{{}, ... {} elements}}", text, layout.count);
        text += (i ? ", " : "") + element(key, mapped, at + offset, depth + 1);
        if (!read_(at, &at, sizeof at)) return unreadable;
    }
    return "{" + text + "}";
}

/// The number that a __half or __nv_bfloat16 holds; "": the class is another.
std::string ValueReader::short_float(const clang::RecordDecl& record, std::uint64_t address) const {
    const bool is_half = record.getName() == "__half";
    if (!is_half && record.getName() != "__nv_bfloat16") return {};
    std::uint16_t bits = 0;
    if (!read_(address, &bits, sizeof bits)) return unreadable;
    if (!is_half) return real(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = bits >> 15 ? -1.0f : 1.0f;
    if (exponent == 31) return real(fraction ? std::nanf("") : sign * HUGE_VALF);
    return real(sign * (exponent ? std::ldexp(static_cast<float>(1024 + fraction), exponent - 25)
                                 : std::ldexp(static_cast<float>(fraction), -24)));
}

}  // namespace cudash::session
