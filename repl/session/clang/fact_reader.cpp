#include "repl/session/clang/fact_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/raw_ostream.h"
#include "repl/session/clang/managed.h"
#include "repl/session/clang/nvcc_spelling.h"
#include "repl/session/clang/tree_visitor.h"

namespace cudash::session {
namespace {

template <class Attribute>
bool has_explicit(const clang::Decl& declaration) {
    const auto* attribute = declaration.getAttr<Attribute>();
    return attribute && !attribute->isImplicit();
}

/// The declaration inside a template, or the declaration itself.
const clang::Decl& templated(const clang::Decl& declaration) {
    if (const auto* scheme = llvm::dyn_cast<clang::TemplateDecl>(&declaration))
        if (const auto* inner = scheme->getTemplatedDecl()) return *inner;
    return declaration;
}

/// Has an execution or memory space of the device, written by the student (constexpr functions get one implicitly).
bool is_device(const clang::Decl& outer) {
    const clang::Decl& declaration = templated(outer);
    return has_explicit<clang::CUDAGlobalAttr>(declaration) || has_explicit<clang::CUDADeviceAttr>(declaration) ||
           has_explicit<clang::CUDAConstantAttr>(declaration) || has_explicit<clang::CUDASharedAttr>(declaration) ||
           is_managed(declaration);
}

bool is_kernel(const clang::FunctionDecl& function) {
    return function.hasAttr<clang::CUDAGlobalAttr>();
}

/// The mangled name as NVRTC makes it: without redefinition tags ("B" length "cudash" number).
std::string untagged(std::string name) {
    for (std::size_t at = 0; (at = name.find(redefinition_tag, at)) != std::string::npos;) {
        std::size_t begin = at;
        while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
        std::size_t end = at + redefinition_tag.size();
        while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end]))) ++end;
        // The length says where the number ends: what follows may begin with a digit of its own.
        const std::size_t length = begin < at ? std::stoul(name.substr(begin, at - begin)) : 0;
        if (length >= redefinition_tag.size() && begin > 0 && name[begin - 1] == 'B') {
            name.erase(begin - 1, at - (begin - 1) + length);
            at = begin - 1;
        } else {
            at = end;
        }
    }
    return name;
}

