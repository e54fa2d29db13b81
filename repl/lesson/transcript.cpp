#include "repl/lesson/transcript.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "repl/grade/compare.h"
#include "repl/lesson/fences.h"
#include "repl/lesson/header.h"

namespace cudash::lesson {
namespace {

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
    } else if (const auto width = value("WIDTH:")) {
        std::from_chars(width->data(), width->data() + width->size(), transcript.width);
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
            exchanges.push_back({std::string(*code) + "\n", {}, number, false, line.end, line.end, {}, {}});
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
        grade::drop_trailing_blanks(exchange.expected);
        if (exchange.expected.size() != lines) exchange.after_output = "\n";
    }
    return transcript;
}

/// The header of a lesson is TOML and says the same in its own words.
std::optional<Diagnostic> read_lesson_header(Transcript& transcript) {
    std::vector<Diagnostic> problems;
    const auto header = parse_header(transcript.path, transcript.text, problems);
    if (!problems.empty()) return problems.front();
    if (!header) return std::nullopt;
    transcript.needs = header->needs;
    transcript.device = header->device;
    transcript.arguments = header->options;
    return std::nullopt;
}

Result<Transcript> parse_markdown(Transcript transcript) {
    const auto fences = find_fences(transcript.text);
    if (!fences) return bad_line(transcript, 0, "the Markdown can't be parsed");
    for (const Line& line : lines_of(transcript.text)) {
        if (!fences->empty() && line.begin >= fences->front().begin) break;
        read_header(transcript, line.text);
    }
    if (auto problem = read_lesson_header(transcript)) return *problem;

    auto& exchanges = transcript.exchanges;
    bool awaits_output = false;
    for (const Fence& fence : *fences) {
        if (fence.language == "cuda" || fence.language == "debug") {
            exchanges.push_back({std::string(fence.contents(transcript.text)),
                                 {},
                                 fence.line + 1,
                                 fence.marks == "virtual" || fence.language == "debug",
                                 fence.end,
                                 fence.end,
                                 "\n```output\n",
                                 "```\n"});
            awaits_output = true;
        } else if (fence.language == "output") {
            if (!awaits_output) return bad_line(transcript, fence.line, "this output follows no ```cuda cell");
            Exchange& exchange = exchanges.back();
            exchange.expected = grade::printed_lines(fence.contents(transcript.text));
            exchange.output_begin = fence.contents_begin;
            exchange.output_end = fence.contents_end;
            exchange.before_output.clear();
            exchange.after_output.clear();
            awaits_output = false;
        }
    }
    return transcript;
}

}  // namespace

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

std::string rewrite(const Transcript& transcript, const std::vector<std::optional<std::vector<std::string>>>& outputs) {
    std::string text;
    std::size_t position = 0;
    for (std::size_t i = 0; i < transcript.exchanges.size(); ++i) {
        if (!outputs[i]) continue;
        const Exchange& exchange = transcript.exchanges[i];
        text += transcript.text.substr(position, exchange.output_begin - position);
        position = exchange.output_end;
        const auto lines = grade::merge(exchange.expected, *outputs[i]);
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
