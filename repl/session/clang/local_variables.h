// What NVRTC's debug information leaves out: variables of functions that lie outside of a thread's own memory
// (__shared__, static __device__), with the types that the source gives them.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "repl/session/debug/debug_info.h"

namespace cudash::session {

class LocalVariables {
public:
    using Mangle = std::function<std::string(const clang::NamedDecl*)>;
    LocalVariables(clang::ASTContext& context, Mangle mangle, debug::DebugInfo& info)
        : context_(context), mangle_(std::move(mangle)), info_(info) {}

    /// Adds those of a part of the session to the functions that they stand in.
    void add(const clang::TranslationUnitDecl& part);

private:
    class Finder;

    void add(const clang::VarDecl& variable, const clang::FunctionDecl& function);
    debug::TypeId type(clang::QualType type);
    debug::DebugType describe(clang::QualType type);

    clang::ASTContext& context_;
    Mangle mangle_;
    debug::DebugInfo& info_;
    std::map<const void*, debug::TypeId> types_;
};

}  // namespace cudash::session
