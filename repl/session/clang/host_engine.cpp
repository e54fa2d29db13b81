#include "repl/session/clang/host_engine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExternalASTSource.h"
#include "clang/Interpreter/Interpreter.h"
#include "clang/Interpreter/PartialTranslationUnit.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "repl/session/clang/compiler_setup.h"
#include "repl/session/clang/diagnostic_collector.h"
#include "repl/session/clang/fact_reader.h"
#include "repl/session/clang/module_fixups.h"
#include "repl/session/clang/value_reader.h"
#include "repl/session/device/text_scan.h"

namespace cudash::session {
namespace {

/// Declarations that are read from the precompiled header go to code generation as ordinary ones. (The interpreter's own
/// consumer drops those that it gets as "interesting", so inline functions of the header would never be emitted.)
class PrecompiledConsumer : public clang::ASTConsumer {
public:
    explicit PrecompiledConsumer(clang::ASTConsumer& target) : target_(target) {}
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override { return target_.HandleTopLevelDecl(group); }
    void HandleInterestingDecl(clang::DeclGroupRef group) override { target_.HandleTopLevelDecl(group); }

private:
    clang::ASTConsumer& target_;
};

/// What a cell's last expression left. clang compiles such a cell into a call of one of the functions below.
struct CapturedValue {
    void* type = nullptr;  ///< opaque clang::QualType
    std::vector<std::byte> bytes;
    std::uint64_t address = 0;  ///< of an object that lives elsewhere; 0: the value is in `bytes`
};
CapturedValue captured;

void capture(void* type, const void* data, std::size_t size) {
    captured.type = type;
    captured.address = 0;
    captured.bytes.resize(size);
    std::memcpy(captured.bytes.data(), data, size);
}

/// Called with an expression's value, promoted as the last argument of a variadic call, or with an object's address.
void set_value(void*, void*, void* opaque_type, ...) {
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

/// Room for a temporary object, which the cell then constructs. It is never destroyed: it may be printed later.
void* set_value_with_allocation(void*, void*, void* opaque_type) {
    captured.type = opaque_type;
    captured.bytes.assign(1 << 16, std::byte{});
    captured.address = 0;
    return captured.bytes.data();
}

/// Looks up what neither cells nor the process define.
class FallbackGenerator : public llvm::orc::DefinitionGenerator {
public:
    explicit FallbackGenerator(std::function<const void*(std::string_view)> resolve) : resolve_(std::move(resolve)) {}
    llvm::Error tryToGenerate(llvm::orc::LookupState&, llvm::orc::LookupKind, llvm::orc::JITDylib& library,
                              llvm::orc::JITDylibLookupFlags,
                              const llvm::orc::SymbolLookupSet& symbols) override {
        llvm::orc::SymbolMap found;
        for (const auto& [name, flags] : symbols)
            if (const void* address = resolve_({(*name).data(), (*name).size()}))
                found[name] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
        if (found.empty()) return llvm::Error::success();
        return library.define(llvm::orc::absoluteSymbols(std::move(found)));
    }

private:
    std::function<const void*(std::string_view)> resolve_;
};

/// Where code lands that calls a function which was declared and never defined (only weak code can get here).
[[noreturn]] void undefined_function() { __builtin_trap(); }

class ClangEngine : public HostEngine {
public:
    ClangEngine(std::unique_ptr<clang::Interpreter> interpreter, std::unique_ptr<PrecompiledConsumer> consumer,
                llvm::orc::LLJIT& jit, const Setup& setup)
        : consumer_(std::move(consumer)),
          interpreter_(std::move(interpreter)),
          jit_(jit),
          compiler_(*interpreter_->getCompilerInstance()),
          facts_(compiler_, setup.cuda_include) {
        jit_.getMainJITDylib().addGenerator(
            std::make_unique<FallbackGenerator>([this](std::string_view name) { return resolve(name); }));
        define("__clang_Interpreter_SetValueNoAlloc", reinterpret_cast<const void*>(&set_value));
        define("__clang_Interpreter_SetValueWithAlloc", reinterpret_cast<const void*>(&set_value_with_allocation));
    }

    void define(std::string_view name, const void* address) override {
        llvm::orc::SymbolMap symbols;
        symbols[jit_.mangleAndIntern({name.data(), name.size()})] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                                                     llvm::JITSymbolFlags::Exported};
        if (auto failure = jit_.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
            llvm::consumeError(std::move(failure));
        provided_.emplace(name);
    }

    void set_resolver(std::function<const void*(std::string_view)> resolver) override { resolver_ = std::move(resolver); }
    void set_peek(std::function<bool(std::uint64_t, void*, std::size_t)> peek) override { peek_ = std::move(peek); }
    void set_describe(std::function<std::string(std::uint64_t)> describe) override { describe_ = std::move(describe); }

    Compiled compile(const std::string& name, const std::string& text) override;
    std::optional<Value> take_value() override;
    void* address(std::string_view symbol) override;
    std::optional<MainFunction> main_function() override;

private:
    /// A declaration taken out of lookup, so that its name can be defined again.
    struct Hidden {
        clang::NamedDecl* declaration;
        clang::DeclContext* context;
    };

    bool compile_part(const std::string& name, const std::string& text, Compiled& compiled);
    clang::PartialTranslationUnit* parse(const std::string& text, DiagnosticCollector& collector);
    bool hide_previous(const DiagnosticCollector& collector, std::vector<Hidden>& hidden);
    void restore(const std::vector<Hidden>& hidden);
    void drop_symbols_of(const std::vector<Hidden>& hidden);
    void hide_all(const clang::DeclContext& context);
    bool is_of_current_cell(clang::SourceLocation location) const;
    std::vector<std::string> missing_symbols(const std::vector<std::string>& undefined);
    const void* resolve(std::string_view name);
    void remove_symbol(const std::string& name);

    clang::IgnoringDiagConsumer silent_;
    std::unique_ptr<PrecompiledConsumer> consumer_;
    std::unique_ptr<clang::Interpreter> interpreter_;
    llvm::orc::LLJIT& jit_;
    clang::CompilerInstance& compiler_;
    FactReader facts_;
    std::function<const void*(std::string_view)> resolver_;
    std::function<bool(std::uint64_t, void*, std::size_t)> peek_;
    std::function<std::string(std::uint64_t)> describe_;
    std::unordered_set<std::string> provided_;  ///< defined by the session
    std::unordered_set<std::string> strong_, weak_;
    std::unordered_set<std::string> stand_ins_;  ///< undefined symbols that got `undefined_function`
    std::set<std::string> managed_;
    std::string link_errors_;
    unsigned first_location_of_cell_ = 0;
};

const void* ClangEngine::resolve(std::string_view name) {
    if (resolver_)
        if (const void* address = resolver_(name)) return address;
    return nullptr;
}

void ClangEngine::remove_symbol(const std::string& name) {
    llvm::orc::SymbolNameSet names;
    names.insert(jit_.mangleAndIntern(name));
    if (auto failure = jit_.getMainJITDylib().remove(names)) llvm::consumeError(std::move(failure));
    strong_.erase(name);
    weak_.erase(name);
}

clang::PartialTranslationUnit* ClangEngine::parse(const std::string& text, DiagnosticCollector& collector) {
    auto& diagnostics = compiler_.getDiagnostics();
    diagnostics.Reset(true);
    diagnostics.setClient(&collector, false);
    facts_.discard_pending();
    first_location_of_cell_ = compiler_.getSourceManager().getNextLocalOffset();
    auto unit = interpreter_->Parse(text);
    if (!unit) {
        llvm::consumeError(unit.takeError());
        return nullptr;
    }
    return &*unit;
}

bool ClangEngine::is_of_current_cell(clang::SourceLocation location) const {
    const auto& sources = compiler_.getSourceManager();
    const auto plain = sources.getFileLoc(location);
    if (plain.isInvalid() || sources.isLoadedSourceLocation(plain)) return false;
    return sources.getDecomposedLoc(plain).first.isValid() &&
           sources.getSLocEntry(sources.getFileID(plain)).getOffset() >= first_location_of_cell_;
}

bool ClangEngine::hide_previous(const DiagnosticCollector& collector, std::vector<Hidden>& hidden) {
    bool any = false;
    auto& context = compiler_.getASTContext();
    const auto& sources = compiler_.getSourceManager();
    for (const auto& redefinition : collector.redefinitions()) {
        if (redefinition.previous.isValid() && is_of_current_cell(redefinition.previous)) continue;
        const bool system = redefinition.previous.isValid() && (sources.isLoadedSourceLocation(redefinition.previous) ||
                                                                sources.isInSystemHeader(redefinition.previous));
        // A student may call a variable `time` or `y1`; a function of the system's stays what it is.
        if (system && !redefinition.different_kind) continue;
        clang::DeclContext* scope = context.getTranslationUnitDecl();
        if (redefinition.declaration) {
            auto* owner = const_cast<clang::NamedDecl*>(redefinition.declaration)->getDeclContext()->getRedeclContext();
            if (owner->isNamespace()) scope = owner->getPrimaryContext();
        }
        clang::DeclarationName name = redefinition.name;
        std::vector<clang::NamedDecl*> found;
        const auto collect = [&](clang::DeclarationName wanted) {
            for (auto* declaration : scope->lookup(wanted)) {
                if (is_of_current_cell(declaration->getLocation())) continue;
                const bool is_function = declaration->getAsFunction() != nullptr;
                if (is_function && redefinition.previous.isValid() && !redefinition.different_kind) {
                    bool same = false;
                    for (const auto* each : declaration->redecls())
                        same |= each->getLocation() == redefinition.previous ||
                                (each->getSourceRange().isValid() &&
                                 sources.isPointWithin(redefinition.previous, each->getBeginLoc(), each->getEndLoc()));
                    if (!same) continue;
                }
                found.push_back(declaration);
            }
        };
        if (name) collect(name);
        if (found.empty() && redefinition.previous.isValid()) {
            // clang named something else (a parameter, an enumerator): find the declaration that stands there.
            for (auto* declaration : context.getTranslationUnitDecl()->noload_decls())
                if (auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration))
                    if (sources.isPointWithin(redefinition.previous, named->getBeginLoc(), named->getEndLoc()))
                        found.push_back(named);
        }
        auto& sema = compiler_.getSema();
        for (auto* declaration : found) {
            auto* owner = declaration->getDeclContext();
            hidden.push_back({declaration, owner});
            sema.IdResolver.RemoveDecl(declaration);
            if (sema.TUScope->isDeclScope(declaration)) sema.TUScope->RemoveDecl(declaration);
            if (declaration->getLexicalDeclContext() == owner && owner->containsDecl(declaration))
                owner->removeDecl(declaration);
            if (auto* enumeration = llvm::dyn_cast<clang::EnumDecl>(declaration); enumeration && !enumeration->isScoped())
                for (auto* constant : enumeration->enumerators()) {
                    sema.IdResolver.RemoveDecl(constant);
                    if (sema.TUScope->isDeclScope(constant)) sema.TUScope->RemoveDecl(constant);
                }
            any = true;
        }
    }
    return any;
}

void ClangEngine::restore(const std::vector<Hidden>& hidden) {
    auto& sema = compiler_.getSema();
    for (auto it = hidden.rbegin(); it != hidden.rend(); ++it) {
        if (it->declaration->getLexicalDeclContext() == it->context && !it->context->containsDecl(it->declaration))
            it->context->addDecl(it->declaration);
        if (it->context->isTranslationUnit()) {
            sema.TUScope->AddDecl(it->declaration);
            sema.IdResolver.AddDecl(it->declaration);
        }
    }
}

void ClangEngine::drop_symbols_of(const std::vector<Hidden>& hidden) {
    for (const Hidden& each : hidden) {
        const clang::Decl* inner = each.declaration;
        if (const auto* scheme = llvm::dyn_cast<clang::TemplateDecl>(inner)) inner = scheme->getTemplatedDecl();
        const auto* named = llvm::dyn_cast_or_null<clang::NamedDecl>(inner);
        if (!named) continue;
        const auto* function = llvm::dyn_cast<clang::FunctionDecl>(named);
        if ((function || llvm::isa<clang::VarDecl>(named)) && !inner->isTemplated()) {
            remove_symbol(facts_.mangled(named));
            if (function && function->hasAttr<clang::CUDAGlobalAttr>()) remove_symbol(facts_.mangled(named, true));
            continue;
        }
        // Types and templates: their members and instantiations carry the name, with its length, in theirs.
        const std::string plain = named->getNameAsString();
        if (plain.empty()) continue;
        const std::string component = std::to_string(plain.size()) + plain;
        std::vector<std::string> doomed;
        for (const std::string& symbol : weak_)
            if (symbol.find(component) != std::string::npos) doomed.push_back(symbol);
        for (const std::string& symbol : doomed) remove_symbol(symbol);
    }
}

void ClangEngine::hide_all(const clang::DeclContext& context) {
    auto& sema = compiler_.getSema();
    std::vector<clang::Decl*> declarations(context.decls_begin(), context.decls_end());
    for (auto* declaration : declarations) {
        if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration);
            inner && (inner->isNamespace() || llvm::isa<clang::LinkageSpecDecl>(declaration)))
            hide_all(*inner);
        auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
        if (!named || !named->getDeclName() || llvm::isa<clang::NamespaceDecl>(named)) continue;
        sema.IdResolver.RemoveDecl(named);
        if (sema.TUScope->isDeclScope(named)) sema.TUScope->RemoveDecl(named);
        auto* owner = named->getDeclContext();
        if (named->getLexicalDeclContext() == owner && owner->containsDecl(named)) owner->removeDecl(named);
    }
}

