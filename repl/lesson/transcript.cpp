#include "repl/lesson/transcript.h"

#include <fmt/format.h>
#include <md4c.h>

#include <optional>
#include <utility>

#include "repl/lesson/compare.h"

namespace cudash::lesson {
namespace {

struct Line {
    std::size_t begin = 0, end = 0;  ///< `end` after the line end
    std::string_view text;           ///< without it
};

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

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> result;
    while (true) {
        const std::size_t begin = text.find_first_not_of(" \t");
        if (begin == std::string_view::npos) return result;
        text.remove_prefix(begin);
        const std::size_t size = std::min(text.find_first_of(" \t"), text.size());
        result.emplace_back(text.substr(0, size));
        text.remove_prefix(size);
    }
}

/// Takes a header line in; false if it is none.
bool read_header(Transcript& transcript, std::string_view line) {
    const auto value = [&](std::string_view name) -> std::optional<std::string> {
        if (!line.starts_with(name)) return std::nullopt;
        const auto found = words(line.substr(name.size()));
        return found.empty() ? std::string() : found.front();
    };
    if (const auto needs = value("NEEDS:")) {
        transcript.needs = *needs;
    } else if (const auto device = value("DEVICE:")) {
        transcript.device = *device;
    } else if (line.starts_with("ARGS:")) {
        transcript.arguments = words(line.substr(5));
    } else {
        return false;
    }
    return true;
}

Diagnostic bad_line(const Transcript& transcript, unsigned line, std::string message) {
    Diagnostic diagnostic = error("bad-transcript", std::move(message));
    diagnostic.where = {transcript.path, line, 0};
    return diagnostic;
}

/// The rest of a prompt line: ">> code", or ">>" alone.
std::optional<std::string_view> after_prompt(std::string_view line, std::string_view prompt) {
    if (line == prompt) return std::string_view();
    if (line.starts_with(prompt) && line.size() > prompt.size() && line[prompt.size()] == ' ')
        return line.substr(prompt.size() + 1);
    return std::nullopt;
}

Result<Transcript> parse_text_form(Transcript transcript) {
    unsigned number = 0;
    bool in_code = false;
    for (const Line& line : lines_of(transcript.text)) {
        ++number;
        auto& exchanges = transcript.exchanges;
        if (const auto code = after_prompt(line.text, ">>")) {
            if (!exchanges.empty()) exchanges.back().output_end = line.begin;
            exchanges.push_back({std::string(*code) + "\n", {}, number, line.end, line.end, {}, {}});
            in_code = true;
        } else if (const auto more = after_prompt(line.text, ".."); more && in_code) {
            exchanges.back().code += std::string(*more) + "\n";
            exchanges.back().output_begin = exchanges.back().output_end = line.end;
        } else if (!exchanges.empty()) {
            exchanges.back().expected.emplace_back(line.text);
            exchanges.back().output_end = line.end;
            in_code = false;
        } else if (!read_header(transcript, line.text) && !line.text.empty() && !line.text.starts_with('#')) {
            return bad_line(transcript, number, fmt::format("'{}' is neither a header nor a '>> ' cell", line.text));
        }
    }
    // Blank lines before the next cell set it apart; they are no output.
    for (Exchange& exchange : transcript.exchanges) {
        const std::size_t lines = exchange.expected.size();
        drop_trailing_blanks(exchange.expected);
        if (exchange.expected.size() != lines) exchange.after_output = "\n";
    }
    return transcript;
}

/// The language of each fence of a document, in order, and where its contents begin.
struct Fences {
    std::string_view document;
    std::vector<std::string> languages;
    std::vector<std::size_t> offsets;  ///< of the first text inside, npos if it is empty
    bool inside = false;

