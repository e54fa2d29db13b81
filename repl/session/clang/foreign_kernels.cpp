#include "repl/session/clang/foreign_kernels.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/Demangle/Demangle.h"
#include "repl/session/clang/device_spaces.h"
#include "repl/session/clang/instantiations.h"
#include "repl/session/clang/mangled_names.h"

namespace cudash::session {
namespace {

constexpr std::string_view stub_prefix = "__device_stub__";

/// "_Z1kPi" of "_Z16__device_stub__kPi".
std::optional<std::string> kernel_of_stub(std::string_view stub) {
    const std::size_t at = stub.find(stub_prefix);
    if (at == std::string_view::npos) return std::nullopt;
    std::size_t digits = at;
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(stub[digits - 1]))) --digits;
    const std::size_t name = at + stub_prefix.size();
    if (digits == at) return std::string(stub.substr(0, at)) + std::string(stub.substr(name));
    const std::size_t length = std::stoul(std::string(stub.substr(digits, at - digits)));
    if (length <= stub_prefix.size()) return std::nullopt;
    return std::string(stub.substr(0, digits)) + std::to_string(length - stub_prefix.size()) +
           std::string(stub.substr(name));
}

/// "ns::k<4>" of "void ns::k<4>(int*)".
std::string name_of(std::string text) {
    int depth = 0;
    for (std::size_t at = text.size(); at-- > 0;) {
        depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
        if (depth != 0 || text[at] != '(') continue;
        text.erase(at);
        break;
    }
    if (text.starts_with("void ")) text.erase(0, 5);
    return text;
}

/// The files that define a template's instance and what its arguments name.
class HeaderCollector : public clang::RecursiveASTVisitor<HeaderCollector> {
public:
    HeaderCollector(const FactReader& reader, const clang::SourceManager& sources)
        : reader_(reader), sources_(sources) {}

    /// Those of the toolkit's. Empty if what it is made of can't be told.
    std::vector<std::string> of(const clang::FunctionDecl& kernel) {
        if (const auto* pattern = kernel.getTemplateInstantiationPattern()) add(*pattern);
        if (const auto* arguments = kernel.getTemplateSpecializationArgs())
            for (const clang::TemplateArgument& argument : arguments->asArray()) add(argument);
        return complete_ ? std::vector<std::string>(files_.begin(), files_.end()) : std::vector<std::string>();
    }
    bool VisitTagType(clang::TagType* type) {
        add(*type->getDecl());
        return true;
    }

private:
    void add(const clang::TemplateArgument& argument) {
        using Kind = clang::TemplateArgument;
        switch (argument.getKind()) {
            case Kind::Null:
            case Kind::NullPtr:
                break;
            case Kind::Type:
                TraverseType(argument.getAsType().getCanonicalType());
                break;
            case Kind::Integral:
                TraverseType(argument.getIntegralType().getCanonicalType());
                break;
            case Kind::Declaration:
                add(*argument.getAsDecl());
                break;
            case Kind::Template:
                if (const auto* scheme = argument.getAsTemplate().getAsTemplateDecl()) add(*scheme);
                break;
            case Kind::Pack:
                for (const clang::TemplateArgument& each : argument.pack_elements()) add(each);
                break;
            default:
                complete_ = false;
        }
    }
    void add(const clang::Decl& declaration) {
        if (!seen_.insert(&declaration).second) return;
        const clang::Decl* defined = &declaration;
        if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(defined); record && record->getDefinition())
            defined = record->getDefinition();
        const clang::SourceLocation at = sources_.getExpansionLoc(defined->getLocation());
        if (reader_.is_toolkit(at)) files_.insert(sources_.getFilename(at).str());
        if (const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(defined)) {
            // An explicit specialization refers to its template.
            add(*instance->getSpecializedTemplate());
            for (const clang::TemplateArgument& argument : instance->getTemplateArgs().asArray()) add(argument);
        }
        if (const auto* outer = llvm::dyn_cast<clang::CXXRecordDecl>(declaration.getDeclContext())) add(*outer);
    }

    const FactReader& reader_;
    const clang::SourceManager& sources_;
    std::set<const clang::Decl*> seen_;
    std::set<std::string> files_;
    bool complete_ = true;
};

std::map<std::string, std::vector<std::string>> headers_by_stub(FactReader& reader) {
    std::map<std::string, std::vector<std::string>> headers;
    for (const clang::FunctionDecl* kernel : Instantiations::of_process().kernels()) {
        HeaderCollector collector(reader, kernel->getASTContext().getSourceManager());
        headers.emplace(reader.mangled(kernel, true), collector.of(*kernel));
    }
    return headers;
}

}  // namespace

void add_foreign_kernels(const llvm::Module& module, FactReader& reader, std::set<std::string>& known,
                         CellFacts& facts) {
    std::optional<std::map<std::string, std::vector<std::string>>> headers;
    for (const KernelFact& kernel : facts.kernels) known.insert(kernel.stub_symbol);
    for (const llvm::Function& function : module) {
        if (function.isDeclaration() || function.hasLocalLinkage()) continue;
        const std::string stub = function.getName().str();
        auto mangled = kernel_of_stub(stub);
        if (!mangled || !known.insert(stub).second) continue;
        KernelFact kernel;
        kernel.stub_symbol = stub;
        kernel.mangled = without_tags(std::move(*mangled));
        kernel.display = name_of(llvm::demangle(kernel.mangled));
        kernel.foreign = true;
        if (!headers) headers = headers_by_stub(reader);
        if (const auto found = headers->find(stub); found != headers->end()) kernel.headers = found->second;
        facts.kernels.push_back(std::move(kernel));
    }
}

}  // namespace cudash::session
