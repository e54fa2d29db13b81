#include "repl/session/clang/code_uses.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "repl/session/clang/compiler_setup.h"
#include "repl/session/clang/diagnostic_collector.h"
#include "repl/session/clang/tree_visitor.h"

namespace cudash::session {
namespace {

constexpr std::array<std::string_view, 9> libraries = {"thrust",   "cub",      "cublas",  "cufft", "curand",
                                                       "cusparse", "cusolver", "cutlass", "cute"};

/// "cublasSgemm" and "cublas_v2.h", not "cubic" or "cutest".
bool names_library(std::string_view word) {
    return std::ranges::any_of(libraries, [&](std::string_view library) {
        return word.starts_with(library) &&
               (word.size() == library.size() || !std::islower(static_cast<unsigned char>(word[library.size()])));
    });
}

bool is_in_library(std::string_view path) {
    const std::filesystem::path file(path);
    return std::ranges::any_of(file, [](const std::filesystem::path& part) { return names_library(part.native()); });
}

bool is_prefixed(std::string_view word, std::string_view prefix) {
    return word.starts_with(prefix) && word.size() > prefix.size() &&
           std::isupper(static_cast<unsigned char>(word[prefix.size()]));
}

bool names_atomic(std::string_view word) {
    if (word.starts_with("__nv_atomic_")) return word != "__nv_atomic_thread_fence";
    return is_prefixed(word, "atomic") || word.find("Atomic") != std::string_view::npos ||
           word.starts_with("__nvvm_atom") || word.starts_with("__atomic_");
}

class UseVisitor : public TreeVisitor {
public:
    UseVisitor(clang::ASTContext& context, std::set<CodeUse>& uses, std::size_t begin)
        : TreeVisitor({.template_instantiations = true}),
          sources_(context.getSourceManager()),
          uses_(uses),
          begin_(begin) {}

    using TreeVisitor::traverse;
    bool traverse(clang::Decl* declaration) override {
        if (!declaration) return true;
        const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
        if (!function) return TreeVisitor::traverse(declaration);
        // What only the host runs has no atomic operations of the GPU. A constexpr function may be run by both.
        const bool outer = on_host_;
        on_host_ = !function->hasAttr<clang::CUDAGlobalAttr>() && !function->hasAttr<clang::CUDADeviceAttr>() &&
                   !function->isConstexpr();
        const bool goes_on = TreeVisitor::traverse(declaration);
        on_host_ = outer;
        return goes_on;
    }
    bool is_own(clang::SourceLocation location) const {
        if (location.isInvalid()) return false;
        const auto [file, offset] = sources_.getDecomposedExpansionLoc(location);
        return file == sources_.getMainFileID() && offset >= begin_;
    }

protected:
    bool visit(clang::Decl& declaration) override {
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
            variable && variable->hasAttr<clang::CUDASharedAttr>())
            add("shared", variable->getNameAsString(), variable->getLocation());
        if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
            function && function->hasAttr<clang::CUDAGlobalAttr>() && function->doesThisDeclarationHaveABody())
            add_kernel(*function);
        if (const auto* alias = llvm::dyn_cast<clang::NamespaceAliasDecl>(&declaration))
            note_space(alias->getNamespace(), alias->getLocation());
        if (const auto* directive = llvm::dyn_cast<clang::UsingDirectiveDecl>(&declaration))
            note_space(directive->getNominatedNamespace(), directive->getLocation());
        if (const auto* named = llvm::dyn_cast<clang::UsingDecl>(&declaration))
            note_space(space_of(named->getQualifier()), named->getLocation());
        return true;
    }

