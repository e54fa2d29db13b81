// `#define T 3` before `#include <cub/cub.cuh>`: the header's own T's become 3's, and its errors name neither.
#pragma once

#include <string>

#include "clang/Basic/Diagnostic.h"
#include "clang/Lex/Preprocessor.h"

namespace cudash::session {

/// For an error in a system header: which macro of a cell or of a student's file replaces a word of the line that the
/// error is in, and what to do. "" if none does.
std::string header_macro_hint(const clang::Diagnostic& error, clang::Preprocessor& preprocessor);

}  // namespace cudash::session
