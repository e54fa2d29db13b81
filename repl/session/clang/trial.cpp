#include "repl/session/clang/trial.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <charconv>

#include "repl/session/clang/process_copy.h"

namespace cudash::session {
namespace {

/// What takes longer is a big header, and goes on untried: nobody waits for it twice.
constexpr CopyLimits limits{.processor_seconds = 1, .wait = std::chrono::seconds(5)};
constexpr char field_end = '\x1f', record_end = '\x1e';

std::string_view take(std::string_view& text, char end) {
    const std::size_t size = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, size);
    text.remove_prefix(std::min(text.size(), size + 1));
    return part;
}

unsigned number(std::string_view text) {
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::vector<Diagnostic> read_records(std::string_view text) {
    std::vector<Diagnostic> list;
    while (text.find(record_end) != std::string_view::npos) {  // the last may be cut
        std::string_view record = take(text, record_end);
        if (record.empty()) {
            list.clear();
            continue;
        }
        Diagnostic diagnostic = error("compile-error", std::string(take(record, field_end)));
        diagnostic.where.file = take(record, field_end);
        diagnostic.where.line = number(take(record, field_end));
        diagnostic.where.column = number(record);
        list.push_back(std::move(diagnostic));
    }
    return list;
}

Diagnostic fall(std::string_view cell, int signal, bool after_errors) {
    Diagnostic problem =
        error("compiler-fault",
              fmt::format(
                  "clang 19, which reads host code, crashed on this text ({}); nothing of it is kept, and the session "
                  "is as it was",
                  strsignal(signal)),
              after_errors ? "correct what is said above and type it again"
                           : "write it another way, and please report it with the cells before it");
    problem.where.file = cell;
    return problem;
}

}  // namespace

void TrialReport::again() const {
    write_all(file_, std::string_view(&record_end, 1));
}

void TrialReport::said(const Diagnostic& diagnostic) const {
    if (diagnostic.severity != Diagnostic::Severity::error) return;
    write_all(file_, fmt::format("{}{}{}{}{}{}{}{}", diagnostic.message, field_end, diagnostic.where.file, field_end,
                                 diagnostic.where.line, field_end, diagnostic.where.column, record_end));
}

std::optional<std::vector<Diagnostic>> fall_in_copy(const std::function<void(const TrialReport&)>& compile,
                                                    std::string_view cell) {
    const CopyEnd copy = in_copy([&](int file) { compile(TrialReport(file)); }, limits);
    if (copy.fault == 0) return std::nullopt;
    std::vector<Diagnostic> said = read_records(copy.told);
    said.push_back(fall(cell, copy.fault, !said.empty()));
    return said;
}

}  // namespace cudash::session
