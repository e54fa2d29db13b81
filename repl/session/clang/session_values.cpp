// What the session's variables hold, and what the last cell left as its value.
#include "repl/session/clang/clang_engine.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "clang/AST/Attr.h"
#include "clang/AST/QualTypeNames.h"
#include "repl/session/clang/object_reader.h"
#include "repl/session/clang/source_text.h"
#include "repl/session/clang/spelling.h"

namespace cudash::session {

/// What makes `_` the last value: the object itself where it has a place of its own, else the copy that was shown. ""
/// if there is none, or its type has no name.
std::string ClangEngine::last_value_macro() const {
    if (!last_.type) return {};
    const auto type = clang::QualType::getFromOpaquePtr(last_.type).getNonReferenceType();
    clang::PrintingPolicy policy(compiler_.getLangOpts());
    policy.SuppressUnwrittenScope = true;
    const std::string name = clang::TypeName::getFullyQualifiedName(type, compiler_.getASTContext(), policy);
    if (name.find("(lambda") != std::string::npos || name.find("(unnamed") != std::string::npos ||
        name.find("(anonymous") != std::string::npos)
        return {};
    const std::uint64_t place = last_.address ? last_.address : reinterpret_cast<std::uint64_t>(last_.bytes.data());
    // Arrays and pointers to functions have no `*` behind their names.
    const bool is_plain = name.find_first_of("([") == std::string::npos;
    return fmt::format("#define _ (*reinterpret_cast<{}*>({:#x}ull))",
                       is_plain ? name : fmt::format("__typeof__({})", name), place);
}

/// Its type means another one now, or its variable is gone.
void ClangEngine::forget_last_value(const std::vector<Hidden>& hidden) {
    for (const Hidden& each : hidden)
        if (llvm::isa<clang::TypeDecl, clang::TemplateDecl>(each.declaration) ||
            (last_.address != 0 && llvm::isa<clang::VarDecl>(each.declaration)))
            last_ = {};
}

bool ClangEngine::read_memory(std::uint64_t address, void* buffer, std::size_t bytes) const {
    const iovec local{buffer, bytes}, remote{reinterpret_cast<void*>(address), bytes};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes)) return true;
    return peek_ && peek_(address, buffer, bytes);
}

ValueReader ClangEngine::value_reader(ReadMemory read) {
    return ValueReader(compiler_.getASTContext(), std::move(read),
                       [this](std::uint64_t address) { return describe_ ? describe_(address) : std::string(); });
}

std::vector<HostEngine::Variable> ClangEngine::variables(const std::function<std::uint64_t(void*)>& locate) {
    std::vector<Variable> list;
    for (const auto* part : parts_) list_variables(*part, locate, list);
    return list;
}

void ClangEngine::list_variables(const clang::DeclContext& context, const std::function<std::uint64_t(void*)>& locate,
                                 std::vector<Variable>& list) {
    auto reader = value_reader(
        [this](std::uint64_t address, void* buffer, std::size_t bytes) { return read_memory(address, buffer, bytes); });
    for (const auto* declaration : context.noload_decls()) {
        if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration);
            inner && (inner->isNamespace() || llvm::isa<clang::LinkageSpecDecl>(declaration)))
            list_variables(*inner, locate, list);
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        if (!variable || !variable->getIdentifier() || variable->isTemplated() || variable->isInvalidDecl() ||
            variable->getName().starts_with("__") || facts_.is_system(variable->getLocation()))
            continue;
        const auto found = variable->getDeclContext()->getRedeclContext()->lookup(variable->getDeclName());
        if (std::find(found.begin(), found.end(), variable) == found.end()) continue;  // redefined since

        Variable row;
        row.name = variable->getQualifiedNameAsString();
        row.value.type = reader.type_name(variable->getType());
        const auto place = compiler_.getSourceManager().getPresumedLoc(variable->getLocation());
        if (place.isValid()) row.where = std::string(place.getFilename()) + " line " + std::to_string(place.getLine());
        auto at = reinterpret_cast<std::uint64_t>(address(facts_.mangled(variable)));
        const bool on_device = variable->hasAttr<clang::CUDADeviceAttr>() ||
                               variable->hasAttr<clang::CUDAConstantAttr>() ||
                               variable->hasAttr<clang::HIPManagedAttr>();
        if (at && on_device) at = locate(reinterpret_cast<void*>(at));
        if (at && variable->getType()->isReferenceType() && !read_memory(at, &at, sizeof at)) at = 0;
        if (at) {
            row.value.text = reader.text(variable->getType(), at);
        } else if (const clang::Expr* value = variable->getInit(); value && !value->isValueDependent()) {
            if (const clang::APValue* constant = variable->evaluateValue())
                row.value.text = constant->getAsString(compiler_.getASTContext(), variable->getType());
        }
        list.push_back(std::move(row));
    }
}