void add_identifiers(llvm::StringRef text, std::vector<std::string>& words) {
    for (std::size_t i = 0; i < text.size();) {
        if (!clang::isAsciiIdentifierStart(text[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && clang::isAsciiIdentifierContinue(text[end])) ++end;
        words.push_back(text.slice(i, end).str());
        i = end;
    }
}

/// Host standard headers and the toolkit's device-side stand-ins (libcu++), by the file that declares an entity.
struct StandIn {
    std::string_view host, device;
};
constexpr std::array stand_ins = {
    StandIn{"limits", "cuda/std/limits"},
    StandIn{"type_traits", "cuda/std/type_traits"},
    StandIn{"bits/move.h", "cuda/std/utility"},
    StandIn{"bits/utility.h", "cuda/std/utility"},
    StandIn{"bits/stl_pair.h", "cuda/std/utility"},
    StandIn{"utility", "cuda/std/utility"},
    StandIn{"array", "cuda/std/array"},
    StandIn{"tuple", "cuda/std/tuple"},
    StandIn{"complex", "cuda/std/complex"},
    StandIn{"bits/stl_algobase.h", "cuda/std/algorithm"},
    StandIn{"bits/stl_function.h", "cuda/std/functional"},
    StandIn{"bits/stl_algo.h", "cuda/std/algorithm"},
    StandIn{"initializer_list", "cuda/std/initializer_list"},
    StandIn{"optional", "cuda/std/optional"},
    StandIn{"cmath", "cuda/std/cmath"},
    StandIn{"bits/std_abs.h", "cuda/std/cmath"},
    StandIn{"__clang_cuda_cmath.h", "cuda/std/cmath"},
    StandIn{"__clang_cuda_math_forward_declares.h", "cuda/std/cmath"},
    StandIn{"cstddef", "cuda/std/cstddef"},
    StandIn{"cstdint", "cuda/std/cstdint"},
    StandIn{"atomic", "cuda/std/atomic"},
};

/// The toolkit's headers that device code may include: by the beginning of the name that #include uses. The others
/// declare host functions, which NVRTC refuses (Thrust's, and CUB's of whole devices, too: kernels that use them go
/// through nvcc); what device code needs of the runtime's own header NVRTC has built in.
constexpr std::array device_headers = {
    "cooperative_groups",
    "cuda_fp16",
    "cuda_bf16",
    "cuda_fp8",
    "cuda_fp6",
    "cuda_fp4",
    "cuda_pipeline",
    "cuda_awbarrier",
    "mma.h",
    "cuComplex.h",
    "curand_kernel",
    "math_constants.h",
    "cuda/",
    "cub/agent/",
    "cub/block/",
    "cub/thread/",
    "cub/util",
    "cub/warp/",
    "nv/",
    "vector_types.h",
    "curand_mtgp32_kernel.h",
    "curand_philox4x32_x.h",
};

bool is_device_header(llvm::StringRef name) {
    return std::any_of(device_headers.begin(), device_headers.end(),
                       [&](const char* prefix) { return name.starts_with(prefix); });
}

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

/// Sees #include, skipped text and the file that a cell is.
class FactReader::Watcher : public clang::PPCallbacks {
public:
    explicit Watcher(FactReader& reader) : reader_(reader) {}

    void FileChanged(clang::SourceLocation location, FileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                     clang::FileID) override {
        if (reason != EnterFile) return;
        const clang::FileID file = reader_.sources_.getFileID(location);
        if (const auto entry = reader_.sources_.getFileEntryRefForID(file)) {
            reader_.entered_.push_back(file);
            if (!reader_.is_system(location)) reader_.user_files_.push_back(*entry);
        } else if (reader_.sources_.getBufferName(location).starts_with("input_line")) {
            reader_.cell_file_ = file;
            reader_.entered_.push_back(file);
        }
    }

    void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name, bool,
                            clang::CharSourceRange name_range, clang::OptionalFileEntryRef file, llvm::StringRef,
                            llvm::StringRef, const clang::Module*, bool,
                            clang::SrcMgr::CharacteristicKind kind) override {
        auto& sources = reader_.sources_;
        if (sources.isInSystemHeader(hash)) return;
        SourceText::Include include;
        include.range.begin = sources.getFileOffset(hash);
        include.range.end = sources.getFileOffset(sources.getExpansionLoc(name_range.getEnd()));
        if (file) {
            const llvm::StringRef path = file->getName();
            if (!reader_.cuda_include_.empty() && path.starts_with(reader_.cuda_include_))
                include.kind =
                    is_device_header(name) ? SourceText::Include::Kind::cuda : SourceText::Include::Kind::host;
            else if (!clang::SrcMgr::isSystem(kind))
                include.kind = SourceText::Include::Kind::user;
            if (include.kind == SourceText::Include::Kind::user) reader_.join_launches(*file);
            reader_.include_names_.try_emplace(&file->getFileEntry(), name.str());
        }
        reader_.includes_[sources.getFileID(hash)].push_back(include);
    }

    void MacroDefined(const clang::Token& name, const clang::MacroDirective* directive) override {
        if (!reader_.is_system(directive->getLocation()) && directive->getLocation().isFileID() &&
            reader_.sources_.getFilename(directive->getLocation()) != "")
            reader_.user_macros_.insert(name.getIdentifierInfo()->getName().str());
    }

    void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override {
        auto& sources = reader_.sources_;
        if (sources.isInSystemHeader(range.getBegin())) return;
        const auto [file, begin] = sources.getDecomposedExpansionLoc(range.getBegin());
        const unsigned end = sources.getFileOffset(sources.getExpansionLoc(range.getEnd()));
        const llvm::StringRef text = sources.getBufferData(file).slice(begin, end);
        // What counts is text that the device side will see: conditions on CUDA's own macros, and #else branches.
        const llvm::StringRef directive = text.take_until([](char c) { return c == '\n'; });
        const llvm::StringRef keyword = directive.drop_front(directive.starts_with("#") ? 1 : 0).ltrim();
        if (!directive.contains("CUDA") && !keyword.starts_with("el")) return;
        Skipped skipped{{begin, end}, {}, false};
        add_identifiers(text, skipped.words);
        reader_.skipped_[file].push_back(std::move(skipped));
    }

private:
    FactReader& reader_;
};

/// Collects what one declaration refers to. Member functions without a device space collect into members of their own.
class FactReader::ReferenceVisitor : public TreeVisitor {
public:
    ReferenceVisitor(FactReader& reader, Declaration& declaration)
        : reader_(reader), declaration_(declaration), uses_(&declaration.uses), words_(&declaration.words) {}

    using TreeVisitor::traverse;
    bool traverse(clang::Decl* declaration) override {
        if (!declaration || declaration->isImplicit()) return true;
        const clang::FunctionDecl* function = nullptr;
        if (declaration->getDeclContext()->isRecord() && !in_member_) {
            if (const auto* scheme = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
                function = scheme->getTemplatedDecl();
            else
                function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
        }
        if (!function || is_device(*function) || function == root_) return TreeVisitor::traverse(declaration);

        Declaration::Member member;
        member.id = reader_.id_of(declaration);
        member.name = function->getNameAsString();
        member.range = reader_.range_of(declaration->getBeginLoc(), declaration->getEndLoc());
        if (function->doesThisDeclarationHaveABody() && function->getBody())
            member.body = reader_.range_of(function->getBody()->getBeginLoc(), function->getBody()->getEndLoc());
        if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function))
            member.is_virtual = method->isVirtual();
        const auto outer_uses = uses_;
        const auto outer_words = words_;
        uses_ = &member.uses;
        words_ = &member.words;
        in_member_ = true;
        TreeVisitor::traverse(declaration);
        in_member_ = false;
        uses_ = outer_uses;
        words_ = outer_words;
        declaration_.members.push_back(std::move(member));
        return true;
    }

    void set_root(const clang::Decl* root) { root_ = root; }

    /// Arguments of an instantiation: types of the session that the template itself does not name.
    void add_arguments(llvm::ArrayRef<clang::TemplateArgument> arguments) {
        for (const clang::TemplateArgument& argument : arguments)
            if (argument.getKind() == clang::TemplateArgument::Declaration)
                add(argument.getAsDecl());
            else
                traverse(argument);
    }

protected:
    bool visit(clang::Stmt& statement) override {
        if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
            add(reference->getDecl());
        } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&statement)) {
            add(member->getMemberDecl());
        } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&statement)) {
            add(made->getConstructor());
        } else if (const auto* overloaded = llvm::dyn_cast<clang::OverloadExpr>(&statement)) {
            for (const auto* candidate : overloaded->decls()) add(candidate);
            add_word(overloaded->getName());
        } else if (const auto* of_object = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(&statement)) {
            add_word(of_object->getMember());
        } else if (const auto* of_scope = llvm::dyn_cast<clang::DependentScopeDeclRefExpr>(&statement)) {
            add_word(of_scope->getDeclName());
        } else if (llvm::isa<clang::CUDAKernelCallExpr>(statement)) {
            add_device_runtime();
        }
        return true;
    }
    bool visit(clang::Type& type) override {
        const auto* tag = llvm::dyn_cast<clang::TagType>(&type);
        if (!tag) return true;
        add(tag->getDecl());
        if (const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(tag->getDecl())) {
            add(instance->getSpecializedTemplate());
            add_arguments(instance->getTemplateArgs().asArray());
        }
        return true;
    }
    bool visit(clang::TypeLoc location) override {
        if (const auto alias = location.getAs<clang::TypedefTypeLoc>()) {
            add(alias.getTypedefNameDecl());
        } else if (const auto injected = location.getAs<clang::InjectedClassNameTypeLoc>()) {
            add(injected.getDecl());
        } else if (const auto instance = location.getAs<clang::TemplateSpecializationTypeLoc>()) {
            add(instance.getTypePtr()->getTemplateName().getAsTemplateDecl());
        } else if (const auto deduced = location.getAs<clang::DeducedTemplateSpecializationTypeLoc>()) {
            add(deduced.getTypePtr()->getTemplateName().getAsTemplateDecl());
        }
        return true;
    }

