#include "repl/lesson/fences.h"

#include <md4c.h>

#include <algorithm>

#include "repl/trim.h"

namespace cudash::lesson {
namespace {

/// The info string of each fence of a document, in order, and where its contents begin, as md4c tells it.
struct FenceScanner {
    std::string_view document;
    std::vector<std::string> infos;
    std::vector<std::size_t> offsets;  ///< of the first text inside, npos if it is empty
    std::vector<std::size_t> blanks;   ///< blank lines before that
    bool inside = false;

    static int enter(MD_BLOCKTYPE type, void* detail, void* self_pointer) {
        if (type != MD_BLOCK_CODE) return 0;
        auto& self = *static_cast<FenceScanner*>(self_pointer);
        const auto& code = *static_cast<MD_BLOCK_CODE_DETAIL*>(detail);
        self.inside = code.fence_char != 0;
        if (self.inside) {
            self.infos.push_back(code.info.text ? std::string(code.info.text, code.info.size) : std::string());
            self.offsets.push_back(std::string_view::npos);
            self.blanks.push_back(0);
        }
        return 0;
    }
    static int leave(MD_BLOCKTYPE type, void*, void* self_pointer) {
        if (type == MD_BLOCK_CODE) static_cast<FenceScanner*>(self_pointer)->inside = false;
        return 0;
    }
    static int span(MD_SPANTYPE, void*, void*) { return 0; }
    static int text(MD_TEXTTYPE, const MD_CHAR* text, MD_SIZE size, void* self_pointer) {
        auto& self = *static_cast<FenceScanner*>(self_pointer);
        if (!self.inside || self.offsets.back() != std::string_view::npos) return 0;
        // md4c passes line ends of code blocks from a string of its own.
        if (text >= self.document.data() && text < self.document.data() + self.document.size())
            self.offsets.back() = static_cast<std::size_t>(text - self.document.data());
        else
            self.blanks.back() += static_cast<std::size_t>(std::count(text, text + size, '\n'));
        return 0;
    }
};

bool is_fence(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(' ');
    return begin != std::string_view::npos && begin < 4 &&
           (line.substr(begin).starts_with("```") || line.substr(begin).starts_with("~~~"));
}

/// True if `line` closes a fence that `opening` opened (CommonMark 4.5).
bool closes(std::string_view line, std::string_view opening) {
    const auto run = [](std::string_view text) {
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        return text.substr(0, text.empty() ? 0 : std::min(text.find_first_not_of(text[0]), text.size()));
    };
    const std::string_view mark = run(line);
    return is_fence(line) && mark[0] == run(opening)[0] && mark.size() >= run(opening).size() &&
           line.find_last_not_of(" \t") == static_cast<std::size_t>(mark.data() + mark.size() - line.data()) - 1;
}

}  // namespace

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t newline = text.find('\n', begin);
        const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
        std::string_view line = text.substr(begin, end - begin);
        while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back({begin, end, line});
        begin = end;
    }
    return lines;
}

std::optional<std::vector<Fence>> find_fences(std::string_view document) {
    FenceScanner told{document, {}, {}, {}};
    MD_PARSER parser = {};
    parser.flags = MD_DIALECT_GITHUB;
    parser.enter_block = FenceScanner::enter;
    parser.leave_block = FenceScanner::leave;
    parser.enter_span = parser.leave_span = FenceScanner::span;
    parser.text = FenceScanner::text;
    if (md_parse(document.data(), static_cast<MD_SIZE>(document.size()), &parser, &told) != 0) return std::nullopt;

    // md4c says what is a fence and where its text is; the fence's own lines are those around it.
    const std::vector<Line> lines = lines_of(document);
    std::vector<Fence> fences;
    std::size_t i = 0;
    for (std::size_t n = 0; n < told.infos.size(); ++n) {
        // An empty fence has no text to go by.
        const std::size_t offset = told.offsets[n];
        if (offset == std::string_view::npos) {
            while (i < lines.size() && !is_fence(lines[i].text)) ++i;
        } else {
            while (i < lines.size() && lines[i].end <= offset) ++i;
            i -= std::min(i, told.blanks[n] + 1);
        }
        if (i == lines.size()) break;
        // In a quote or a list every line begins with more than the fence's own text.
        if (!is_fence(lines[i].text)) {
            ++i;
            continue;
        }
        std::size_t last = i + 1;
        while (last < lines.size() && !closes(lines[last].text, lines[i].text)) ++last;
        Fence fence;
        const std::string_view info = told.infos[n];
        const std::size_t word = std::min(info.find_first_of(" \t"), info.size());
        fence.language = info.substr(0, word);
        fence.marks = trim(info.substr(word));
        fence.line = static_cast<unsigned>(i + 1);
        fence.begin = lines[i].begin;
        fence.contents_begin = lines[i].end;
        fence.closed = last < lines.size();
        fence.contents_end = fence.closed ? lines[last].begin : document.size();
        fence.end = fence.closed ? lines[last].end : document.size();
        fences.push_back(std::move(fence));
        i = last + 1;
    }
    return fences;
}

}  // namespace cudash::lesson
