#include "repl/grade/report_text.h"

#include <fmt/format.h>

#include <set>

#include "repl/grade/compare.h"
#include "repl/view/diagnostic_printer.h"
#include "repl/view/wrap.h"

namespace cudash::grade {
namespace {

struct VerdictLook {
    Verdict verdict;
    std::string_view word;
    std::string (view::Style::*paint)(std::string_view) const;
};
constexpr VerdictLook looks[] = {{Verdict::passed, "passed ", &view::Style::green},
                                 {Verdict::failed, "FAILED ", &view::Style::red},
                                 {Verdict::skipped, "skipped", &view::Style::cyan}};

std::string indented(std::string_view text, std::string_view indent) {
    std::string result;
    for (const std::string& line : split_lines(text)) result += std::string(indent) + line + "\n";
    return result;
}

/// Wrapped behind `used` columns, under its beginning.
std::string hanging(std::string_view text, unsigned width, std::size_t used) {
    std::string result;
    for (const std::string& line : view::wrap(text, width, used, std::string(used, ' '), view::LongWords::kept))
        result += line + "\n";
    return result;
}

/// "expected: ok", or the lines below it if there are several.
std::string labelled(std::string_view label, std::string_view text, unsigned width) {
    if (text.empty()) return {};
    const Lines lines = printed_lines(text);
    if (lines.size() == 1) return fmt::format("      {} {}", label, hanging(lines.front(), width, 7 + label.size()));
    return fmt::format("      {}\n", label) + indented(text, "        ");
}

}  // namespace

std::string print(const Report& report, const Submission& submission, const view::Style& style, unsigned width) {
    const Lines source = split_lines(submission.text);
    const view::SourceLines lines = [&](std::string_view file, unsigned line) -> std::optional<std::string> {
        if (file != submission.name || line == 0 || line > source.size()) return std::nullopt;
        return source[line - 1];
    };
    constexpr std::string_view indent = "      ";
    const unsigned room = width > indent.size() ? width - static_cast<unsigned>(indent.size()) : 0;
    std::string text;
    std::set<std::string> told;
    for (const Diagnostic& diagnostic : report.broken) text += view::print(diagnostic, lines, style, width);
    for (const CheckResult& check : report.checks) {
        for (const VerdictLook& look : looks)
            if (look.verdict == check.verdict)
                text += fmt::format("  {}  {}", (style.*look.paint)(look.word), hanging(check.name, width, 11));
        if (check.verdict == Verdict::passed) continue;
        if (!check.reason.empty()) text += std::string(indent) + hanging(check.reason, width, indent.size());
        if (check.verdict == Verdict::skipped) continue;
        text += labelled("expected:", check.expected, width);
        text += labelled("got:     ", check.actual, width);
        // What an earlier check told in full is only named.
        for (const Diagnostic& finding : check.findings) {
            const std::string told_now = indented(view::print(finding, lines, style, room), indent);
            text += told.insert(told_now).second ? told_now : fmt::format("{}{}: see above\n", indent, finding.code);
        }
    }
    return text;
}

}  // namespace cudash::grade
