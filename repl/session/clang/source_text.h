// From names to the session's declarations and their text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clang/Frontend/CompilerInstance.h"

namespace cudash::session {

/// What lookup finds for "k" or "ns::k": overloads too, in the order of their definition.
std::vector<const clang::NamedDecl*> find_declarations(clang::CompilerInstance& compiler, std::string_view name);

/// The text of a declaration, whole lines if nothing else stands in them.
std::string text_of(clang::CompilerInstance& compiler, const clang::NamedDecl& declaration);

}  // namespace cudash::session
