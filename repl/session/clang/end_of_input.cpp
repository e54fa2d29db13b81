#include "repl/session/clang/end_of_input.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"
#include "repl/session/clang/failed_cell.h"

namespace cudash::session {

namespace tok = clang::tok;
namespace {

constexpr std::size_t parens = 0, braces = 2;
constexpr std::array opening = {tok::l_paren, tok::l_square, tok::l_brace};
constexpr std::array closing = {tok::r_paren, tok::r_square, tok::r_brace};

/// What begins before the end of a text and is open there: nothing follows it.
bool is_at_end(const clang::Diagnostic& error) {
    switch (error.getID()) {
        case clang::diag::err_unterminated_block_comment:
        case clang::diag::err_unterminated_raw_string:
        case clang::diag::err_pp_unterminated_conditional:
            return true;
        case clang::diag::err_embedded_directive: {
            // The pragma at the end, when it is taken for an argument of a macro.
            const auto [file, offset] = error.getSourceManager().getDecomposedLoc(error.getLocation());
            return error.getSourceManager().getBufferData(file).substr(offset).contains("cudash_end");
        }
        default:
            return false;
    }
}

/// The statement that a text ends with, if it does. One that could not be parsed may hold those after it.
clang::TopLevelStmtDecl* last_statement(const clang::DeclContext& context) {
    clang::TopLevelStmtDecl* last = nullptr;
    for (auto* declaration : context.noload_decls()) last = llvm::dyn_cast<clang::TopLevelStmtDecl>(declaration);
    return last && !last->getStmt() ? last_statement(*last) : last;
}

}  // namespace

EndOfInput::EndOfInput(clang::CompilerInstance& compiler) : compiler_(compiler) {
    // The watcher may not change tokens; the one that it gets is the parser's own.
    compiler_.getPreprocessor().setTokenWatcher(
        [this](const clang::Token& token) { see(const_cast<clang::Token&>(token)); });
}

EndOfInput::~EndOfInput() {
    compiler_.getPreprocessor().setTokenWatcher(nullptr);
}

void EndOfInput::begin() {
    open_ = {};
    heads_.clear();
    namespaces_.clear();
    last_ = tok::unknown;
    statement_expected_ = head_follows_ = namespace_follows_ = reached_ = ends_ = directive_ends_ = false;
    directive_of_ = nullptr;
}

void EndOfInput::text_ends() {
    ends_ = true;
    compiler_.getLangOpts().IncrementalExtensions = false;
}

/// Where the parser may go back, it will get a copy of the token.
void EndOfInput::make_end_of_input(clang::Token& token) const {
    auto& preprocessor = compiler_.getPreprocessor();
    const bool is_kept = preprocessor.isBacktrackEnabled() && preprocessor.IsPreviousCachedToken(token);
    token.setKind(tok::annot_repl_input_end);
    token.setAnnotationEndLoc(token.getLocation());
    token.setAnnotationValue(nullptr);
    if (is_kept) preprocessor.ReplaceLastTokenWithAnnotation(token);
}

void EndOfInput::see(clang::Token& token) {
    if (std::exchange(ends_, ends_ && token.isNot(tok::eof)) && token.is(tok::eof)) make_end_of_input(token);
    stay_in_statement();
    leave_failed_statement();
    stay_in_function(token);
    child_launches_.see(token, compiler_.getSema());
    reached_ |= token.isOneOf(tok::annot_repl_input_end, tok::eof);
    if (token.isNot(tok::annot_repl_input_end)) {
        see_namespace(token);
        see_bracket(token);
        last_ = token.getKind();
        // clang 19 takes statements in namespaces, too, and leaves the namespace with them.
        compiler_.getLangOpts().IncrementalExtensions = namespaces_.empty() && !namespace_follows_ && !is_over();
        return;
    }
    compiler_.getLangOpts().IncrementalExtensions = true;
    const bool is_open = open_ != decltype(open_){};
    if (is_open || statement_expected_ || is_over())
        token.setKind(tok::eof);
    else
        make_value_an_expression();
}

/// After a fatal error, or the last of too many, clang reports no others at which the parser could be told to give up.
bool EndOfInput::is_over() const {
    return compiler_.getDiagnostics().hasFatalErrorOccurred();
}

void EndOfInput::see_bracket(const clang::Token& token) {
    const bool head = std::exchange(head_follows_, false);
    statement_expected_ = false;
    const tok::TokenKind kind = token.getKind();
    for (std::size_t i = 0; i < open_.size(); ++i) {
        if (kind == closing[i] && open_[i] > 0) --open_[i];
        if (kind == opening[i]) ++open_[i];
    }
    switch (kind) {
        case tok::l_paren:
            if (head) heads_.push_back(open_[parens]);
            break;
        case tok::r_paren:
            if (heads_.empty() || heads_.back() != open_[parens] + 1) break;
            heads_.pop_back();
            statement_expected_ = true;
            break;
        case tok::kw_if:
        case tok::kw_for:
        case tok::kw_while:
        case tok::kw_switch:
            head_follows_ = true;
            break;
        case tok::kw_constexpr:
            head_follows_ = last_ == tok::kw_if;
            break;
        case tok::kw_else:
        case tok::kw_do:
        case tok::kw_try:
            statement_expected_ = true;
            break;
        default:
            break;
    }
}

void EndOfInput::see_namespace(const clang::Token& token) {
    switch (token.getKind()) {
        case tok::kw_namespace:
            namespace_follows_ = last_ != tok::kw_using;
            break;
        case tok::string_literal:
            namespace_follows_ |= last_ == tok::kw_extern;
            break;
        case tok::l_brace:
            if (std::exchange(namespace_follows_, false)) namespaces_.push_back(open_[braces]);
            break;
        case tok::r_brace:
            if (!namespaces_.empty() && open_[braces] <= namespaces_.back() + 1) namespaces_.pop_back();
            namespace_follows_ = false;
            break;
        case tok::equal:
        case tok::semi:
            namespace_follows_ = false;
            break;
        default:
            break;
    }
}

/// clang 19 takes a class within a statement of the top level for one of the top level itself, and goes there behind
/// it.
void EndOfInput::stay_in_statement() const {
    auto& sema = compiler_.getSema();
    if (sema.CurContext && !sema.CurContext->isTranslationUnit()) return;
    const clang::Scope* scope = sema.getCurScope();
    while (scope && !scope->getEntity()) scope = scope->getParent();
    if (scope && scope->getEntity()->getDeclKind() == clang::Decl::TopLevelStmt) sema.CurContext = scope->getEntity();
}

/// With a precompiled header, clang 19 goes from `#pragma omp declare reduction` in a function to the top level, and
/// crashes at the function's end. Parts of the directive have contexts of their own, each left in this way.
void EndOfInput::stay_in_function(const clang::Token& token) {
    auto& sema = compiler_.getSema();
    if (directive_of_ && sema.CurContext && sema.CurContext->isTranslationUnit()) sema.CurContext = directive_of_;
    if (std::exchange(directive_ends_, token.is(tok::annot_pragma_openmp_end))) directive_of_ = nullptr;
    if (token.is(tok::annot_pragma_openmp) && sema.CurContext && sema.CurContext->isFunctionOrMethod())
        directive_of_ = sema.CurContext;
}

/// clang 19 forgets to leave a statement outside of functions that it can't parse: what follows would be taken for part
/// of it. After some errors it leaves more than it entered.
void EndOfInput::leave_failed_statement() const {
    auto& sema = compiler_.getSema();
    const auto in_statement = [&] {
        return sema.CurContext && sema.CurContext->getDeclKind() == clang::Decl::TopLevelStmt;
    };
    while (in_statement() && sema.getCurScope() && !sema.getCurScope()->getFnParent() && !sema.FunctionScopes.empty()) {
        sema.PopDeclContext();
        sema.PopFunctionScopeInfo();
    }
    if (!sema.getCurScope() || sema.getCurScope() != sema.TUScope) return;
    sema.CurContext = compiler_.getASTContext().getTranslationUnitDecl();
    while (!sema.FunctionScopes.empty()) sema.PopFunctionScopeInfo();
    sema.FunctionScopesStart = 0;
}

/// After a block of the top level with a local class, clang 19 may believe that it is still in one of the class's
/// functions, and looks for that function's scope in the next class it reads.
void EndOfInput::leave_contexts() {
    auto& sema = compiler_.getSema();
    auto* top = compiler_.getASTContext().getTranslationUnitDecl();
    if (sema.CurContext == top && sema.FunctionScopes.empty()) return;
    while (!sema.FunctionScopes.empty()) sema.PopFunctionScopeInfo();
    top_level_.emplace(sema, top);
}

/// The parser keeps its current token to itself, but shows it.
clang::Token* EndOfInput::current() const {
    // Set at the end of each cell, and of clang's own prelude.
    auto* parser = static_cast<clang::Parser*>(compiler_.getSema().OpaqueParser);
    return parser ? const_cast<clang::Token*>(&parser->getCurToken()) : nullptr;
}

/// The end that the parser is at, or that it has looked at before and comes to again.
clang::Token* EndOfInput::end_token() const {
    auto* token = current();
    for (unsigned ahead = 0; token && !token->isOneOf(tok::annot_repl_input_end, tok::eof); ++ahead)
        token = const_cast<clang::Token*>(&compiler_.getPreprocessor().LookAhead(ahead));
    return token && token->is(tok::annot_repl_input_end) ? token : nullptr;
}

void EndOfInput::error_reported(const clang::Diagnostic& error) {
    // The arguments of a macro were read to the end; what follows is not the end of a whole text.
    if (error.getID() == clang::diag::err_unterm_macro_invoc) ends_ = false;
    // The watcher does not see what the parser has looked at before.
    if (error.getID() == clang::diag::err_extraneous_closing_brace) leave_failed_statement();
    if (reached_) {
        name_the_unnamed(compiler_.getASTContext());
        if (auto* token = end_token()) token->setKind(tok::eof);
    } else if (is_at_end(error) || is_over()) {
        // Arguments of a macro, which the watcher does not see, are read to tok::eof, too.
        compiler_.getLangOpts().IncrementalExtensions = false;
    }
}

void EndOfInput::end() {
    compiler_.getLangOpts().IncrementalExtensions = true;
    leave_contexts();
    auto* token = current();
    if (!token || !token->is(tok::eof)) return;
    // The parser counts brackets; those that are open would be so in the next cell.
    auto& parser = *static_cast<clang::Parser*>(compiler_.getSema().OpaqueParser);
    for (std::size_t i = 0; i < open_.size(); ++i)
        for (unsigned left = open_[i]; left > 0; --left) {
            token->setKind(closing[i]);
            parser.ConsumeAnyToken();
        }
    token->setKind(tok::annot_repl_input_end);
}

/// `if (x) y = 3` without its last `;` has a value to show, clang believes, and then takes the whole statement for an
/// expression. A statement in parentheses and braces is one, of type void. After an error there is no value to show.
void EndOfInput::make_value_an_expression() const {
    auto& context = compiler_.getASTContext();
    auto* last = last_statement(*context.getTranslationUnitDecl());
    if (!last) return;
    const bool failed = compiler_.getDiagnostics().hasErrorOccurred();
    if (!failed && llvm::isa<clang::Expr>(last->getStmt())) return;
    const clang::SourceLocation begin = last->getStmt()->getBeginLoc(), end = last->getStmt()->getEndLoc();
    llvm::SmallVector<clang::Stmt*, 1> statements;
    if (!failed) statements.push_back(last->getStmt());
    auto* block = clang::CompoundStmt::Create(context, statements, clang::FPOptionsOverride(), begin, end);
    last->setStmt(new (context) clang::StmtExpr(block, context.VoidTy, begin, end, 0));
}

}  // namespace cudash::session
