// Kernels that launch template kernels. clang 19 knows no dynamic parallelism: it finds "no matching function" where a
// kernel or device function launches one, unless the launching function is implicit. So it is, while it does.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Lex/Token.h"
#include "clang/Sema/Sema.h"

namespace cudash::session {

/// Looks at the tokens of a cell in their order.
class ChildLaunches {
public:
    void see(const clang::Token& token, clang::Sema& sema);

private:
    clang::FunctionDecl* launching_ = nullptr;
};

/// An instance is about to get its body, or has it.
void expect_child_launches(clang::FunctionDecl& instance);
void forget_child_launches(clang::FunctionDecl& instance);

}  // namespace cudash::session