std::vector<std::string> ClangEngine::missing_symbols(const std::vector<std::string>& undefined) {
    std::vector<std::string> missing;
    for (const std::string& name : undefined) {
        if (provided_.contains(name) || strong_.contains(name) || weak_.contains(name)) continue;
        if (dlsym(RTLD_DEFAULT, name.c_str()) || resolve(name)) continue;
        // The JIT's own: __dso_handle and friends.
        if (name.starts_with("__dso_handle") || name.starts_with("__cxa_atexit") || name.starts_with("atexit")) continue;
        missing.push_back(name);
    }
    return missing;
}

bool ClangEngine::compile_part(const std::string& name, const std::string& text, Compiled& compiled) {
    std::vector<Hidden> hidden;
    clang::PartialTranslationUnit* unit = nullptr;
    for (int attempt = 0;; ++attempt) {
        DiagnosticCollector collector;
        unit = parse(text, collector);
        if (unit || attempt == 32 || !hide_previous(collector, hidden)) {
            auto said = collector.take();
            compiled.diagnostics.insert(compiled.diagnostics.end(), said.begin(), said.end());
            compiler_.getDiagnostics().setClient(&silent_, false);
            break;
        }
        compiler_.getDiagnostics().setClient(&silent_, false);
    }
    if (!unit) {
        restore(hidden);
        return false;
    }

    drop_symbols_of(hidden);
    for (const Hidden& each : hidden) compiled.facts.superseded.push_back(facts_.id_of(each.declaration));
    facts_.read(*unit->TUPart, name, compiled.facts);

    llvm::Module& module = *unit->TheModule;
    for (const VariableFact& variable : compiled.facts.variables)
        if (variable.kind == VariableFact::Kind::managed) managed_.insert(variable.shadow_symbol);
    auto initializers = extract_initializers(module);
    promote_internal_symbols(module, [&](std::string_view symbol) { return strong_.contains(std::string(symbol)); });
    for (const std::string& variable : managed_) redirect_managed(module, variable);

    ModuleSymbols symbols = symbols_of(module);
    const auto missing = missing_symbols(symbols.undefined);
    if (!missing.empty()) {
        for (const std::string& symbol : missing) {
            const std::string readable = llvm::demangle(symbol);
            Diagnostic problem = error("undefined-symbol", fmt::format("'{}' is declared but defined nowhere", readable),
                                       "define it in this cell or an earlier one");
            problem.where.file = name;
            compiled.diagnostics.push_back(std::move(problem));
        }
        keep_only_weak_definitions(module);
        symbols = symbols_of(module);
        for (const std::string& symbol : missing_symbols(symbols.undefined)) {
            define(symbol, reinterpret_cast<const void*>(&undefined_function));
            provided_.erase(symbol);
            stand_ins_.insert(symbol);
        }
        initializers.clear();
    }
    for (const std::string& symbol : symbols.strong)
        if (stand_ins_.erase(symbol) > 0 || strong_.contains(symbol)) remove_symbol(symbol);

    if (auto failure = interpreter_->Execute(*unit)) {
        compiled.diagnostics.push_back(
            error("link", "the cell could not be linked: " + llvm::toString(std::move(failure))));
        hide_all(*unit->TUPart);
        restore(hidden);
        return false;
    }
    strong_.insert(symbols.strong.begin(), symbols.strong.end());
    weak_.insert(symbols.weak.begin(), symbols.weak.end());
    if (!missing.empty()) {
        hide_all(*unit->TUPart);
        restore(hidden);
        return false;
    }
    for (const std::string& initializer : initializers) {
        void* function = address(initializer);
        if (!function) {
            compiled.diagnostics.push_back(error("link", "the cell could not be linked: " + link_errors_));
            link_errors_.clear();
            hide_all(*unit->TUPart);
            return false;
        }
        compiled.initializers.push_back(reinterpret_cast<void (*)()>(function));
    }
    return true;
}

