// clang takes an instantiation of a template, or an inline function of the precompiled header, to be dealt with once it
// was asked for. A cell that fails drops its code: what it was the first to ask for would then be missing from every
// later cell. This keeps account, and gives it to code generation again with the next cell.
#pragma once

#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/DeclGroup.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cudash::session {

class Instantiations {
public:
    /// The account of this process's interpreter: clang tells of instantiations through a registry of plugins, which
    /// is the process's too.
    static Instantiations& of_process();

    /// A cell, or another attempt at it, begins.
    void begin();
    /// Something was instantiated, or read from the precompiled header.
    void add(clang::DeclGroupRef group) { asked_.push_back(group); }
    /// The table of a class's virtual functions is needed.
    void add(clang::CXXRecordDecl* table) { tables_asked_.push_back(table); }
    /// The cell's text ended without an error; what it still waits to instantiate follows. `emit` generates code for
    /// what is used.
    void end(clang::ASTConsumer& emit);
    /// Of the cell, the kernels that templates made.
    std::vector<const clang::FunctionDecl*> kernels() const;
    /// The cell's code belongs to the session: what it has of Thrust's and CUB's algorithms, hundreds of functions, is
    /// not made again for the next cell. `has`: whether the session has a function.
    void keep_algorithms(llvm::function_ref<bool(const clang::FunctionDecl&)> has);
    /// The cell was rejected.
    void fail() { failed_ = true; }

private:
    std::vector<clang::DeclGroupRef> asked_, lost_;  ///< in this cell; with cells that failed
    std::vector<clang::CXXRecordDecl*> tables_asked_, tables_lost_;
    bool failed_ = false;  ///< this cell
};

}  // namespace cudash::session
