#include "repl/session/clang/code_completion.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <map>

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/CodeCompleteConsumer.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCodeCompletion.h"
#include "clang/Serialization/ASTReader.h"
#include "repl/session/clang/process_copy.h"
#include "repl/session/device/text_scan.h"

namespace cudash::session {
namespace {

using clang::CodeCompletionString;

constexpr auto patience = std::chrono::seconds(1);
constexpr std::size_t most_lookups = 2000;
constexpr std::size_t few = 8;  ///< so many candidates are shown with what their headers say

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::size_t word_at_end(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    return begin < text.size() && std::isdigit(static_cast<unsigned char>(text[begin])) ? 0 : text.size() - begin;
}

/// The chunks as they would be written; what is optional too.
void append(const CodeCompletionString& string, std::string& text) {
    for (const CodeCompletionString::Chunk& chunk : string) {
        switch (chunk.Kind) {
            case CodeCompletionString::CK_ResultType:
                text += chunk.Text;
                if (!text.ends_with('*') && !text.ends_with('&')) text += ' ';
                break;
            case CodeCompletionString::CK_Optional:
                append(*chunk.Optional, text);
                break;
            case CodeCompletionString::CK_CurrentParameter:
                text += std::string("«") + chunk.Text + "»";
                break;
            case CodeCompletionString::CK_VerticalSpace:
                text += ' ';
                break;
            default:
                if (chunk.Text) text += chunk.Text;
        }
    }
}

/// The text after `\brief` in the comment before a declaration, up to the sentence's end.
std::string brief_comment(const clang::SourceManager& sources, clang::SourceLocation at) {
    const auto [file, offset] = sources.getDecomposedExpansionLoc(at);
    bool invalid = false;
    const llvm::StringRef buffer = sources.getBufferData(file, &invalid);
    if (invalid) return {};
    llvm::StringRef before = buffer.take_front(offset);
    const std::size_t end = before.rfind("*/");
    if (end == llvm::StringRef::npos) return {};
    // Nothing but directives and the declaration's own beginning stand between.
    if (before.substr(end).find(';') != llvm::StringRef::npos || before.substr(end).find('}') != llvm::StringRef::npos)
        return {};
    before = before.take_front(end);
    const std::size_t begin = before.rfind("/*");
    if (begin == llvm::StringRef::npos) return {};
    const llvm::StringRef comment = before.substr(begin);
    const std::size_t brief = comment.find("\\brief ");
    if (brief == llvm::StringRef::npos) return {};
    llvm::StringRef line = comment.substr(brief + 7);
    line = line.take_front(line.find('\n')).trim();
    return line.str();
}

/// Fields and records of what the copy tells its parent.
constexpr char field_end = '\x1f', record_end = '\x1e';

class Writer {
public:
    explicit Writer(int file) : file_(file) {}
    void candidate(char kind, const Candidate& candidate) {
        text_ += kind;
        for (const std::string* field : {&candidate.text, &candidate.signature, &candidate.help})
            (text_ += *field) += field_end;
        text_ += candidate.is_call ? 'c' : '-';
        text_ += candidate.has_parameters ? 'p' : '-';
        text_ += static_cast<char>('0' + static_cast<int>(candidate.rank));
        text_ += record_end;
    }
    void more() { (text_ += '+') += record_end; }
    /// Ends the process.
    [[noreturn]] void finish() {
        write_all(file_, text_);
        _exit(0);
    }

private:
    int file_;
    std::string text_;
};

Completions read_records(std::string_view text) {
    Completions list;
    while (!text.empty()) {
        const std::size_t end = text.find(record_end);
        if (end == std::string_view::npos) break;  // the copy ended inside it
        std::string_view record = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (record.empty()) continue;
        const char kind = record.front();
        record.remove_prefix(1);
        if (kind == '+') {
            list.more = true;
            continue;
        }
        Candidate candidate;
        for (std::string* field : {&candidate.text, &candidate.signature, &candidate.help}) {
            const std::size_t field_size = std::min(record.find(field_end), record.size());
            *field = record.substr(0, field_size);
            record.remove_prefix(std::min(record.size(), field_size + 1));
        }
        if (record.size() != 3) continue;
        candidate.is_call = record[0] == 'c';
        candidate.has_parameters = record[1] == 'p';
        candidate.rank = static_cast<Candidate::Rank>(record[2] - '0');
        (kind == 'f' ? list.calls : list.candidates).push_back(std::move(candidate));
    }
    return list;
}

class Consumer : public clang::CodeCompleteConsumer {
public:
    Consumer(const clang::CodeCompleteOptions& options, clang::CompilerInstance& compiler, Writer& writer)
        : CodeCompleteConsumer(options),
          info_(std::make_shared<clang::GlobalCodeCompletionAllocator>()),
          compiler_(compiler),
          writer_(writer) {}