HostEngine::Compiled ClangEngine::compile(const std::string& name, const std::string& text) {
    Compiled compiled;
    captured = {};
    // Headers are read on their own first: if the rest of the cell does not compile, they stay read.
    const std::size_t head = leading_directives(text);
    const std::string label = fmt::format("\"{}\"", name);
    std::string rest = text;
    unsigned line = 1;
    if (head > 0 && text.substr(0, head).find("include") != std::string::npos) {
        compiled.ok = compile_part(name, fmt::format("#line 1 {}\n{}", label, text.substr(0, head)), compiled);
        if (!compiled.ok) return compiled;
        line += static_cast<unsigned>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(head), '\n'));
        rest = text.substr(head);
        if (rest.find_first_not_of(" \t\r\n") == std::string::npos) return compiled;
    }
    compiled.ok = compile_part(name, fmt::format("#line {} {}\n{}", line, label, rest), compiled);
    return compiled;
}

void* ClangEngine::address(std::string_view symbol) {
    auto found = jit_.lookup({symbol.data(), symbol.size()});
    if (!found) {
        link_errors_ = llvm::toString(found.takeError());
        return nullptr;
    }
    return found->toPtr<void*>();
}

std::optional<HostEngine::MainFunction> ClangEngine::main_function() {
    auto& context = compiler_.getASTContext();
    for (const auto* declaration : context.getTranslationUnitDecl()->lookup(&context.Idents.get("main"))) {
        const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
        if (!function || !function->isDefined()) continue;
        MainFunction main;
        main.address = address("main");
        main.parameters = function->getNumParams();
        main.returns_int = !function->getReturnType()->isVoidType();
        if (main.address) return main;
    }
    return std::nullopt;
}

