// Values of Thrust's classes as their users think of them: elements, which may lie on the device.
#include "repl/session/clang/value_reader.h"

#include <optional>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"

namespace cudash::session {
namespace {

bool is_of_thrust(const clang::CXXRecordDecl& record) {
    for (const clang::DeclContext* context = record.getDeclContext(); context; context = context->getParent())
        if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(context))
            if (space->getName() == "thrust" && space->getParent()->getRedeclContext()->isTranslationUnit())
                return true;
    return false;
}

/// Bytes from the object's beginning to a member of that name: its own, then one of its bases, then one inside of its
/// members.
std::optional<std::uint64_t> offset_of(const clang::ASTContext& context, const clang::CXXRecordDecl& record,
                                       llvm::StringRef name) {
    const auto& layout = context.getASTRecordLayout(&record);
    for (const auto* field : record.fields())
        if (field->getName() == name) return layout.getFieldOffset(field->getFieldIndex()) / 8;
    for (const auto& base : record.bases()) {
        const auto* definition = base.getType()->getAsCXXRecordDecl();
        if (!definition || base.isVirtual()) continue;
        if (const auto found = offset_of(context, *definition, name))
            return layout.getBaseClassOffset(definition).getQuantity() + *found;
    }
    for (const auto* field : record.fields()) {
        const auto* definition = field->getType()->getAsCXXRecordDecl();
        if (!definition || !definition->getDefinition()) continue;
        if (const auto found = offset_of(context, *definition->getDefinition(), name))
            return layout.getFieldOffset(field->getFieldIndex()) / 8 + *found;
    }
    return std::nullopt;
}

}  // namespace

std::string ValueReader::thrust_record(const clang::CXXRecordDecl& record, std::uint64_t address, int depth) {
    const auto* specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
    if (!specialization || !is_of_thrust(record)) return {};
    const auto& arguments = specialization->getTemplateArgs();
    if (arguments.size() == 0 || arguments[0].getKind() != clang::TemplateArgument::Type) return {};
    const clang::QualType element = arguments[0].getAsType();
    const llvm::StringRef name = record.getName();
    const auto word = [&](llvm::StringRef member) -> std::optional<std::uint64_t> {
        const auto offset = offset_of(context_, record, member);
        std::uint64_t value = 0;
        return offset && read_(address + *offset, &value, sizeof value) ? std::optional(value) : std::nullopt;
    };
    if (name == "device_reference") {
        const auto target = word("m_iterator");
        return target ? value(element, *target, depth + 1) : std::string();
    }
    if (name == "device_ptr") {
        const auto target = word("m_iterator");
        return target ? pointer(element, *target, depth + 1) : std::string();
    }
    if (name != "device_vector" && name != "host_vector") return {};
    const auto size = word("m_size"), begin = word("m_begin");
    return size && begin ? elements(element, *begin, *size, depth) : std::string();
}

}  // namespace cudash::session
