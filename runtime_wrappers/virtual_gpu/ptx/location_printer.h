// Prints .loc lines so that reading them back rebuilds the same chain of inlined calls: the parser finds the caller of
// an inlined call through the last .loc of the call's position.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::ptx {

class LocationPrinter {
public:
    /// `index` tells this function's labels in .debug_str from another's.
    LocationPrinter(const Function& function, std::size_t index) : function_(function), index_(index) {}

    /// Prints what makes `location` the current one, nothing if it is.
    void print(std::string& text, const Location& location);
    /// Prints the inline sites that no statement used.
    void finish(std::string& text);
    /// The function's part of .debug_str.
    void print_names(std::string& text) const;

private:
    using Position = std::array<unsigned, 3>;  // file, line, column

    const InlineSite& site(int index) const { return function_.inline_sites[static_cast<std::size_t>(index)]; }
    bool is_site(int index) const {
        return index >= 0 && static_cast<std::size_t>(index) < function_.inline_sites.size();
    }
    void print_line(std::string& text, const Position& position, int inlined_at);
    void print_all_sites(std::string& text);
    void print_callers(std::string& text, int inlined_at);

    const Function& function_;
    std::size_t index_;
    bool all_sites_known_ = false;
    Location current_;
    std::map<Position, int> inlined_at_;
};

}  // namespace cudash::ptx