private:
    void add_word(const clang::DeclarationName& name) {
        if (name.isIdentifier()) words_->push_back(name.getAsString());
    }

    void add(const clang::Decl* declaration) {
        if (!declaration) return;
        if (const auto* shadow = llvm::dyn_cast<clang::UsingShadowDecl>(declaration))
            declaration = shadow->getTargetDecl();
        const auto location = declaration->getLocation();
        if (location.isInvalid()) return;
        if (reader_.is_system(location)) {
            if (declaration->isInStdNamespace() || is_std_member(declaration)) add_stand_in(location);
            if (llvm::isa<clang::FunctionDecl>(declaration) && is_of_runtime(location)) add_device_runtime();
            return;
        }
        if (llvm::isa<clang::ParmVarDecl, clang::FieldDecl, clang::TemplateTypeParmDecl,
                      clang::NonTypeTemplateParmDecl>(declaration) &&
            !llvm::isa<clang::FieldDecl>(declaration))
            return;
        uses_->push_back(reader_.id_of(declaration));
        // A member keeps its class; a class's nested things keep the class.
        const clang::DeclContext* context = declaration->getDeclContext()->getRedeclContext();
        const clang::Decl* owner = nullptr;
        while (context && !context->isFileContext()) {
            owner = clang::Decl::castFromDeclContext(context);
            context = context->getParent()->getRedeclContext();
        }
        if (owner) uses_->push_back(reader_.id_of(owner));
    }

    bool is_of_runtime(clang::SourceLocation location) const {
        const llvm::StringRef file = reader_.sources_.getFilename(reader_.sources_.getExpansionLoc(location));
        return file.ends_with("/cuda_runtime_api.h") || file.ends_with("/cuda_device_runtime_api.h");
    }
    void add_device_runtime() { declaration_.std_headers.emplace_back(device_runtime_header); }

    static bool is_std_member(const clang::Decl* declaration) {
        for (const auto* context = declaration->getDeclContext(); context; context = context->getParent())
            if (context->isStdNamespace()) return true;
        return false;
    }

    void add_stand_in(clang::SourceLocation location) {
        const llvm::StringRef path = reader_.sources_.getFilename(reader_.sources_.getExpansionLoc(location));
        for (const StandIn& entry : stand_ins) {
            const std::string tail = "/" + std::string(entry.host);
            if (path.ends_with(tail)) {
                declaration_.std_headers.emplace_back(entry.device);
                return;
            }
        }
    }

    FactReader& reader_;
    Declaration& declaration_;
    std::vector<Declaration::Id>* uses_;
    std::vector<std::string>* words_;
    const clang::Decl* root_ = nullptr;
    bool in_member_ = false;
};

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

