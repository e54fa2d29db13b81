#include "repl/session/clang/fact_reader.h"

#include <algorithm>

#include "clang/AST/DeclCXX.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/raw_ostream.h"
#include "repl/session/clang/device_spaces.h"
#include "repl/session/clang/fact_references.h"
#include "repl/session/clang/fact_watcher.h"
#include "repl/session/clang/nvcc_spelling.h"

namespace cudash::session {
namespace {

/// Clang's range of a declaration leaves out the attributes before its specifiers: alignas(64) static int a[16];
std::uint32_t with_attributes(llvm::StringRef text, std::uint32_t begin) {
    for (;;) {
        const llvm::StringRef before = text.take_front(begin).rtrim();
        std::size_t open = llvm::StringRef::npos;
        if (before.ends_with("]]")) {
            open = before.rfind("[[");
        } else if (before.ends_with(")")) {
            int depth = 0;
            for (std::size_t at = before.size(); at-- > 0 && open == llvm::StringRef::npos;) {
                depth += before[at] == ')' ? 1 : before[at] == '(' ? -1 : 0;
                if (depth == 0) open = at;
            }
            const llvm::StringRef keyword = "alignas", word = before.take_front(open).rtrim();
            open = word.ends_with(keyword) ? word.size() - keyword.size() : llvm::StringRef::npos;
        }
        if (open == llvm::StringRef::npos) return begin;
        begin = static_cast<std::uint32_t>(open);
    }
}

}  // namespace

FactReader::FactReader(clang::CompilerInstance& compiler, std::string cuda_include)
    : compiler_(compiler),
      sources_(compiler.getSourceManager()),
      cuda_include_(std::move(cuda_include)),
      mangler_(compiler.getASTContext().createMangleContext()) {
    compiler_.getPreprocessor().addPPCallbacks(std::make_unique<Watcher>(*this));
}

FactReader::~FactReader() = default;

bool FactReader::is_system(clang::SourceLocation location) const {
    return sources_.isInSystemHeader(sources_.getExpansionLoc(location)) || (sources_.isLoadedSourceLocation(location));
}

bool FactReader::is_toolkit(clang::SourceLocation location) const {
    return !cuda_include_.empty() &&
           sources_.getFilename(sources_.getExpansionLoc(location)).starts_with(cuda_include_);
}

TextRange FactReader::range_of(clang::SourceLocation begin, clang::SourceLocation end) const {
    TextRange range;
    if (begin.isInvalid() || end.isInvalid()) return range;
    const auto [file, offset] = sources_.getDecomposedExpansionLoc(begin);
    range.begin = offset;
    const auto last = sources_.getExpansionRange(end).getEnd();
    const auto [end_file, end_offset] = sources_.getDecomposedLoc(last);
    if (end_file != file) {
        range.end = range.begin;
        return range;
    }
    range.end = end_offset + clang::Lexer::MeasureTokenLength(last, sources_, compiler_.getLangOpts());
    return range;
}

std::size_t FactReader::first_offset(const clang::TopLevelStmtDecl& statement) const {
    std::size_t first = std::string::npos;
    std::vector<const clang::Stmt*> parts = {statement.getStmt()};
    while (!parts.empty()) {
        const clang::Stmt* each = parts.back();
        parts.pop_back();
        if (!each) continue;
        if (const auto begin = each->getBeginLoc(); begin.isValid() && !sources_.isLoadedSourceLocation(begin))
            first = std::min<std::size_t>(first, sources_.getDecomposedExpansionLoc(begin).second);
        parts.insert(parts.end(), each->child_begin(), each->child_end());
    }
    return first;
}

std::uint32_t FactReader::source_of(clang::FileID file, CellFacts& facts) {
    if (const auto known = source_index_.find(file); known != source_index_.end()) return known->second;
    const auto entry = sources_.getFileEntryRefForID(file);
    if (entry) {
        if (const auto known = file_index_.find(&entry->getFileEntry()); known != file_index_.end()) {
            source_index_[file] = known->second;
            return known->second;
        }
    }
    SourceText source;
    source.text = sources_.getBufferData(file).str();
    if (entry) {
        source.name = entry->getName().str();
        source.include_name = include_names_[&entry->getFileEntry()];
        file_index_[&entry->getFileEntry()] = next_source_;
    } else {
        source.name = cell_name_;
        source.is_cell = true;
        if (const auto end = source.text.rfind(end_of_cell); end != std::string::npos) source.text.erase(end);
    }
    if (const auto includes = includes_.find(file); includes != includes_.end()) source.includes = includes->second;
    source_index_[file] = next_source_;
    facts.sources.push_back(std::move(source));
    return next_source_++;
}

std::string FactReader::forget_files() {
    auto& headers = compiler_.getPreprocessor().getHeaderSearchInfo();
    for (const clang::FileEntryRef& file : user_files_) headers.getFileInfo(file).isPragmaOnce = false;
    user_files_.clear();
    std::string text;
    for (const std::string& name : user_macros_) text += "#undef " + name + "\n";
    user_macros_.clear();
    return text;
}

void FactReader::forget_headers() {
    auto& headers = compiler_.getPreprocessor().getHeaderSearchInfo();
    for (const clang::FileID file : entered_)
        if (const auto entry = sources_.getFileEntryRefForID(file);
            entry && !is_system(sources_.getLocForStartOfFile(file)))
            headers.getFileInfo(*entry).isPragmaOnce = false;
}

/// Before the file is entered.
void FactReader::join_launches(clang::FileEntryRef file) {
    if (!joined_.insert(&file.getFileEntry()).second) return;
    const auto buffer = sources_.getFileManager().getBufferForFile(file);
    if (!buffer) return;
    if (const auto text = as_clang_spells(std::string_view((*buffer)->getBuffer())))
        sources_.overrideFileContents(file, llvm::MemoryBuffer::getMemBufferCopy(*text, file.getName()));
}

void FactReader::discard_pending() {
    entered_.clear();
    skipped_.clear();
}

void FactReader::take_back() {
    for (const clang::FunctionDecl* kernel : last_kernels_) known_kernels_.erase(kernel);
}

void FactReader::read(clang::TranslationUnitDecl& part, const std::string& cell_name, CellFacts& facts) {
    cell_name_ = cell_name;
    last_kernels_.clear();
    for (const clang::FileID file : entered_)
        if (!sources_.isInSystemHeader(sources_.getLocForStartOfFile(file)) &&
            !is_toolkit(sources_.getLocForStartOfFile(file)))
            source_of(file, facts);
    facts.cell_source = source_of(cell_file_, facts);

    read_context(part, facts);

    for (auto& [file, regions] : skipped_)
        for (Skipped& skipped : regions)
            if (!skipped.claimed && source_index_.contains(file)) {
                Declaration declaration;
                declaration.id = next_id_++;
                declaration.role = Declaration::Role::device;
                declaration.source = source_index_[file];
                declaration.range = {skipped.range.begin, skipped.range.begin};
                declaration.words = skipped.words;
                facts.declarations.push_back(std::move(declaration));
            }
    discard_pending();

    // `template void f<int>();` is not a declaration of its own: it goes where its template goes.
    for (const auto* scheme : host_templates_)
        for (const auto* instance : scheme->specializations()) {
            if (instance->getTemplateSpecializationKind() != clang::TSK_ExplicitInstantiationDefinition) continue;
            const auto place = instance->getPointOfInstantiation();
            if (place.isInvalid() || !instantiations_.insert(place).second) continue;
            const auto [file, offset] = sources_.getDecomposedExpansionLoc(place);
            const llvm::StringRef text = sources_.getBufferData(file);
            const auto begin = text.substr(0, offset).rfind("template");
            if (begin == llvm::StringRef::npos) continue;
            Declaration declaration;
            declaration.id = next_id_++;
            declaration.source = source_of(file, facts);
            declaration.range.begin = static_cast<std::uint32_t>(begin);
            declaration.range.end = static_cast<std::uint32_t>(std::min(text.find(';', offset), text.size()));
            facts.declarations.push_back(std::move(declaration));
        }
    for (const auto* scheme : kernel_templates_)
        for (const auto* instance : scheme->specializations())
            if (instance->isTemplateInstantiation()) read_kernel(*instance, facts);
}

void FactReader::read_context(const clang::DeclContext& context, CellFacts& facts) {
    for (const clang::Decl* declaration : context.decls()) {
        if (const auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(declaration);
            statement && statement->isSemiMissing()) {
            Declaration value;
            value.id = id_of(declaration);
            value.what = Declaration::What::value;
            value.source = source_of(cell_file_, facts);
            const auto text_size = sources_.getBufferData(cell_file_).size() - end_of_cell.size();
            value.range.begin = static_cast<std::uint32_t>(std::min(first_offset(*statement), text_size));
            value.range.end = static_cast<std::uint32_t>(text_size);
            facts.declarations.push_back(std::move(value));
            continue;
        }
        if (declaration->isImplicit() || declaration->getLocation().isInvalid()) continue;
        if (is_system(declaration->getLocation()) || is_toolkit(declaration->getLocation())) continue;
        if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(declaration)) {
            read_context(*space, facts);
        } else if (const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(declaration)) {
            if (linkage->hasBraces())
                read_context(*linkage, facts);
            else
                for (const clang::Decl* inner : linkage->decls())
                    read_declaration(*inner, linkage->getBeginLoc(), facts);
        } else {
            read_declaration(*declaration, begin_of(*declaration), facts);
        }
    }
}

