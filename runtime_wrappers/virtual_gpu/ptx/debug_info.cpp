#include "runtime_wrappers/virtual_gpu/ptx/debug_info.h"

#include <utility>

#include "runtime_wrappers/virtual_gpu/ptx/operands.h"

namespace cudash::ptx {
namespace {

constexpr std::uint64_t most_files = 65535;

bool skip_block(TokenReader& reader) {
    for (int depth = 1; depth > 0;) {
        if (reader.peek().kind == Token::Kind::end) return reader.fail_expected("'}' after a section");
        const Token token = reader.take();
        depth += token.is('{') - token.is('}');
    }
    return true;
}

}  // namespace

bool DebugInfo::parse_file(TokenReader& reader, Module& module) {
    std::uint64_t index = 0;
    std::string name;
    if (!reader.expect_integer(index, most_files, "a file index")) return false;
    if (!reader.expect_string(name, "a file name")) return false;
    while (reader.accept(',')) {
        unsigned ignored = 0;
        if (!reader.expect_integer(ignored, "a time stamp or size")) return false;
    }
    if (module.files.size() <= index) module.files.resize(index + 1);
    module.files[index] = std::move(name);
    return true;
}

bool DebugInfo::parse_section(TokenReader& reader) {
    if (reader.peek().kind != Token::Kind::dotted) return reader.fail_expected("a section's name");
    const bool keep = reader.take().is_dotted("debug_str");
    if (!reader.expect('{', "after the section's name")) return false;
    return keep ? parse_strings(reader) : skip_block(reader);
}

// `$L__info_string0:` and lines of `.b8 95, 90`.
bool DebugInfo::parse_strings(TokenReader& reader) {
    while (!reader.accept('}')) {
        if (reader.peek().kind == Token::Kind::word) {
            labels_[std::string(reader.take().text)] = strings_.size();
            if (!reader.expect(':', "after a label")) return false;
            continue;
        }
        if (!reader.accept_dotted("b8")) return reader.fail_expected(".b8, a label or '}' in .debug_str");
        do {
            std::uint64_t byte = 0;
            if (!reader.expect_integer(byte, 255, "a byte")) return false;
            strings_ += static_cast<char>(byte);
        } while (reader.accept(','));
    }
    return true;
}

bool DebugInfo::parse_position(TokenReader& reader, Position& position) {
    return reader.expect_integer(position[0], "a file index") && reader.expect_integer(position[1], "a line number") &&
           reader.expect_integer(position[2], "a column number");
}

bool DebugInfo::parse_location(TokenReader& reader, Function& function) {
    Position position{}, call_site{};
    NameReference name;
    bool inlined = false;
    if (!parse_position(reader, position)) return false;
    while (reader.accept(',')) {
        if (reader.accept_word("function_name")) {
            if (!reader.expect_word(name.label, "a label in .debug_str")) return false;
            if (!parse_offsets(reader, name.offset)) return false;
        } else if (reader.accept_word("inlined_at")) {
            if (!parse_position(reader, call_site)) return false;
            inlined = true;
        } else {
            return reader.fail_expected("function_name or inlined_at");
        }
    }
    int site = -1;
    if (inlined) {
        // The call site may lie in an inlined function itself: then an earlier .loc said where that one was inlined.
        const auto caller = inlined_at_.find(call_site);
        const int parent = caller == inlined_at_.end() ? -1 : caller->second;
        const int next = static_cast<int>(function.inline_sites.size());
        const auto [known, is_new] = sites_.try_emplace({name, call_site, parent}, next);
        site = known->second;
        if (is_new) {
            function.inline_sites.push_back({{}, call_site[0], call_site[1], call_site[2], parent});
            references_.back().push_back(name);
        }
    }
    inlined_at_[position] = site;
    current_ = {0, position[0], position[1], position[2], site};
    return true;
}

void DebugInfo::begin_function() {
    current_ = {};
    inlined_at_.clear();
    sites_.clear();
    references_.emplace_back();
}

void DebugInfo::resolve_names(Module& module) const {
    for (std::size_t f = 0; f < references_.size() && f < module.functions.size(); ++f) {
        for (std::size_t s = 0; s < references_[f].size(); ++s) {
            const NameReference& reference = references_[f][s];
            const auto label = labels_.find(reference.label);
            if (label == labels_.end()) continue;
            const std::uint64_t begin = label->second + static_cast<std::uint64_t>(reference.offset);
            if (begin >= strings_.size()) continue;
            module.functions[f].inline_sites[s].function = strings_.substr(begin, strings_.find('\0', begin) - begin);
        }
    }
}

}  // namespace cudash::ptx
