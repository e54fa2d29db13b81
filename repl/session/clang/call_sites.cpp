#include "repl/session/clang/call_sites.h"

#include <filesystem>
#include <set>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace cudash::session {
namespace {

constexpr std::size_t longest_target = 40;

const clang::CallExpr* runtime_call(const clang::Stmt* statement) {
    const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(statement);
    if (!call || llvm::isa<clang::CUDAKernelCallExpr>(call)) return nullptr;
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (!callee || !callee->getIdentifier()) return nullptr;
    const llvm::StringRef name = callee->getName();
    return name.starts_with("cuda") && name.size() > 4 && name[4] >= 'A' && name[4] <= 'Z' ? call : nullptr;
}

}  // namespace

class CallSites::Visitor : public clang::RecursiveASTVisitor<Visitor> {
public:
    Visitor(CallSites& sites, clang::ASTContext& context,
            const std::function<bool(clang::SourceLocation)>& is_system)
        : sites_(sites), context_(context), is_system_(is_system) {
        std::error_code ignored;
        folder_ = std::filesystem::current_path(ignored).string() + "/";
    }

    bool shouldVisitTemplateInstantiations() const { return true; }
    bool shouldVisitImplicitCode() const { return false; }
    bool TraverseDecl(clang::Decl* declaration) {
        if (declaration && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
            is_system_(declaration->getLocation()))
            return true;
        return RecursiveASTVisitor::TraverseDecl(declaration);
    }

    bool VisitTopLevelStmtDecl(clang::TopLevelStmtDecl* statement) {
        if (!statement->isSemiMissing()) stands_alone(statement->getStmt());
        return true;
    }
    bool VisitCompoundStmt(clang::CompoundStmt* block) {
        for (clang::Stmt* statement : block->body()) stands_alone(statement);
        return true;
    }
    bool VisitIfStmt(clang::IfStmt* branch) {
        stands_alone(branch->getThen());
        stands_alone(branch->getElse());
        return true;
    }
    bool VisitForStmt(clang::ForStmt* loop) {
        stands_alone(loop->getBody());
        return true;
    }
    bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* loop) {
        stands_alone(loop->getBody());
        return true;
    }
    bool VisitWhileStmt(clang::WhileStmt* loop) {
        stands_alone(loop->getBody());
        return true;
    }
    bool VisitDoStmt(clang::DoStmt* loop) {
        stands_alone(loop->getBody());
        return true;
    }
    bool VisitSwitchCase(clang::SwitchCase* label) {
        stands_alone(label->getSubStmt());
        return true;
    }

    bool VisitCallExpr(clang::CallExpr* expression) {
        const clang::CallExpr* call = runtime_call(expression);
        if (!call) return true;
        const auto place = key(*call);
        const bool alone = alone_.contains(call);
        const auto [site, is_new] = sites_.sites_.emplace(place, CallSite{{}, alone});
        // Several calls of one macro are one place to the line table.
        if (!is_new) site->second.discarded &= alone;
        std::string target = call->getNumArgs() > 0 ? text_of(call->getArg(0)) : std::string();
        if (is_new) site->second.target = std::move(target);
        return true;
    }

private:
    /// `statement` computes a value that goes nowhere. A cast to void says that this is meant.
    void stands_alone(const clang::Stmt* statement) {
        const auto* expression = llvm::dyn_cast_or_null<clang::Expr>(statement);
        if (!expression) return;
        if (const auto* call = runtime_call(expression->IgnoreImplicit()->IgnoreParens())) alone_.insert(call);
    }

    std::tuple<std::string, unsigned, unsigned> key(const clang::CallExpr& call) const {
        const auto& sources = context_.getSourceManager();
        const auto place = sources.getPresumedLoc(sources.getExpansionLoc(call.getExprLoc()));
        if (place.isInvalid()) return {};
        std::string file = place.getFilename();
        if (file.starts_with(folder_)) file.erase(0, folder_.size());
        return {file, place.getLine(), place.getColumn()};
    }

    /// "d_a" of (void**)&d_a.
    std::string text_of(const clang::Expr* argument) const {
        argument = argument->IgnoreParenCasts();
        const auto* taken = llvm::dyn_cast<clang::UnaryOperator>(argument);
        if (!taken || taken->getOpcode() != clang::UO_AddrOf) return {};
        const clang::Expr* variable = taken->getSubExpr()->IgnoreParens();
        if (!llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr>(variable)) return {};
        const auto& sources = context_.getSourceManager();
        // Within a macro's argument the text is where it was given.
        const auto spelling = [&](clang::SourceLocation at) { return sources.getSpellingLoc(at); };
        const auto range = clang::CharSourceRange::getTokenRange(spelling(variable->getBeginLoc()),
                                                                 spelling(variable->getEndLoc()));
        bool invalid = false;
        const llvm::StringRef text = clang::Lexer::getSourceText(range, sources, context_.getLangOpts(), &invalid);
        if (invalid || text.empty() || text.size() > longest_target || text.contains('\n')) return {};
        return text.str();
    }

    CallSites& sites_;
    clang::ASTContext& context_;
    const std::function<bool(clang::SourceLocation)>& is_system_;
    std::string folder_;
    std::set<const clang::CallExpr*> alone_;
};

void CallSites::read(clang::TranslationUnitDecl& part, const std::function<bool(clang::SourceLocation)>& is_system) {
    Visitor visitor(*this, part.getASTContext(), is_system);
    for (clang::Decl* declaration : part.decls()) visitor.TraverseDecl(declaration);
}

const CallSite* CallSites::find(const CodePlace& place) const {
    const auto found = sites_.find({place.file, place.line, place.column});
    return found == sites_.end() ? nullptr : &found->second;
}

}  // namespace cudash::session