std::optional<Value> ClangEngine::device_variable(std::string_view name,
                                                  const std::function<std::uint64_t(void*)>& locate) {
    const clang::VarDecl* variable = nullptr;
    for (const clang::NamedDecl* found : find_declarations(compiler_, name))
        if (const auto* as_variable = llvm::dyn_cast<clang::VarDecl>(found)) variable = as_variable;
    if (!variable || variable->getType()->isReferenceType() || managed_.contains(facts_.mangled(variable)))
        return std::nullopt;
    const bool constant = variable->hasAttr<clang::CUDAConstantAttr>();
    if (!constant && !variable->hasAttr<clang::CUDADeviceAttr>()) return std::nullopt;
    void* shadow = address(facts_.mangled(variable));
    const std::uint64_t at = shadow ? locate(shadow) : 0;
    if (!at) return std::nullopt;
    auto reader = value_reader(
        [this](std::uint64_t place, void* buffer, std::size_t bytes) { return read_memory(place, buffer, bytes); });
    return Value{fmt::format("{} {}", constant ? "__constant__" : "__device__", reader.type_name(variable->getType())),
                 reader.text(variable->getType(), at)};
}

std::optional<HostObject> ClangEngine::object(std::string_view name, std::string_view element) {
    const clang::VarDecl* variable = nullptr;
    const clang::TypedefNameDecl* alias = nullptr;
    for (const clang::NamedDecl* found : find_declarations(compiler_, name))
        if (const auto* as_variable = llvm::dyn_cast<clang::VarDecl>(found)) variable = as_variable;
    if (!element.empty())
        for (const clang::NamedDecl* found : find_declarations(compiler_, element))
            if (const auto* as_alias = llvm::dyn_cast<clang::TypedefNameDecl>(found)) alias = as_alias;
    if (!variable || (!element.empty() && !alias)) return std::nullopt;
    auto at = reinterpret_cast<std::uint64_t>(address(facts_.mangled(variable)));
    if (at && variable->getType()->isReferenceType() && !read_memory(at, &at, sizeof at)) at = 0;
    if (!at) return std::nullopt;
    const ObjectReader reader(compiler_.getASTContext(), [this](std::uint64_t place, void* buffer, std::size_t bytes) {
        return read_memory(place, buffer, bytes);
    });
    auto object = reader.object(variable->getType(), at);
    if (object && alias) object->element = reader.element(alias->getUnderlyingType());
    return object;
}

std::vector<HostEngine::Source> ClangEngine::sources_of(std::string_view name) {
    std::vector<Source> list;
    for (const clang::NamedDecl* declaration : find_declarations(compiler_, name)) {
        if (facts_.is_system(declaration->getLocation())) continue;
        Source source;
        const auto place = compiler_.getSourceManager().getPresumedLoc(declaration->getLocation());
        if (place.isValid()) source.place = {.file = place.getFilename(), .line = place.getLine()};
        source.text = text_of(compiler_, *declaration);
        if (!source.text.empty()) list.push_back(std::move(source));
    }
    return list;
}

std::optional<Value> ClangEngine::take_value(bool as_last) {
    if (!captured_.type) return std::nullopt;
    const auto type = clang::QualType::getFromOpaquePtr(captured_.type);
    const auto own_begin = reinterpret_cast<std::uint64_t>(captured_.bytes.data());
    const auto read = [&](std::uint64_t address, void* buffer, std::size_t bytes) {
        if (address >= own_begin && address + bytes <= own_begin + captured_.bytes.size()) {
            std::memcpy(buffer, reinterpret_cast<const void*>(address), bytes);
            return true;
        }
        return read_memory(address, buffer, bytes);
    };
    ValueReader reader = value_reader(read);
    Value value;
    value.type = reader.type_name(type);
    value.text = reader.text(type, captured_.address ? captured_.address : own_begin);
    // `std::cout << x` has shown what it is for.
    if (value.text == "<std::basic_ostream>") return captured_ = {}, std::nullopt;
    CapturedValue taken = std::exchange(captured_, {});
    if (as_last) last_ = std::move(taken);
    return value;
}

}  // namespace cudash::session