    clang::CodeCompletionAllocator& getAllocator() override { return info_.getAllocator(); }
    clang::CodeCompletionTUInfo& getCodeCompletionTUInfo() override { return info_; }

    void ProcessOverloadCandidates(clang::Sema& sema, unsigned argument, OverloadCandidate* candidates, unsigned count,
                                   clang::SourceLocation, bool braced) override {
        for (unsigned i = 0; i < count; ++i) {
            const CodeCompletionString* string =
                candidates[i].CreateSignatureString(argument, sema, getAllocator(), info_, false, braced);
            Candidate call;
            if (const clang::FunctionDecl* function = candidates[i].getFunction()) {
                call.text = function->getNameAsString();
                if (count <= few) call.help = brief_comment(sema.getSourceManager(), function->getLocation());
            }
            append(*string, call.signature);
            calls_.emplace(call.signature, std::move(call));
        }
    }

    void ProcessCodeCompleteResults(clang::Sema& sema, clang::CodeCompletionContext context,
                                    clang::CodeCompletionResult* results, unsigned count) override {
        prefix_ = compiler_.getPreprocessor().getCodeCompletionFilter().str();
        const clang::EnumDecl* wanted = nullptr;
        if (const clang::QualType type = context.getPreferredType(); !type.isNull())
            if (const auto* as_enum = type->getAs<clang::EnumType>()) wanted = as_enum->getDecl();
        // Where an enum is expected and nothing is typed yet, its values alone.
        if (wanted && prefix_.empty()) {
            for (const auto* value : wanted->enumerators()) add(sema, context, clang::CodeCompletionResult(value, 0));
            finish();
        }
        if (prefix_.empty() && !is_member(context) && !context.getCXXScopeSpecifier()) finish();
        if (wanted)
            for (const auto* value : wanted->enumerators())
                add(sema, context, clang::CodeCompletionResult(value, 0), true);
        for (unsigned i = 0; i < count; ++i) add(sema, context, results[i]);
        if (!prefix_.empty() && !is_member(context)) {
            if (!context.getCXXScopeSpecifier()) add_words();
            add_precompiled(sema, context);
        }
        finish();
    }

    [[noreturn]] void finish() {
        std::vector<const Candidate*> order;
        for (const auto& [name, candidate] : found_) order.push_back(&candidate);
        std::stable_sort(order.begin(), order.end(),
                         [](const Candidate* a, const Candidate* b) { return a->rank < b->rank; });
        if (order.size() > most_candidates || cut_) writer_.more();
        order.resize(std::min(order.size(), most_candidates));
        for (const Candidate* candidate : order) writer_.candidate('n', *candidate);
        for (const auto& [signature, call] : calls_) writer_.candidate('f', call);
        writer_.finish();
    }

private:
    static bool is_member(const clang::CodeCompletionContext& context) {
        return context.getKind() == clang::CodeCompletionContext::CCC_DotMemberAccess ||
               context.getKind() == clang::CodeCompletionContext::CCC_ArrowMemberAccess;
    }

    /// Names that belong to compilers and libraries are told to those who ask for them.
    bool is_offered(std::string_view name) const {
        if (name.starts_with("_") && !prefix_.starts_with("_")) return false;
        if (name.ends_with("_ptsz") || name.ends_with("_ptds")) return false;
        // The driver API, which is not there.
        const auto is_driver = [](std::string_view text) {
            return text.size() > 2 && (text.starts_with("cu") || text.starts_with("CU")) &&
                   (std::isupper(static_cast<unsigned char>(text[2])) || text[2] == '_');
        };
        if (is_driver(name) && !is_driver(prefix_)) return false;
        return !prefix_.empty() || !name.starts_with("operator");
    }

    Candidate::Rank rank_of(const clang::NamedDecl& declaration) const {
        if (!declaration.isFromASTFile()) return Candidate::Rank::session;
        // The toolkit's headers, and clang's for CUDA.
        const llvm::StringRef file = compiler_.getSourceManager().getFilename(
            compiler_.getSourceManager().getSpellingLoc(declaration.getLocation()));
        if (llvm::isa<clang::EnumConstantDecl>(declaration)) return Candidate::Rank::value;
        return file.contains("cuda") ? Candidate::Rank::cuda : Candidate::Rank::library;
    }