Declaration::Id FactReader::id_of(const clang::Decl* declaration) {
    for (;;) {
        const clang::Decl* next = declaration;
        if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(next)) {
            if (const auto* pattern = function->getTemplateInstantiationPattern()) next = pattern;
            if (const auto* described = llvm::cast<clang::FunctionDecl>(next)->getDescribedFunctionTemplate())
                next = described;
        } else if (const auto* specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(next)) {
            if (!specialization->isExplicitSpecialization()) next = specialization->getSpecializedTemplate();
        } else if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(next)) {
            if (const auto* pattern = record->getTemplateInstantiationPattern()) next = pattern;
            if (const auto* described = llvm::cast<clang::CXXRecordDecl>(next)->getDescribedClassTemplate())
                next = described;
        } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(next)) {
            if (const auto* pattern = variable->getTemplateInstantiationPattern()) next = pattern;
            if (const auto* described = llvm::cast<clang::VarDecl>(next)->getDescribedVarTemplate()) next = described;
        } else if (const auto* alias = llvm::dyn_cast<clang::TypeAliasDecl>(next)) {
            if (const auto* described = alias->getDescribedAliasTemplate()) next = described;
        } else if (const auto* enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(next)) {
            next = llvm::cast<clang::EnumDecl>(enumerator->getDeclContext());
        }
        next = next->getCanonicalDecl();
        if (next == declaration) break;
        declaration = next;
    }
    const auto [entry, is_new] = ids_.try_emplace(declaration, next_id_);
    if (is_new) ++next_id_;
    return entry->second;
}

std::string FactReader::mangled(const clang::NamedDecl* declaration, bool stub) {
    std::string name;
    llvm::raw_string_ostream out(name);
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (!mangler_->shouldMangleDeclName(declaration)) {
        if (stub) out << "__device_stub__";
        out << declaration->getName();
    } else if (function && is_kernel(*function)) {
        mangler_->mangleName(
            clang::GlobalDecl(function, stub ? clang::KernelReferenceKind::Stub : clang::KernelReferenceKind::Kernel),
            out);
    } else if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(declaration)) {
        mangler_->mangleName(clang::GlobalDecl(constructor, clang::Ctor_Complete), out);
    } else if (const auto* destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(declaration)) {
        mangler_->mangleName(clang::GlobalDecl(destructor, clang::Dtor_Complete), out);
    } else {
        mangler_->mangleName(clang::GlobalDecl(function ? clang::GlobalDecl(function)
                                                        : clang::GlobalDecl(llvm::cast<clang::VarDecl>(declaration))),
                             out);
    }
    return name;
}