std::optional<Value> ClangEngine::take_value() {
    if (!captured.type) return std::nullopt;
    const auto type = clang::QualType::getFromOpaquePtr(captured.type);
    const auto own_begin = reinterpret_cast<std::uint64_t>(captured.bytes.data());
    const auto read = [&](std::uint64_t address, void* buffer, std::size_t bytes) {
        if (address >= own_begin && address + bytes <= own_begin + captured.bytes.size()) {
            std::memcpy(buffer, reinterpret_cast<const void*>(address), bytes);
            return true;
        }
        const iovec local{buffer, bytes}, remote{reinterpret_cast<void*>(address), bytes};
        if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes)) return true;
        return peek_ && peek_(address, buffer, bytes);
    };
    const auto describe = [&](std::uint64_t address) { return describe_ ? describe_(address) : std::string(); };
    ValueReader reader(compiler_.getASTContext(), read, describe);
    Value value;
    value.type = reader.type_name(type);
    value.text = reader.text(type, captured.address ? captured.address : own_begin);
    captured = {};
    return value;
}

}  // namespace

Result<std::unique_ptr<HostEngine>> HostEngine::create(const Setup& setup) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    for (const bool remake : {false, true}) {
        auto header = precompiled_header(setup, remake);
        if (!header) return header.error();
        auto compiler = make_compiler(setup);
        if (!compiler) return compiler.error();
        auto& preprocessor = (*compiler)->getPreprocessorOpts();
        preprocessor.Includes.clear();
        preprocessor.ImplicitPCHInclude = *header;
        DiagnosticCollector collector;
        (*compiler)->getDiagnostics().setClient(&collector, false);
        (*compiler)->LoadRequestedPlugins();
        auto interpreter = clang::Interpreter::create(std::move(*compiler));
        if (!interpreter || collector.getNumErrors() > 0) {
            // A header or clang changed since the precompiled header was made: make it again, once.
            std::string why = interpreter ? std::string() : llvm::toString(interpreter.takeError());
            if (!remake) continue;
            for (const auto& said : collector.take()) why += (why.empty() ? "" : "; ") + said.message;
            return error("host-compiler", "clang's interpreter did not start: " + why, "run `cudash doctor`");
        }
        auto& instance = *(*interpreter)->getCompilerInstance();
        auto consumer = std::make_unique<PrecompiledConsumer>(instance.getASTConsumer());
        if (auto* external = instance.getASTContext().getExternalSource()) external->StartTranslationUnit(consumer.get());
        auto jit = (*interpreter)->getExecutionEngine();
        if (!jit) return error("host-compiler", "clang's interpreter has no JIT: " + llvm::toString(jit.takeError()));
        return std::unique_ptr<HostEngine>(new ClangEngine(std::move(*interpreter), std::move(consumer), *jit, setup));
    }
    return error("host-compiler", "clang's interpreter did not start");
}

}  // namespace cudash::session
