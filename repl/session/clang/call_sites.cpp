#include "repl/session/clang/call_sites.h"

#include <cctype>
#include <filesystem>
#include <set>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "repl/session/checked_libraries.h"
#include "repl/session/clang/tree_visitor.h"
#include "repl/session/size_arguments.h"

namespace cudash::session {
namespace {

constexpr std::size_t longest_target = 40;

const clang::CallExpr* runtime_call(const clang::Stmt* statement) {
    const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(statement);
    if (!call || llvm::isa<clang::CUDAKernelCallExpr>(call)) return nullptr;
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (!callee || !callee->getIdentifier()) return nullptr;
    const auto* result = callee->getReturnType()->getAs<clang::EnumType>();
    if (!result) return nullptr;
    const std::string_view name = callee->getName();
    const bool of_runtime = result->getDecl()->getName() == "cudaError" && has_prefix(name, "cuda");
    return of_runtime || is_of_library(name) ? call : nullptr;
}

}  // namespace

class CallSites::Visitor : public TreeVisitor {
public:
    Visitor(CallSites& sites, clang::ASTContext& context, const std::function<bool(clang::SourceLocation)>& is_system)
        : TreeVisitor({.template_instantiations = true}), sites_(sites), context_(context), is_system_(is_system) {
        std::error_code ignored;
        folder_ = std::filesystem::current_path(ignored).string() + "/";
    }

    using TreeVisitor::traverse;
    bool traverse(clang::Decl* declaration) override {
        if (declaration && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
            is_system_(declaration->getLocation()))
            return true;
        return TreeVisitor::traverse(declaration);
    }

protected:
    bool visit(clang::Decl& declaration) override {
        auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(&declaration);
        if (statement && !statement->isSemiMissing()) stands_alone(statement->getStmt());
        return true;
    }
    bool visit(clang::Stmt& statement) override {
        if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
            for (const clang::Stmt* each : block->body()) stands_alone(each);
        } else if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement)) {
            stands_alone(branch->getThen());
            stands_alone(branch->getElse());
        } else if (const auto* counted = llvm::dyn_cast<clang::ForStmt>(&statement)) {
            stands_alone(counted->getBody());
        } else if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(&statement)) {
            stands_alone(range->getBody());
        } else if (const auto* repeated = llvm::dyn_cast<clang::WhileStmt>(&statement)) {
            stands_alone(repeated->getBody());
        } else if (const auto* once_more = llvm::dyn_cast<clang::DoStmt>(&statement)) {
            stands_alone(once_more->getBody());
        } else if (const auto* label = llvm::dyn_cast<clang::SwitchCase>(&statement)) {
            stands_alone(label->getSubStmt());
        } else if (const auto* call = runtime_call(&statement)) {
            note(*call);
        }
        return true;
    }