Declaration::Role FactReader::role_of(const clang::Decl& declaration) const {
    using Role = Declaration::Role;
    const auto is_ours = [this](clang::SourceLocation location) {
        return !is_system(location) || is_toolkit(location);
    };
    const clang::Decl& inner = templated(declaration);
    if (is_device(declaration)) return Role::device;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&inner))
        return function->isConstexpr() || llvm::isa<clang::CXXDeductionGuideDecl>(function) ? Role::shared : Role::host;
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&inner)) {
        const bool constant =
            variable->isConstexpr() || variable->getType().isConstQualified() || variable->getType()->isDependentType();
        return constant ? Role::shared : Role::host;
    }
    if (const auto* directive = llvm::dyn_cast<clang::UsingDirectiveDecl>(&declaration)) {
        const auto* space = directive->getNominatedNamespace();
        return space->isStdNamespace() || is_ours(space->getLocation()) ? Role::device : Role::host;
    }
    if (const auto* alias = llvm::dyn_cast<clang::NamespaceAliasDecl>(&declaration))
        return is_ours(alias->getNamespace()->getLocation()) ? Role::device : Role::host;
    if (const auto* using_declaration = llvm::dyn_cast<clang::UsingDecl>(&declaration)) {
        for (const auto* shadow : using_declaration->shadows())
            if (is_ours(shadow->getTargetDecl()->getLocation())) return Role::device;
        return Role::host;
    }
    if (llvm::isa<clang::TopLevelStmtDecl, clang::EmptyDecl, clang::FileScopeAsmDecl>(&declaration)) return Role::host;
    return Role::shared;
}

