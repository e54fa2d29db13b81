#include "repl/session/clang/captured_value.h"

#include <cstdarg>
#include <cstring>

namespace cudash::session {
namespace {

void capture(void* type, const void* data, std::size_t size) {
    auto& captured = CapturedValue::of_process();
    captured.type = type;
    captured.address = 0;
    captured.bytes.resize(size);
    std::memcpy(captured.bytes.data(), data, size);
}

}  // namespace

CapturedValue& CapturedValue::of_process() {
    static CapturedValue value;
    return value;
}

void set_value(void*, void*, void* opaque_type, ...) {
    auto& captured = CapturedValue::of_process();
    const auto type = clang::QualType::getFromOpaquePtr(opaque_type);
    va_list arguments;
    va_start(arguments, opaque_type);
    if (type->isReferenceType()) {
        captured.type = opaque_type;
        captured.address = reinterpret_cast<std::uint64_t>(va_arg(arguments, void*));
    } else if (type->isVoidType()) {
        captured.type = nullptr;
    } else {
        clang::QualType canonical = type.getCanonicalType();
        if (const auto* enumeration = canonical->getAs<clang::EnumType>())
            canonical = enumeration->getDecl()->getIntegerType().getCanonicalType();
        const auto* builtin = canonical->getAs<clang::BuiltinType>();
        using Kind = clang::BuiltinType;
        const auto kind = builtin ? builtin->getKind() : Kind::NullPtr;
        if (kind == Kind::Float) {
            const auto value = static_cast<float>(va_arg(arguments, double));
            capture(opaque_type, &value, sizeof value);
        } else if (kind == Kind::Double) {
            const auto value = va_arg(arguments, double);
            capture(opaque_type, &value, sizeof value);
        } else if (kind == Kind::LongDouble) {
            const auto value = va_arg(arguments, long double);
            capture(opaque_type, &value, sizeof value);
        } else if (builtin && builtin->isInteger() && kind != Kind::Long && kind != Kind::ULong &&
                   kind != Kind::LongLong && kind != Kind::ULongLong) {
            const auto value = va_arg(arguments, int);
            capture(opaque_type, &value, sizeof value);
        } else {
            const auto value = va_arg(arguments, std::uint64_t);
            capture(opaque_type, &value, sizeof value);
        }
    }
    va_end(arguments);
}

void* set_value_with_allocation(void*, void*, void* opaque_type) {
    auto& captured = CapturedValue::of_process();
    captured.type = opaque_type;
    const auto type = clang::QualType::getFromOpaquePtr(opaque_type);
    captured.bytes.assign(captured.context->getTypeSizeInChars(type).getQuantity(), std::byte{});
    captured.address = 0;
    return captured.bytes.data();
}

}  // namespace cudash::session