private:
    void note(const clang::CallExpr& call) {
        const auto place = key(call);
        api::CallText text;
        text.discarded = alone_.contains(&call);
        const unsigned both[] = {0, call.getDirectCallee()->getName().starts_with("cudaMemcpy2D") ? 2u : 1u};
        for (unsigned i = 0; i < 2; ++i)
            if (both[i] < call.getNumArgs()) text.arrays[i] = extent_of(call.getArg(both[i]));
        if (call.getNumArgs() > 0) text.target = target_of(call.getArg(0));
        for (const auto& [name, argument] : size_arguments)
            if (call.getDirectCallee()->getName() == llvm::StringRef(name) && argument < call.getNumArgs())
                read_size(call.getArg(argument), text);
        const auto [site, is_new] = sites_.sites_.emplace(place, text);
        if (is_new) return;
        // Several calls of one macro are one place to the line table, as are instantiations of a template: what does
        // not hold of all is not known.
        api::CallText& known = site->second;
        const bool same = known.target == text.target && known.size == text.size && known.elements == text.elements &&
                          known.element_bytes == text.element_bytes;
        const bool discarded = known.discarded && text.discarded;
        if (!same) known = {};
        known.discarded = discarded;
    }

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
    std::string target_of(const clang::Expr* argument) const {
        argument = argument->IgnoreParenCasts();
        const auto* taken = llvm::dyn_cast<clang::UnaryOperator>(argument);
        if (!taken || taken->getOpcode() != clang::UO_AddrOf) return {};
        const clang::Expr* variable = taken->getSubExpr()->IgnoreParens();
        if (!llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr>(variable)) return {};
        const std::string text = text_of(variable);
        return text.size() <= longest_target ? text : std::string();
    }

    /// As written, without white space; "" where that is not in one piece.
    std::string text_of(const clang::Expr* expression) const {
        const auto& sources = context_.getSourceManager();
        // Within a macro's argument the text is where it was given.
        const auto range = clang::CharSourceRange::getTokenRange(sources.getSpellingLoc(expression->getBeginLoc()),
                                                                 sources.getSpellingLoc(expression->getEndLoc()));
        bool invalid = false;
        std::string text = clang::Lexer::getSourceText(range, sources, context_.getLangOpts(), &invalid).str();
        if (invalid) return {};
        std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
        return text;
    }

    api::CallText::Extent extent_of(const clang::Expr* argument) const {
        argument = argument->IgnoreParenCasts();
        const auto* array = context_.getAsConstantArrayType(argument->getType());
        if (!array) return {};
        const clang::QualType element = context_.getBaseElementType(argument->getType());
        if (element->isDependentType() || element->isIncompleteType()) return {};
        return {context_.getConstantArrayElementCount(array),
                static_cast<std::uint64_t>(context_.getTypeSizeInChars(element).getQuantity())};
    }

    /// The factors of a product, sizeof apart. False if it holds a sizeof in another way.
    bool read_factors(const clang::Expr* size, std::vector<std::string>& factors, std::uint64_t& element) const {
        size = size->IgnoreParenCasts();
        if (const auto* product = llvm::dyn_cast<clang::BinaryOperator>(size);
            product && product->getOpcode() == clang::BO_Mul)
            return read_factors(product->getLHS(), factors, element) &&
                   read_factors(product->getRHS(), factors, element);
        if (const auto* trait = llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(size)) {
            const clang::QualType type = trait->getTypeOfArgument();
            if (trait->getKind() != clang::UETT_SizeOf || type->isDependentType() || type->isIncompleteType() ||
                element != 0)
                return false;
            element = static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
            return true;
        }
        std::string text = text_of(size);
        if (text.empty() || text.find("sizeof") != std::string::npos) return false;
        factors.push_back(std::move(text));
        return true;
    }

    void read_size(const clang::Expr* size, api::CallText& text) const {
        if (size->isTypeDependent() || size->isValueDependent()) return;
        std::vector<std::string> factors;
        std::uint64_t element = 0;
        if (!read_factors(size, factors, element)) return;
        std::string product;
        for (const std::string& factor : factors) product += (product.empty() ? "" : "*") + factor;
        if (element != 0) {
            text.elements = std::move(product);
            text.element_bytes = element;
            return;
        }
        text.size = std::move(product);
        // const size_t bytes = n * sizeof(float);
        const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(size->IgnoreParenCasts());
        const auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
        if (!variable || llvm::isa<clang::ParmVarDecl>(variable) || !variable->getInit() ||
            variable->getInit()->isValueDependent())
            return;
        factors.clear();
        if (!read_factors(variable->getInit(), factors, element) || element == 0) return;
        product.clear();
        for (const std::string& factor : factors) product += (product.empty() ? "" : "*") + factor;
        text.elements = std::move(product);
        text.element_bytes = element;
    }

    CallSites& sites_;
    clang::ASTContext& context_;
    const std::function<bool(clang::SourceLocation)>& is_system_;
    std::string folder_;
    std::set<const clang::CallExpr*> alone_;
};

void CallSites::read(clang::TranslationUnitDecl& part, const std::function<bool(clang::SourceLocation)>& is_system) {
    Visitor visitor(*this, part.getASTContext(), is_system);
    for (clang::Decl* declaration : part.decls()) visitor.traverse(declaration);
}

const api::CallText* CallSites::find(const CodePlace& place) const {
    const auto found = sites_.find({place.file, place.line, place.column});
    return found == sites_.end() ? nullptr : &found->second;
}

}  // namespace cudash::session
