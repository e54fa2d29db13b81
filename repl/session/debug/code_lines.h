// The source lines that PTX has code for, in all of its functions: what a breakpoint can be at before anything runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudash::session::debug {

struct CodeLine {
    std::string file;
    unsigned line = 0;
    std::string symbol;  ///< the function, as PTX calls it
    unsigned ptx_line = 0;
};

/// In the order of the text. The lines on which parameters are read, before a function's own code, are left out.
std::vector<CodeLine> read_code_lines(std::string_view ptx);
/// A file's name as it is shown and compared: from the folder in which the program began, if it is below that.
std::string shown_file(const std::string& path);
/// Whether a person means this function by `name`: "square" stands for each instance of a template as well, such as
/// square<float>, and for ns::square.
bool is_called(std::string_view function, std::string_view name);
/// The first code of this line; nullptr: there is none.
const CodeLine* line_at(const std::vector<CodeLine>& lines, std::string_view file, unsigned line);

}  // namespace cudash::session::debug