void FactReader::read_declaration(const clang::Decl& declaration, clang::SourceLocation begin, CellFacts& facts) {
    using Role = Declaration::Role;
    Declaration fact;
    fact.id = id_of(&declaration);
    if (const auto* named = llvm::dyn_cast<clang::NamedDecl>(&declaration)) fact.name = named->getNameAsString();
    const clang::FileID file = sources_.getDecomposedExpansionLoc(begin).first;
    fact.source = source_of(file, facts);
    fact.range = range_of(begin, declaration.getEndLoc());
    if (fact.range.begin < fact.range.end)
        fact.range.begin = with_attributes(sources_.getBufferData(file), fact.range.begin);

    const clang::Decl& inner = templated(declaration);
    fact.role = role_of(declaration);
    fact.is_type = llvm::isa<clang::TypeDecl>(inner);
    fact.what = llvm::isa<clang::TopLevelStmtDecl>(declaration) ? Declaration::What::statement
                : llvm::isa<clang::VarDecl>(inner)              ? Declaration::What::variable
                : llvm::isa<clang::FunctionDecl>(inner)         ? Declaration::What::function
                                                                : Declaration::What::other;
    fact.nested = !declaration.getDeclContext()->getRedeclContext()->isTranslationUnit();
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&inner);
        variable && variable->isStaticDataMember() && !is_device(declaration))
        fact.follows.push_back(id_of(llvm::cast<clang::Decl>(variable->getDeclContext())));
    if (const auto* specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&declaration))
        fact.follows.push_back(id_of(specialization->getSpecializedTemplate()));
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration))
        if (const auto* primary = function->getPrimaryTemplate(); primary && fact.role != Role::host)
            fact.follows.push_back(id_of(primary));

    if (fact.role != Role::host) {
        ReferenceVisitor visitor(*this, fact);
        visitor.set_root(&inner);
        visitor.traverse(const_cast<clang::Decl*>(&declaration));
    }
    for (auto& skipped : skipped_[file]) {
        if (skipped.range.begin < fact.range.begin || skipped.range.end > fact.range.end) continue;
        skipped.claimed = true;
        if (fact.role != Role::host) fact.words.insert(fact.words.end(), skipped.words.begin(), skipped.words.end());
    }
    facts.declarations.push_back(std::move(fact));
    read_entity(declaration, facts);
}