    bool visit(clang::Stmt& statement) override {
        const clang::SourceLocation at = statement.getBeginLoc();
        if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
            note(name->getDecl(), at);
            note_space(space_of(name->getQualifier()), at);
        } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&statement)) {
            note(member->getMemberDecl(), at);
        } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&statement)) {
            note(made->getConstructor()->getParent(), at);
        } else if (const auto* names = llvm::dyn_cast<clang::OverloadExpr>(&statement)) {
            for (const clang::NamedDecl* each : names->decls()) note(each, at);
            note_space(space_of(names->getQualifier()), at);
        } else if (const auto* atomic = llvm::dyn_cast<clang::AtomicExpr>(&statement)) {
            if (!on_host_) add("atomic", "__atomic", atomic->getBeginLoc());
        } else if (const auto* text = llvm::dyn_cast<clang::GCCAsmStmt>(&statement)) {
            read_ptx(text->getAsmString()->getString(), at);
        }
        return true;
    }

    bool visit(clang::TypeLoc type) override {
        if (const auto named = type.getAs<clang::TemplateSpecializationTypeLoc>())
            note(named.getTypePtr()->getTemplateName().getAsTemplateDecl(), type.getBeginLoc());
        else if (const auto tag = type.getAs<clang::TagTypeLoc>())
            note(tag.getDecl(), type.getBeginLoc());
        else if (const auto qualified = type.getAs<clang::ElaboratedTypeLoc>())
            note_space(space_of(qualified.getQualifierLoc().getNestedNameSpecifier()), type.getBeginLoc());
        return true;
    }

private:
    void add(std::string_view kind, std::string name, clang::SourceLocation at, std::size_t offset = 0) {
        const auto place = sources_.getPresumedLoc(sources_.getExpansionLoc(at));
        uses_.insert({std::string(kind), std::move(name), place.isValid() ? place.getLine() : 0, offset});
    }

    void add_kernel(const clang::FunctionDecl& kernel) {
        // A body that a macro makes is written where the macro is.
        const auto [file, offset] = sources_.getDecomposedSpellingLoc(kernel.getBody()->getBeginLoc());
        if (file == sources_.getMainFileID() && offset >= begin_)
            add("kernel", kernel.getNameAsString(), kernel.getLocation(), offset - begin_ + 1);
    }

    void read_ptx(llvm::StringRef text, clang::SourceLocation at) {
        for (const llvm::StringRef instruction : {"atom.", "red.", "atom{", "cp.reduce."})
            if (text.contains(instruction)) add("atomic", instruction.drop_back().str() + " in asm", at);
        if (text.contains(".shared")) add("shared", ".shared in asm", at);
    }

    /// The namespace that a qualifier names; nullptr: it names none.
    static const clang::NamespaceDecl* space_of(const clang::NestedNameSpecifier* qualifier) {
        for (; qualifier; qualifier = qualifier->getPrefix()) {
            if (const auto* space = qualifier->getAsNamespace()) return space;
            if (const auto* alias = qualifier->getAsNamespaceAlias()) return alias->getNamespace();
        }
        return nullptr;
    }

    /// What is named in a library's namespace may be declared somewhere else: much of Thrust is libcu++'s.
    void note_space(const clang::NamespaceDecl* space, clang::SourceLocation at) {
        if (space) note(space, at);
    }

    /// Something that was declared elsewhere is used here.
    void note(const clang::NamedDecl* declaration, clang::SourceLocation at) {
        if (!declaration) return;
        const std::string name = declaration->getNameAsString();
        const auto* function = declaration->getAsFunction();
        if (is_own(declaration->getLocation())) {
            // Declared by the text itself, and defined by nobody: it is what its name says.
            if (!function || function->isDefined() || function->hasAttr<clang::CUDAGlobalAttr>()) return;
            if (names_library(name)) return add("library", name, at);
            if (names_atomic(name)) return add("atomic", name, at);
            if (is_prefixed(name, "cuda")) add("call", name, at);
            return;
        }
        // The first: headers of libraries declare CUDA's built-in variables again.
        const clang::SourceLocation first = declaration->getCanonicalDecl()->getLocation();
        const auto place = sources_.getFilename(sources_.getExpansionLoc(first));
        const std::string_view path(place.data(), place.size());
        if (is_in_library(path)) add("library", name, at);
        if (!on_host_ && (is_atomic_class(*declaration, name) || (function && names_atomic(name))))
            add("atomic", name, at);
        const bool is_free = function && !function->isCXXClassMember() &&
                             function->getDeclContext()->getRedeclContext()->isFileContext();
        if (is_free && (is_prefixed(name, "cuda") || is_prefixed(name, "cu"))) add("call", name, at);
    }

    /// atomic, atomic_ref, and the functions about them, in cuda:: or std::.
    static bool is_atomic_class(const clang::NamedDecl& declaration, std::string_view name) {
        if (name != "atomic" && !name.starts_with("atomic_")) return false;
        for (const clang::DeclContext* each = declaration.getDeclContext(); each; each = each->getParent())
            if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(each);
                space && (space->getName() == "cuda" || space->getName() == "std"))
                return true;
        return false;
    }

    const clang::SourceManager& sources_;
    std::set<CodeUse>& uses_;
    std::size_t begin_;  ///< of the text, in its file
    bool on_host_ = false;
};

