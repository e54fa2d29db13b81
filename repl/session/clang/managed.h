// Which declarations `__managed__` marks.
#pragma once

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

namespace cudash::session {

/// The annotation that `__managed__` becomes for clang, which knows the attribute only in HIP.
inline constexpr llvm::StringLiteral managed_annotation = "cudash_managed";

inline bool is_managed(const clang::Decl& declaration) {
    for (const auto* annotation : declaration.specific_attrs<clang::AnnotateAttr>())
        if (annotation->getAnnotation() == managed_annotation) return true;
    return false;
}

}  // namespace cudash::session
