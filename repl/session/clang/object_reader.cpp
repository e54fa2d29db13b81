#include "repl/session/clang/object_reader.h"

#include <fmt/format.h>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"

namespace cudash::session {
namespace {

constexpr std::size_t most_scalars = 64;

Scalar::Kind kind_of(const clang::BuiltinType& type) {
    using Kind = clang::BuiltinType;
    switch (type.getKind()) {
        case Kind::Bool:
            return Scalar::Kind::boolean;
        case Kind::Char_S:
        case Kind::Char_U:
            return Scalar::Kind::character;
        case Kind::Float:
        case Kind::Double:
        case Kind::Half:
        case Kind::Float16:
            return Scalar::Kind::floating;
        case Kind::BFloat16:
            return Scalar::Kind::brain;
        default:
            break;
    }
    if (!type.isInteger() || type.getKind() == Kind::Int128 || type.getKind() == Kind::UInt128)
        return Scalar::Kind::opaque;
    return type.isSignedInteger() ? Scalar::Kind::signed_integer : Scalar::Kind::unsigned_integer;
}

std::string inside(const std::string& outer, const std::string& name) {
    return outer.empty() || name.empty() ? outer + name : outer + "." + name;
}

}  // namespace

void ObjectReader::flatten(clang::QualType type, std::uint32_t offset, const std::string& name,
                           std::vector<Scalar>& scalars) const {
    if (scalars.size() >= most_scalars) return;
    type = type.getCanonicalType();
    const auto size = static_cast<std::uint32_t>(context_.getTypeSizeInChars(type).getQuantity());
    const auto add = [&](Scalar::Kind kind) { scalars.push_back({kind, size, offset, name}); };
    if (const auto* builtin = type->getAs<clang::BuiltinType>()) return add(kind_of(*builtin));
    if (type->isEnumeralType())
        return add(type->isSignedIntegerOrEnumerationType() ? Scalar::Kind::signed_integer
                                                            : Scalar::Kind::unsigned_integer);
    if (type->isPointerType()) return add(Scalar::Kind::pointer);
    if (const auto* array = context_.getAsConstantArrayType(type)) {
        const auto step =
            static_cast<std::uint32_t>(context_.getTypeSizeInChars(array->getElementType()).getQuantity());
        for (std::uint64_t i = 0; i < array->getSize().getZExtValue() && scalars.size() < most_scalars; ++i)
            flatten(array->getElementType(), offset + static_cast<std::uint32_t>(i) * step,
                    fmt::format("{}[{}]", name, i), scalars);
        return;
    }
    const auto* record_type = type->getAs<clang::RecordType>();
    const auto* definition = record_type ? record_type->getDecl()->getDefinition() : nullptr;
    if (!definition || definition->isInvalidDecl()) return add(Scalar::Kind::opaque);
    const std::string known = definition->getNameAsString();
    if (known == "__half") return add(Scalar::Kind::floating);
    if (known == "__nv_bfloat16") return add(Scalar::Kind::brain);
    const auto* specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(definition);
    if (specialization && known == "complex" && definition->isInStdNamespace()) {
        const clang::QualType part = specialization->getTemplateArgs()[0].getAsType();
        flatten(part, offset, inside(name, "re"), scalars);
        return flatten(part, offset + size / 2, inside(name, "im"), scalars);
    }
    if (definition->isUnion()) return add(Scalar::Kind::opaque);
    const auto& layout = context_.getASTRecordLayout(definition);
    if (const auto* class_record = llvm::dyn_cast<clang::CXXRecordDecl>(definition))
        for (const auto& base : class_record->bases()) {
            const auto* base_record = base.getType()->getAsCXXRecordDecl();
            if (!base_record || base.isVirtual() || base_record->isEmpty()) continue;
            flatten(base.getType(),
                    offset + static_cast<std::uint32_t>(layout.getBaseClassOffset(base_record).getQuantity()), name,
                    scalars);
        }
    for (const auto* field : definition->fields()) {
        if (field->isBitField()) continue;
        flatten(field->getType(),
                offset + static_cast<std::uint32_t>(layout.getFieldOffset(field->getFieldIndex()) / 8),
                inside(name, field->getNameAsString()), scalars);
    }
}

Element ObjectReader::element(clang::QualType type) const {
    Element result;
    if (type->isVoidType() || type->isIncompleteType() || type->isFunctionType()) return result;
    result.type = ValueReader(context_, {}, {}).type_name(type);
    result.bytes = static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
    flatten(type, 0, {}, result.scalars);
    return result;
}

void ObjectReader::add_dimensions(HostObject& object, clang::QualType type) const {
    while (const auto* array = context_.getAsConstantArrayType(type)) {
        object.extent.push_back(array->getSize().getZExtValue());
        type = array->getElementType();
    }
    object.element = element(type);
}

std::optional<HostObject> ObjectReader::behind_pointer(HostObject object, clang::QualType pointee,
                                                       std::uint64_t at) const {
    if (!read_(at, &object.address, sizeof object.address)) return std::nullopt;
    object.kind = HostObject::Kind::pointed;
    if (const auto* record_type = pointee->getAs<clang::RecordType>();
        record_type && record_type->getDecl()->getName() == "cudaArray") {
        object.kind = HostObject::Kind::cuda_array;
        return object;
    }
    object.extent.push_back(0);
    add_dimensions(object, pointee);
    return object;
}

std::optional<HostObject> ObjectReader::record(HostObject object, const clang::RecordType& type) const {
    const auto* definition = type.getDecl()->getDefinition();
    const std::uint64_t at = object.address;
    if (!definition) return object;
    if (definition->getName() == "cudaPitchedPtr") {
        struct {
            std::uint64_t pointer, pitch, width, height;
        } value{};
        if (!read_(at, &value, sizeof value)) return std::nullopt;
        object.kind = HostObject::Kind::pitched;
        object.address = value.pointer;
        object.pitch = value.pitch;
        object.width = value.width;
        object.height = value.height;
        object.element = element(context_.UnsignedCharTy);
        return object;
    }
    const auto* specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(definition);
    if (!specialization || !definition->isInStdNamespace()) return object;
    const auto& arguments = specialization->getTemplateArgs();
    if (arguments.size() == 0 || arguments[0].getKind() != clang::TemplateArgument::Type) return object;
    const clang::QualType first = arguments[0].getAsType();
    const llvm::StringRef name = definition->getName();
    if (name == "vector" && !first->isBooleanType()) {
        struct {
            std::uint64_t begin, end;
        } value{};
        if (!read_(at, &value, sizeof value)) return std::nullopt;
        const auto step = static_cast<std::uint64_t>(context_.getTypeSizeInChars(first).getQuantity());
        object.address = value.begin;
        object.extent = {value.end >= value.begin ? (value.end - value.begin) / step : 0};
        const bool empty = object.extent[0] == 0;
        add_dimensions(object, first);
        // No elements is a size that is known.
        if (empty) object.extent[0] = 0, object.kind = HostObject::Kind::itself;
    } else if (name == "array" && arguments.size() > 1) {
        object.extent = {arguments[1].getAsIntegral().getZExtValue()};
        add_dimensions(object, first);
    } else if (name == "basic_string") {
        struct {
            std::uint64_t data, length;
        } value{};
        if (!read_(at, &value, sizeof value)) return std::nullopt;
        object.address = value.data;
        object.extent = {value.length};
        object.element = element(first);
    } else if (name == "unique_ptr" || name == "shared_ptr") {
        clang::QualType pointee = first;
        if (const auto* array = context_.getAsArrayType(pointee)) pointee = array->getElementType();
        return behind_pointer(object, pointee, at);
    }
    return object;
}

std::optional<HostObject> ObjectReader::object(clang::QualType type, std::uint64_t address) const {
    type = type.getNonReferenceType().getCanonicalType();
    HostObject object;
    object.address = address;
    if (const auto* pointer = type->getAs<clang::PointerType>())
        return behind_pointer(std::move(object), pointer->getPointeeType(), address);
    add_dimensions(object, type);
    if (!object.extent.empty()) return object;
    if (const auto* record_type = type->getAs<clang::RecordType>()) return record(std::move(object), *record_type);
    return object;
}

}  // namespace cudash::session