std::string FactReader::device_name(const clang::NamedDecl* declaration) {
    return untagged(mangled(declaration));
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

    // `template void f<int>();` is no declaration of its own: it goes where its template goes.
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
            read_declaration(*declaration, declaration->getBeginLoc(), facts);
        }
    }
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
    fact.role = Role::shared;
    fact.is_type = llvm::isa<clang::TypeDecl>(inner);
    fact.what = llvm::isa<clang::TopLevelStmtDecl>(declaration) ? Declaration::What::statement
                : llvm::isa<clang::VarDecl>(inner)              ? Declaration::What::variable
                : llvm::isa<clang::FunctionDecl>(inner)         ? Declaration::What::function
                                                                : Declaration::What::other;
    fact.nested = !declaration.getDeclContext()->getRedeclContext()->isTranslationUnit();
    if (is_device(declaration)) {
        fact.role = Role::device;
    } else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&inner)) {
        if (!function->isConstexpr() && !llvm::isa<clang::CXXDeductionGuideDecl>(function)) fact.role = Role::host;
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&inner)) {
        if (!variable->isConstexpr() && !variable->getType().isConstQualified() &&
            !variable->getType()->isDependentType())
            fact.role = Role::host;
        if (variable->isStaticDataMember())
            fact.follows.push_back(id_of(llvm::cast<clang::Decl>(variable->getDeclContext())));
    } else if (const auto* directive = llvm::dyn_cast<clang::UsingDirectiveDecl>(&declaration)) {
        const auto* space = directive->getNominatedNamespace();
        const bool visible =
            space->isStdNamespace() || !is_system(space->getLocation()) || is_toolkit(space->getLocation());
        fact.role = visible ? Role::device : Role::host;
    } else if (const auto* alias = llvm::dyn_cast<clang::NamespaceAliasDecl>(&declaration)) {
        const auto* space = alias->getNamespace();
        fact.role = !is_system(space->getLocation()) || is_toolkit(space->getLocation()) ? Role::device : Role::host;
    } else if (const auto* using_declaration = llvm::dyn_cast<clang::UsingDecl>(&declaration)) {
        fact.role = Role::host;
        for (const auto* shadow : using_declaration->shadows()) {
            const auto location = shadow->getTargetDecl()->getLocation();
            if (!is_system(location) || is_toolkit(location)) fact.role = Role::device;
        }
    } else if (llvm::isa<clang::TopLevelStmtDecl, clang::EmptyDecl, clang::FileScopeAsmDecl>(&declaration)) {
        fact.role = Role::host;
    }
    if (const auto* specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&declaration))
        fact.follows.push_back(id_of(specialization->getSpecializedTemplate()));
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration))
        if (const auto* primary = function->getPrimaryTemplate(); primary && fact.role != Role::host)
            fact.follows.push_back(id_of(primary));

    if (fact.role != Role::host) {
        ReferenceVisitor visitor(*this, fact);
        visitor.set_root(&inner);
        visitor.traverse(const_cast<clang::Decl*>(&declaration));
        for (auto& skipped : skipped_[file])
            if (skipped.range.begin >= fact.range.begin && skipped.range.end <= fact.range.end) {
                skipped.claimed = true;
                fact.words.insert(fact.words.end(), skipped.words.begin(), skipped.words.end());
            }
    } else {
        for (auto& skipped : skipped_[file])
            if (skipped.range.begin >= fact.range.begin && skipped.range.end <= fact.range.end) skipped.claimed = true;
    }
    facts.declarations.push_back(std::move(fact));

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
    kernel.mangled = untagged(mangled(&function));
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
    fact.mangled = untagged(fact.shadow_symbol);
    fact.display = variable.getQualifiedNameAsString();
    fact.size = compiler_.getASTContext().getTypeSizeInChars(variable.getType()).getQuantity();
    fact.kind = managed    ? VariableFact::Kind::managed
                : constant ? VariableFact::Kind::constant
                           : VariableFact::Kind::device;
    facts.variables.push_back(std::move(fact));
}

}  // namespace cudash::session
