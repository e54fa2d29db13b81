#include "repl/session/clang/local_variables.h"

#include <algorithm>

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"
#include "repl/session/clang/tree_visitor.h"

namespace cudash::session {

using debug::DebugType;
using debug::DebugVariable;
using debug::TypeId;
using debug::VariablePlace;

class LocalVariables::Finder final : public TreeVisitor {
public:
    explicit Finder(LocalVariables& owner) : TreeVisitor({.template_instantiations = true}), owner_(owner) {}

private:
    bool visit(clang::Decl& declaration) override {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
        if (!variable || variable->getType()->isDependentType() || variable->isInvalidDecl()) return true;
        const bool shared = variable->hasAttr<clang::CUDASharedAttr>();
        if (!shared && !(variable->isStaticLocal() && variable->hasAttr<clang::CUDADeviceAttr>())) return true;
        if (const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(variable->getParentFunctionOrMethod()))
            owner_.add(*variable, *function);
        return true;
    }

    LocalVariables& owner_;
};

void LocalVariables::add(const clang::TranslationUnitDecl& part) {
    Finder finder(*this);
    for (clang::Decl* declaration : part.noload_decls()) finder.traverse(declaration);
}

void LocalVariables::add(const clang::VarDecl& variable, const clang::FunctionDecl& function) {
    const std::string owner = mangle_(&function);
    const auto found = std::ranges::find(info_.functions, owner, &debug::DebugFunction::symbol);
    if (found == info_.functions.end()) return;
    const std::string name = variable.getNameAsString();
    auto& variables = found->scope.variables;
    if (std::ranges::find(variables, name, &DebugVariable::name) != variables.end()) return;
    DebugVariable made;
    made.name = name;
    made.type = type(variable.getType());
    made.line = context_.getSourceManager().getSpellingLineNumber(variable.getLocation());
    VariablePlace place;
    place.address_class =
        variable.hasAttr<clang::CUDASharedAttr>() ? VariablePlace::Class::shared : VariablePlace::Class::global;
    // An extern one has the name that it has everywhere.
    place.symbol = mangle_(&variable);
    made.places.push_back(std::move(place));
    variables.push_back(std::move(made));
}

TypeId LocalVariables::type(clang::QualType written) {
    const clang::QualType plain = written.getCanonicalType().getUnqualifiedType();
    const auto [known, is_new] = types_.try_emplace(plain.getAsOpaquePtr(), debug::no_type);
    if (!is_new || plain->isVoidType()) return known->second;
    const auto id = static_cast<TypeId>(info_.types.size());
    types_[plain.getAsOpaquePtr()] = id;
    info_.types.emplace_back();
    DebugType made = describe(plain);  // which may add types
    info_.types[id] = std::move(made);
    return id;
}

DebugType LocalVariables::describe(clang::QualType plain) {
    using Kind = DebugType::Kind;
    DebugType made;
    clang::PrintingPolicy policy(context_.getLangOpts());
    policy.SuppressTagKeyword = true;
    made.name = plain.getAsString(policy);
    const bool has_size = !plain->isIncompleteType() && !plain->isDependentType() && plain->isObjectType();
    if (has_size) made.bytes = static_cast<std::uint64_t>(context_.getTypeSizeInChars(plain).getQuantity());
    if (plain->isPointerType() || plain->isReferenceType()) {
        made.kind = plain->isPointerType() ? Kind::pointer : Kind::reference;
        made.bytes = 8;
        made.target = type(plain->getPointeeType());
    } else if (const auto* array = context_.getAsArrayType(plain)) {
        made.kind = Kind::array;
        made.target = type(array->getElementType());
        if (const auto* constant = llvm::dyn_cast<clang::ConstantArrayType>(array))
            made.count = constant->getSize().getZExtValue();
    } else if (const auto* record = plain->getAsCXXRecordDecl(); record && record->hasDefinition()) {
        made.kind = Kind::record;
        const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(record);
        for (const clang::CXXBaseSpecifier& base : record->bases())
            if (const auto* of = base.getType()->getAsCXXRecordDecl(); of && !base.isVirtual())
                made.members.push_back({"", type(base.getType()),
                                        static_cast<std::uint64_t>(layout.getBaseClassOffset(of).getQuantity())});
        for (const clang::FieldDecl* field : record->fields())
            if (!field->isBitField())
                made.members.push_back({field->getNameAsString(), type(field->getType()),
                                        layout.getFieldOffset(field->getFieldIndex()) / 8});
    } else if (const auto* enumeration = plain->getAs<clang::EnumType>()) {
        made.kind = Kind::enumeration;
        for (const clang::EnumConstantDecl* each : enumeration->getDecl()->enumerators())
            made.enumerators.emplace_back(each->getNameAsString(), each->getInitVal().getExtValue());
    } else if (plain->isBooleanType()) {
        made.kind = Kind::boolean;
    } else if (plain->isCharType()) {
        made.kind = Kind::character;
    } else if (plain->isFloatingType()) {
        made.kind = Kind::floating;
    } else if (plain->isIntegerType()) {
        made.kind = plain->isSignedIntegerType() ? Kind::signed_integer : Kind::unsigned_integer;
    }
    return made;
}

}  // namespace cudash::session