    void add(clang::Sema& sema, const clang::CodeCompletionContext& context, clang::CodeCompletionResult result,
             bool wanted = false) {
        if (result.Kind == clang::CodeCompletionResult::RK_Pattern || result.Hidden ||
            result.Availability == CXAvailability_NotAvailable || result.Availability == CXAvailability_NotAccessible)
            return;
        const CodeCompletionString* string =
            result.CreateCodeCompletionString(sema, context, getAllocator(), info_, false);
        Candidate candidate;
        candidate.text = string->getAllTypedText();
        if (!candidate.text.starts_with(prefix_) || candidate.text.empty() || !is_word(candidate.text.front())) return;
        if (!is_offered(candidate.text)) return;
        for (const CodeCompletionString::Chunk& chunk : *string) {
            if (chunk.Kind == CodeCompletionString::CK_LeftParen) candidate.is_call = true;
            if (candidate.is_call &&
                (chunk.Kind == CodeCompletionString::CK_Placeholder || chunk.Kind == CodeCompletionString::CK_Optional))
                candidate.has_parameters = true;
        }
        candidate.rank = Candidate::Rank::language;
        if (result.Kind == clang::CodeCompletionResult::RK_Declaration) {
            if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(result.Declaration);
                record && record->isInjectedClassName())
                return;
            if (!wanted)
                candidate.rank = rank_of(*result.Declaration);
            else
                candidate.rank = Candidate::Rank::session;
            append(*string, candidate.signature);
            // A class has constructors, but its name stands without parentheses, too.
            if (llvm::isa<clang::TypeDecl, clang::ClassTemplateDecl>(result.Declaration)) candidate.is_call = false;
            if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(result.Declaration);
                function && function->hasAttr<clang::CUDAGlobalAttr>()) {
                candidate.is_call = false;  // <<<...>>> comes first
                candidate.signature = std::string(kernel_mark) + candidate.signature;
            }
            if (found_.size() < few && candidate.rank == Candidate::Rank::cuda)
                candidate.help = brief_comment(sema.getSourceManager(), result.Declaration->getLocation());
        }
        found_.emplace(candidate.text, std::move(candidate));
    }

    /// Words that clang does not offer outside functions, or has as macros.
    void add_words() {
        for (const char* word : {"__constant__", "__device__",
                                 "__global__",   "__grid_constant__",
                                 "__host__",     "__launch_bounds__",
                                 "__managed__",  "__restrict__",
                                 "__shared__",   "break",
                                 "case",         "catch",
                                 "continue",     "default",
                                 "do",           "else",
                                 "for",          "goto",
                                 "if",           "return",
                                 "switch",       "throw",
                                 "try",          "while"})
            if (std::string_view(word).starts_with(prefix_))
                found_.try_emplace(word, Candidate{word, {}, {}, false, false, Candidate::Rank::language});
    }

    /// Names of the precompiled headers. Clang would load them all; here only those that begin so are looked up.
    void add_precompiled(clang::Sema& sema, clang::CodeCompletionContext& context) {
        const auto reader = compiler_.getASTReader();
        if (!reader) return;
        std::vector<std::string> names;
        const std::unique_ptr<clang::IdentifierIterator> all(reader->getIdentifiers());
        for (llvm::StringRef name = all->Next(); !name.empty(); name = all->Next())
            if (name.starts_with(prefix_) && (!name.starts_with("_") || prefix_.starts_with("_")))
                names.push_back(name.str());
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        if (names.size() > most_lookups) {
            cut_ = true;
            names.resize(most_lookups);
        }
        clang::DeclContext* scope = nullptr;
        if (const auto specifier = context.getCXXScopeSpecifier()) {
            scope = sema.computeDeclContext(**specifier);
            if (!scope) return;
        }
        for (const std::string& name : names) {
            if (found_.contains(name)) continue;
            clang::LookupResult lookup(sema, sema.getPreprocessor().getIdentifierInfo(name), clang::SourceLocation(),
                                       clang::Sema::LookupOrdinaryName);
            lookup.suppressDiagnostics();
            if (scope) {
                sema.LookupQualifiedName(lookup, scope);
            } else {
                sema.LookupName(lookup, sema.getCurScope());
            }
            if (const auto* macro = sema.getPreprocessor().getMacroInfo(lookup.getLookupName().getAsIdentifierInfo());
                macro && !scope)
                add(sema, context, {lookup.getLookupName().getAsIdentifierInfo(), macro});
            // Of overloads, the one that its header explains.
            for (const bool explained : {true, false})
                for (const clang::NamedDecl* declaration : lookup)
                    if (!explained || !brief_comment(sema.getSourceManager(), declaration->getLocation()).empty())
                        add(sema, context, clang::CodeCompletionResult(declaration, 0));
        }
    }