class UseConsumer : public clang::ASTConsumer {
public:
    UseConsumer(std::set<CodeUse>& uses, std::size_t begin) : uses_(uses), begin_(begin) {}
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
        declarations_.insert(declarations_.end(), group.begin(), group.end());
        return true;
    }
    void HandleInterestingDecl(clang::DeclGroupRef) override {}  // of the precompiled header
    void HandleTranslationUnit(clang::ASTContext& context) override {
        UseVisitor visitor(context, uses_, begin_);
        for (clang::Decl* each : declarations_)
            if (visitor.is_own(each->getLocation())) visitor.traverse(each);
    }

private:
    std::set<CodeUse>& uses_;
    std::size_t begin_;
    std::vector<clang::Decl*> declarations_;
};

class UseAction : public clang::ASTFrontendAction {
public:
    UseAction(std::set<CodeUse>& uses, std::size_t begin) : uses_(uses), begin_(begin) {}

protected:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
        return std::make_unique<UseConsumer>(uses_, begin_);
    }

private:
    std::set<CodeUse>& uses_;
    std::size_t begin_;
};

/// Adds what `text` uses behind `before`. True: all of it was understood.
Result<bool> add_uses(const HostEngine::Setup& setup, const std::string& before, const std::string& text,
                      std::set<CodeUse>& uses) {
    const auto header = precompiled_header(setup, false);
    if (!header) return header.error();
    auto made = make_compiler(setup);
    if (!made) return made.error();
    const std::string whole = before + text + "\n";
    auto invocation = std::make_shared<clang::CompilerInvocation>((*made)->getInvocation());
    auto& frontend = invocation->getFrontendOpts();
    frontend.Inputs.clear();
    frontend.Inputs.emplace_back(llvm::MemoryBufferRef(whole, "submission.cu"),
                                 clang::InputKind(clang::Language::CUDA));
    frontend.ProgramAction = clang::frontend::ParseSyntaxOnly;
    auto& preprocessor = invocation->getPreprocessorOpts();
    preprocessor.clearRemappedFiles();
    preprocessor.Includes.clear();
    preprocessor.ImplicitPCHInclude = *header;
    clang::CompilerInstance compiler;
    compiler.setInvocation(invocation);
    DiagnosticCollector collector;
    compiler.createDiagnostics(&collector, false);
    compiler.getDiagnosticOpts().ShowCarets = false;  // no count of errors on stderr
    UseAction action(uses, before.size());
    return compiler.ExecuteAction(action) && collector.getNumErrors() == 0;
}

}  // namespace

Result<CodeUses> read_code_uses(const HostEngine::Setup& setup, const std::string& declarations,
                                const std::string& text) {
    const std::string first_line = "\n#line 1\n";
    std::set<CodeUse> uses;
    const auto complete = add_uses(setup, declarations + first_line, text, uses);
    if (!complete) return complete.error();
    // What the host's compiler leaves out, the device's may read.
    if (text.find('#') != std::string::npos || text.find("%:") != std::string::npos)
        for (const char* device : {"#define __CUDA_ARCH__ 900\n",
                                   "#define __CUDA_ARCH__ 900\n#define __CUDACC_RTC__ 1\n#undef __clang__\n"
                                   "#undef __clang_major__\n"})
            if (const auto read = add_uses(setup, declarations + "\n" + device + first_line, text, uses); !read)
                return read.error();
    return CodeUses{{uses.begin(), uses.end()}, *complete};
}

}  // namespace cudash::session
