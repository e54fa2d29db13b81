// Text that was copied from somewhere else: a shell's screen with its prompts, a PDF with its typography.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudash::shell {

struct PlainText {
    std::string text;
    std::vector<std::string> notes{};  ///< what was changed, a sentence each
};

/// The text as it would have been typed. If it begins with a prompt (ours, `>>> `, `$ `, `In [1]: `, ...), the prompts
/// go, and so does the output between them. Curly quotes, dashes, special spaces and ligatures become ASCII where they
/// are code; what can't be seen, or changes the direction of text, goes. Strings and comments keep their characters.
PlainText plain_text(std::string_view text);

}  // namespace cudash::shell
