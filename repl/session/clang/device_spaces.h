// What a declaration says of the device: its execution or memory space, as the student wrote it.
#pragma once

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
#include "repl/session/clang/managed.h"

namespace cudash::session {

template <class Attribute>
bool has_explicit(const clang::Decl& declaration) {
    const auto* attribute = declaration.getAttr<Attribute>();
    return attribute && !attribute->isImplicit();
}

/// The declaration inside a template, or the declaration itself.
inline const clang::Decl& templated(const clang::Decl& declaration) {
    if (const auto* scheme = llvm::dyn_cast<clang::TemplateDecl>(&declaration))
        if (const auto* inner = scheme->getTemplatedDecl()) return *inner;
    return declaration;
}

/// Where its text begins. A template that only `auto` among its parameters makes one has no `template` to begin with.
inline clang::SourceLocation begin_of(const clang::Decl& declaration) {
    const clang::SourceLocation begin = declaration.getBeginLoc();
    return begin.isValid() ? begin : templated(declaration).getBeginLoc();
}

/// Has an execution or memory space of the device, written by the student (constexpr functions get one implicitly).
inline bool is_device(const clang::Decl& outer) {
    const clang::Decl& declaration = templated(outer);
    return has_explicit<clang::CUDAGlobalAttr>(declaration) || has_explicit<clang::CUDADeviceAttr>(declaration) ||
           has_explicit<clang::CUDAConstantAttr>(declaration) || has_explicit<clang::CUDASharedAttr>(declaration) ||
           is_managed(declaration);
}

inline bool is_kernel(const clang::FunctionDecl& function) {
    return function.hasAttr<clang::CUDAGlobalAttr>();
}

}  // namespace cudash::session
