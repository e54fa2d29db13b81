// The value of a cell's last expression. clang's interpreter ends such a cell with a call that reports it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clang/AST/ASTContext.h"

namespace cudash::session {

struct CapturedValue {
    clang::ASTContext* context = nullptr;
    void* type = nullptr;  ///< opaque clang::QualType; null if there is no value
    std::vector<std::byte> bytes;
    std::uint64_t address = 0;  ///< of an object that lives elsewhere; 0: the value is in `bytes`

    /// The process's only one: the functions below have no room for another argument.
    static CapturedValue& of_process();
};

/// Called with an expression's value, promoted as the last argument of a variadic call, or with an object's address.
void set_value(void*, void*, void* opaque_type, ...);

/// Room for a temporary object or a copy of an array, which the cell then constructs. It is never destroyed.
void* set_value_with_allocation(void*, void*, void* opaque_type);

}  // namespace cudash::session