    clang::CodeCompletionTUInfo info_;
    clang::CompilerInstance& compiler_;
    Writer& writer_;
    std::string prefix_;
    std::map<std::string, Candidate> found_, calls_;
    bool cut_ = false;
};

/// In the copy of the process.
[[noreturn]] void tell(clang::Interpreter& interpreter, const std::string& text, int file) {
    constexpr const char* name = "/cudash/unfinished.cu";
    auto& compiler = *interpreter.getCompilerInstance();
    clang::IgnoringDiagConsumer silent;
    compiler.getDiagnostics().Reset(true);
    compiler.getDiagnostics().setClient(&silent, false);
    Writer writer(file);

    clang::CodeCompleteOptions options;
    options.IncludeMacros = true;
    options.IncludeGlobals = true;
    // Members are few, and all of a class are loaded anyway.
    const std::string_view before = std::string_view(text).substr(0, text.size() - word_at_end(text));
    options.LoadExternal = before.ends_with('.') || before.ends_with("->");
    Consumer consumer(options, compiler, writer);
    compiler.getSema().CodeCompletion().CodeCompleter = &consumer;

    auto& sources = compiler.getSourceManager();
    auto& preprocessor = compiler.getPreprocessor();
    const auto entry = compiler.getFileManager().getVirtualFileRef(name, static_cast<off_t>(text.size()), 0);
    sources.overrideFileContents(entry, llvm::MemoryBuffer::getMemBufferCopy(text, name));
    const auto line = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n')) + 1;
    const auto column = static_cast<unsigned>(text.size() - (text.rfind('\n') + 1)) + 1;
    if (preprocessor.SetCodeCompletionPoint(entry, line, column)) consumer.finish();
    // The interpreter's own parser was made when no completion was wanted, and does not follow expected types.
    // A second one needs a table of pragmas of its own.
    preprocessor.InitializeForModelFile();
    clang::Parser parser(preprocessor, compiler.getSema(), false);
    preprocessor.EnterSourceFile(sources.createFileID(entry, {}, clang::SrcMgr::C_User), nullptr, {});
    parser.Initialize();
    clang::Parser::DeclGroupPtrTy group;
    auto state = clang::Sema::ModuleImportState::NotACXX20Module;
    for (bool at_end = parser.ParseFirstTopLevelDecl(group, state); !at_end;)
        at_end = parser.ParseTopLevelDecl(group, state);
    consumer.finish();
}

/// What a copy of the process, which then ends, says about `text`.
Completions ask_copy(clang::Interpreter& interpreter, const std::string& text) {
    const auto copy = in_copy([&](int file) { tell(interpreter, text, file); }, {.wait = patience});
    return read_records(copy.told);
}

/// The start of the last statement of `text` that is in no braces.
std::size_t last_statement(std::string_view text) {
    std::size_t begin = 0;
    int depth = 0;
    for (const TextRun& run : scan_text(text)) {
        if (run.kind == TextRun::Kind::directive) begin = run.end;
        if (run.kind != TextRun::Kind::code) continue;
        for (std::size_t i = run.begin; i < run.end; ++i) {
            if (text[i] == '{' || text[i] == '(' || text[i] == '[') ++depth;
            if (text[i] == '}' || text[i] == ')' || text[i] == ']') --depth;
            if (depth == 0 && (text[i] == ';' || text[i] == '}')) begin = i + 1;
        }
    }
    return begin;
}

}  // namespace

Completions complete(clang::Interpreter& interpreter, const std::string& text) {
    Completions list = ask_copy(interpreter, text);
    if (list.candidates.empty() && list.calls.empty()) {
        // Outside functions clang takes `f(a, ` for a declaration; behind a `=` it can't be one.
        const std::size_t statement = last_statement(text);
        list =
            ask_copy(interpreter, text.substr(0, statement) + " auto&& cudash_unfinished = " + text.substr(statement));
    }
    list.word = word_at_end(text);
    return list;
}

}  // namespace cudash::session
