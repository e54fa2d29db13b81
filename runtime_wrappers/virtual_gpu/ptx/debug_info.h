// What -lineinfo adds: .file, .loc with its chain of inlined calls, and the names in .section .debug_str
// (PTX ISA 11.5 "Debugging Directives").
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"
#include "runtime_wrappers/virtual_gpu/ptx/token_reader.h"

namespace cudash::ptx {

class DebugInfo {
public:
    /// `1 "name.cu"` after .file; a time stamp and a size may follow.
    bool parse_file(TokenReader& reader, Module& module);
    /// ` .debug_str { ... }` after .section. Only .debug_str is kept.
    bool parse_section(TokenReader& reader);
    /// `1 12 5, function_name $L__info_string0, inlined_at 1 20 3` after .loc: becomes current().
    bool parse_location(TokenReader& reader, Function& function);

    /// Forgets the last .loc: a function begins.
    void begin_function();
    /// The last .loc, ptx_line aside.
    const Location& current() const { return current_; }
    /// Fills in the names of all inlined functions: .debug_str stands at the end of the text.
    void resolve_names(Module& module) const;

private:
    using Position = std::array<unsigned, 3>;  // file, line, column
    struct NameReference {
        std::string label;
        std::int64_t offset = 0;
        auto operator<=>(const NameReference&) const = default;
    };

    bool parse_position(TokenReader& reader, Position& position);
    bool parse_strings(TokenReader& reader);

    Location current_;
    std::map<Position, int> inlined_at_;  // of the last .loc of each position in this function
    std::map<std::tuple<NameReference, Position, int>, int> sites_;
    std::vector<std::vector<NameReference>> references_;  // of each function, in order, for each of its sites
    std::string strings_;                                 // the bytes of .debug_str
    std::unordered_map<std::string, std::size_t> labels_;
};

}  // namespace cudash::ptx