    static int enter(MD_BLOCKTYPE type, void* detail, void* self_pointer) {
        if (type != MD_BLOCK_CODE) return 0;
        auto& self = *static_cast<Fences*>(self_pointer);
        const auto& code = *static_cast<MD_BLOCK_CODE_DETAIL*>(detail);
        self.inside = code.fence_char != 0;
        if (self.inside) {
            self.languages.push_back(code.lang.text ? std::string(code.lang.text, code.lang.size) : std::string());
            self.offsets.push_back(std::string_view::npos);
        }
        return 0;
    }
    static int leave(MD_BLOCKTYPE type, void*, void* self_pointer) {
        if (type == MD_BLOCK_CODE) static_cast<Fences*>(self_pointer)->inside = false;
        return 0;
    }
    static int span(MD_SPANTYPE, void*, void*) { return 0; }
    static int text(MD_TEXTTYPE, const MD_CHAR* text, MD_SIZE, void* self_pointer) {
        auto& self = *static_cast<Fences*>(self_pointer);
        if (!self.inside || self.offsets.back() != std::string_view::npos) return 0;
        // md4c passes line ends of code blocks from a string of its own.
        if (text >= self.document.data() && text < self.document.data() + self.document.size())
            self.offsets.back() = static_cast<std::size_t>(text - self.document.data());
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

Result<Transcript> parse_markdown(Transcript transcript) {
    Fences fences{transcript.text, {}, {}};
    MD_PARSER parser = {};
    parser.flags = MD_DIALECT_GITHUB;
    parser.enter_block = Fences::enter;
    parser.leave_block = Fences::leave;
    parser.enter_span = parser.leave_span = Fences::span;
    parser.text = Fences::text;
    if (md_parse(transcript.text.data(), static_cast<MD_SIZE>(transcript.text.size()), &parser, &fences) != 0)
        return bad_line(transcript, 0, "the Markdown can't be parsed");

    // md4c says what is a fence and where its text is; the fence's own lines are those around it.
    const std::vector<Line> lines = lines_of(transcript.text);
    auto& exchanges = transcript.exchanges;
    for (const Line& line : lines) {
        if (is_fence(line.text)) break;
        read_header(transcript, line.text);
    }
    bool awaits_output = false;
    std::size_t i = 0;
    for (std::size_t fence = 0; fence < fences.languages.size(); ++fence) {
        // An empty fence has no text to go by.
        const std::size_t offset = fences.offsets[fence];
        const auto is_opening = [&](std::size_t line) {
            if (offset == std::string_view::npos) return is_fence(lines[line].text);
            return lines[line].end <= offset && (line + 1 == lines.size() || lines[line + 1].end > offset);
        };
        while (i < lines.size() && !is_opening(i)) ++i;
        if (i == lines.size()) break;
        std::size_t last = i + 1;
        while (last < lines.size() && !closes(lines[last].text, lines[i].text)) ++last;
        const std::string& language = fences.languages[fence];
        const std::size_t begin = lines[i].end, end = last < lines.size() ? lines[last].begin : transcript.text.size();
        if (language == "cuda") {
            const std::size_t after = last < lines.size() ? lines[last].end : end;
            exchanges.push_back({transcript.text.substr(begin, end - begin),
                                 {},
                                 static_cast<unsigned>(i + 2),
                                 after,
                                 after,
                                 "\n```output\n",
                                 "```\n"});
            awaits_output = true;
        } else if (language == "output") {
            if (!awaits_output)
                return bad_line(transcript, static_cast<unsigned>(i + 1), "this output follows no ```cuda cell");
            Exchange& exchange = exchanges.back();
            exchange.expected = split_lines(std::string_view(transcript.text).substr(begin, end - begin));
            exchange.output_begin = begin;
            exchange.output_end = end;
            exchange.before_output.clear();
            exchange.after_output.clear();
            drop_trailing_blanks(exchange.expected);
            awaits_output = false;
        }
        i = last + 1;
    }
    return transcript;
}

}  // namespace

void drop_trailing_blanks(std::vector<std::string>& lines) {
    while (!lines.empty() && lines.back().find_first_not_of(" \t") == std::string::npos) lines.pop_back();
}

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> result;
    for (const Line& line : lines_of(text)) result.emplace_back(line.text);
    return result;
}

Result<Transcript> parse_transcript(std::string path, std::string text) {
    Transcript transcript;
    transcript.path = std::move(path);
    transcript.text = std::move(text);
    const bool markdown = transcript.path.ends_with(".md");
    Result<Transcript> result =
        markdown ? parse_markdown(std::move(transcript)) : parse_text_form(std::move(transcript));
    if (!result) return result;
    if (!result->needs.empty() && result->needs != "gpu" && result->needs != "virtual")
        return bad_line(*result, 0, fmt::format("NEEDS: {} is not known; it is gpu or virtual", result->needs));
    return result;
}

std::string rewrite(const Transcript& transcript, const std::vector<std::vector<std::string>>& outputs) {
    std::string text;
    std::size_t position = 0;
    for (std::size_t i = 0; i < transcript.exchanges.size(); ++i) {
        const Exchange& exchange = transcript.exchanges[i];
        text += transcript.text.substr(position, exchange.output_begin - position);
        position = exchange.output_end;
        const auto lines = merge(exchange.expected, outputs[i]);
        const bool new_fence = !exchange.before_output.empty();
        if (new_fence && lines.empty()) continue;
        if (!lines.empty() && !text.ends_with('\n')) text += '\n';
        text += exchange.before_output;
        for (const std::string& line : lines) text += line + "\n";
        text += exchange.after_output;
    }
    return text + transcript.text.substr(position);
}

}  // namespace cudash::lesson
