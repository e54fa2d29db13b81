// What the text of a call says, read off its line: what clang's tree says of interpreted code.
#pragma once

#include <string>
#include <string_view>

#include "runtime_wrappers/api/runtime.h"

namespace cudash::exec {

/// Of the call of the CUDA runtime on this line. Nothing where the file can't be read, or the line holds several calls:
/// then, only whether all of them are discarded.
api::CallText call_text_at(const std::string& file, unsigned line);
/// The same of a text that begins with the line.
api::CallText read_call_text(std::string_view text);

}  // namespace cudash::exec
