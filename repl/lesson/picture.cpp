#include "repl/lesson/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "repl/lesson/recorder.h"

namespace cudash::lesson {
namespace {

std::string joined(const grade::Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

bool has_error(const grade::Lines& lines) {
    return std::ranges::any_of(lines, [](const std::string& line) {
        return line.starts_with("error[") || line.find(": error: ") != std::string::npos;
    });
}

}  // namespace

Picture picture_of(const Exercise& exercise, const std::string& submission, worker::Settings settings) {
    settings.options.device = exercise.checks.device;
    settings.no_input = true;
    Recorder recorder(std::move(settings));
    recorder.run(":profile on");
    for (const std::string* code : {&exercise.checks.setup, &submission, &exercise.checks.harness, &exercise.picture}) {
        if (code->empty()) continue;
        const Given given = recorder.run(*code);
        // A finding of the kernel does not spoil the picture; the checks report it.
        if (given.worker_lost || (code == &submission && has_error(given.lines))) return {{}, joined(given.lines)};
    }
    Picture picture;
    const auto lines = std::ranges::count(submission, '\n');
    for (const char* what : {"sectors", "banks"})
        for (std::ptrdiff_t line = 1; line <= lines + 1; ++line) {
            const Given given = recorder.run(fmt::format(":profile {} {}", what, line));
            if (!given.lines.empty() && !has_error(given.lines)) picture.text += joined(given.lines);
        }
    if (picture.text.empty()) picture.problem = "The kernel touches no memory yet, so there is nothing to draw.\n";
    return picture;
}

}  // namespace cudash::lesson
