#include "runtime_wrappers/virtual_gpu/ptx/location_printer.h"

#include <fmt/format.h>

#include <iterator>

namespace cudash::ptx {

void LocationPrinter::print_line(std::string& text, const Position& position, int inlined_at) {
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "\t.loc\t{} {} {}", position[0], position[1], position[2]);
    if (is_site(inlined_at)) {
        const InlineSite& call = site(inlined_at);
        fmt::format_to(out, ", function_name $L__info_string{}_{}, inlined_at {} {} {}", index_, inlined_at, call.file,
                       call.line, call.column);
    }
    text += '\n';
    inlined_at_[position] = inlined_at;
}

/// Makes each call of the chain findable by the next, from the outermost inwards.
void LocationPrinter::print_callers(std::string& text, int inlined_at) {
    std::vector<int> chain;
    for (int index = inlined_at; is_site(index); index = site(index).parent) chain.push_back(index);
    for (auto index = chain.rbegin(); index != chain.rend(); ++index) {
        const InlineSite& call = site(*index);
        const Position position{call.file, call.line, call.column};
        const auto known = inlined_at_.find(position);
        if ((known == inlined_at_.end() ? -1 : known->second) != call.parent) print_line(text, position, call.parent);
    }
}

/// Numbers the sites as they are in the tree. Each gets a position of its own, in no file.
void LocationPrinter::print_all_sites(std::string& text) {
    if (all_sites_known_) return;
    all_sites_known_ = true;
    for (std::size_t index = 0; index < function_.inline_sites.size(); ++index) {
        print_callers(text, static_cast<int>(index));
        print_line(text, {0, 0, static_cast<unsigned>(index) + 1}, static_cast<int>(index));
    }
}

void LocationPrinter::print(std::string& text, const Location& location) {
    Location wanted = location;
    wanted.ptx_line = 0;
    if (wanted == current_) return;
    if (is_site(wanted.inlined_at)) print_all_sites(text);
    print_callers(text, wanted.inlined_at);
    print_line(text, {wanted.file, wanted.line, wanted.column}, wanted.inlined_at);
    current_ = wanted;
}

void LocationPrinter::finish(std::string& text) {
    print_all_sites(text);
}

void LocationPrinter::print_names(std::string& text) const {
    for (std::size_t index = 0; index < function_.inline_sites.size(); ++index) {
        fmt::format_to(std::back_inserter(text), "$L__info_string{}_{}:\n.b8 ", index_, index);
        for (const char c : function_.inline_sites[index].function) {
            fmt::format_to(std::back_inserter(text), "{},", static_cast<unsigned char>(c));
        }
        text += "0\n";
    }
}

}  // namespace cudash::ptx
