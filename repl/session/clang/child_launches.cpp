#include "repl/session/clang/child_launches.h"

#include "clang/AST/ExprCXX.h"
#include "repl/session/clang/tree_visitor.h"

namespace cudash::session {
namespace {

bool runs_on_device(const clang::FunctionDecl& function) {
    return function.hasAttr<clang::CUDAGlobalAttr>() || function.hasAttr<clang::CUDADeviceAttr>();
}

class LaunchFinder : public TreeVisitor {
public:
    bool found = false;

protected:
    bool visit(clang::Stmt& statement) override { return !(found = llvm::isa<clang::CUDAKernelCallExpr>(statement)); }
};

}  // namespace

void ChildLaunches::see(const clang::Token& token, clang::Sema& sema) {
    if (launching_ && token.isOneOf(clang::tok::semi, clang::tok::l_brace, clang::tok::r_brace, clang::tok::eof)) {
        launching_->setImplicit(false);
        launching_ = nullptr;
    }
    if (launching_ || token.isNot(clang::tok::lesslessless)) return;
    clang::FunctionDecl* const function = sema.getCurFunctionDecl(/*AllowLambda=*/true);
    if (!function || function->isImplicit() || !runs_on_device(*function)) return;
    function->setImplicit(true);
    launching_ = function;
}

void expect_child_launches(clang::FunctionDecl& instance) {
    if (!runs_on_device(instance)) return;
    const clang::FunctionDecl* const pattern = instance.getTemplateInstantiationPattern();
    if (!pattern || !pattern->hasBody()) return;
    LaunchFinder finder;
    finder.traverse(pattern->getBody());
    if (finder.found) instance.setImplicit(true);
}

void forget_child_launches(clang::FunctionDecl& instance) {
    if (runs_on_device(instance) && instance.isTemplateInstantiation()) instance.setImplicit(false);
}

}  // namespace cudash::session
