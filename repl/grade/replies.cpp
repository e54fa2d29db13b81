#include "repl/grade/replies.h"

#include <algorithm>

#include "repl/session/device/text_scan.h"

namespace cudash::grade {
namespace {

bool fits(const Reply& reply, const Report& report, const std::string& source) {
    const auto has_finding = [&](const Diagnostic& finding) { return finding.code == reply.finding; };
    if (!reply.finding.empty() && std::ranges::none_of(report.findings, has_finding) &&
        std::ranges::find(report.notes, reply.finding) == report.notes.end())
        return false;
    const CheckResult& compiled = report.checks.front();
    const auto has_error = [&](const Diagnostic& d) { return d.message.find(reply.error) != std::string::npos; };
    if (!reply.error.empty() &&
        (compiled.verdict != Verdict::failed || std::ranges::none_of(compiled.findings, has_error)))
        return false;
    const auto has_failed = [&](const CheckResult& result) {
        return result.name == reply.failed && result.verdict == Verdict::failed;
    };
    if (!reply.failed.empty() && std::ranges::none_of(report.checks, has_failed)) return false;
    const auto prints = [&](const std::string& text) { return reply.output->is_in(text); };
    if (reply.output && std::ranges::none_of(report.printed, prints)) return false;
    return !reply.source || reply.source->is_in(source);
}

void add_without_comments(std::string_view source, std::string& result) {
    using Kind = session::TextRun::Kind;
    for (const session::TextRun& run : session::scan_text(source)) {
        const std::string_view part = source.substr(run.begin, run.end - run.begin);
        if (run.kind == Kind::comment) {
            if (part.starts_with("/*")) result += ' ';
        } else if (run.kind == Kind::directive && part.size() > 1) {
            result += part[0];
            add_without_comments(part.substr(1), result);
        } else {
            result += part;
        }
    }
}

}  // namespace

const Reply* fitting_reply(const Checks& checks, const Report& report, std::string_view source) {
    const std::string code = without_comments(source);
    const auto found =
        std::ranges::find_if(checks.replies, [&](const Reply& reply) { return fits(reply, report, code); });
    return found == checks.replies.end() ? nullptr : &*found;
}

std::string without_comments(std::string_view source) {
    std::string result;
    add_without_comments(source, result);
    return result;
}

}  // namespace cudash::grade