void FactReader::read_entity(const clang::Decl& declaration, CellFacts& facts) {
    if (const auto* scheme = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration)) {
        if (is_kernel(*scheme->getTemplatedDecl()))
            kernel_templates_.push_back(scheme->getCanonicalDecl());
        else if (!is_device(*scheme))
            host_templates_.push_back(scheme->getCanonicalDecl());
    } else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
        if (is_kernel(*function))
            read_kernel(*function, facts);
        else if (has_explicit<clang::CUDADeviceAttr>(*function) && !function->hasAttr<clang::CUDAHostAttr>())
            device_functions_.insert(mangled(function));
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
        read_variable(*variable, facts);
    }
}

void FactReader::read_kernel(const clang::FunctionDecl& function, CellFacts& facts) {
    if (!known_kernels_.insert(function.getCanonicalDecl()).second) return;
    last_kernels_.push_back(function.getCanonicalDecl());
    KernelFact kernel;
    kernel.id = id_of(&function);
    kernel.stub_symbol = mangled(&function, true);
    kernel.mangled = device_name(&function);
    clang::PrintingPolicy policy(compiler_.getLangOpts());
    policy.SuppressTagKeyword = true;
    policy.Bool = true;
    llvm::raw_string_ostream out(kernel.display);
    function.getNameForDiagnostic(out, policy, true);

    // NVRTC is given the instance's name, so what its arguments name must be there.
    if (const auto* arguments = function.getTemplateSpecializationArgs()) {
        Declaration instance;
        instance.id = next_id_++;
        instance.role = Declaration::Role::device;
        const auto [file, offset] = sources_.getDecomposedExpansionLoc(function.getLocation());
        instance.source = source_of(file, facts);
        instance.range = {offset, offset};
        ReferenceVisitor(*this, instance).add_arguments(arguments->asArray());
        kernel.instance = instance.id;
        facts.declarations.push_back(std::move(instance));
    }
    facts.kernels.push_back(std::move(kernel));
}

void FactReader::read_variable(const clang::VarDecl& variable, CellFacts& facts) {
    const bool managed = is_managed(variable);
    const bool constant = variable.hasAttr<clang::CUDAConstantAttr>();
    const bool device = has_explicit<clang::CUDADeviceAttr>(variable);
    if (!(managed || constant || device) || variable.hasAttr<clang::CUDASharedAttr>()) return;
    if (variable.isThisDeclarationADefinition() == clang::VarDecl::DeclarationOnly ||
        variable.getType()->isDependentType())
        return;
    VariableFact fact;
    fact.id = id_of(&variable);
    fact.shadow_symbol = mangled(&variable);
    fact.mangled = device_name(&variable);
    fact.display = variable.getQualifiedNameAsString();
    fact.size = compiler_.getASTContext().getTypeSizeInChars(variable.getType()).getQuantity();
    fact.kind = managed    ? VariableFact::Kind::managed
                : constant ? VariableFact::Kind::constant
                           : VariableFact::Kind::device;
    facts.variables.push_back(std::move(fact));
}

}  // namespace cudash::session
