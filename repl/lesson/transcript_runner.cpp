#include "repl/lesson/transcript_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "repl/cli.h"
#include "repl/exit_codes.h"
#include "repl/lesson/notebook_lesson.h"
#include "repl/lesson/recorder.h"
#include "repl/lesson/transcript.h"
#include "repl/shell/text_check.h"
#include "repl/shell/write_file.h"

namespace cudash::lesson {
namespace {

namespace fs = std::filesystem;

struct Counts {
    int passed = 0, failed = 0, skipped = 0;
};

/// The transcripts in `path`, sorted, or the path itself.
std::vector<std::string> find_transcripts(const std::string& path) {
    std::error_code failure;
    if (!fs::is_directory(path, failure)) return {path};
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path, failure))
        if (entry.is_regular_file() && (entry.path().extension() == ".cudash" || entry.path().extension() == ".md"))
            found.push_back(entry.path().string());
    std::sort(found.begin(), found.end());
    return found;
}

class Runner {
public:
    Runner(const RunnerSettings& settings, const view::Display& display) : settings_(settings), display_(display) {}

    /// A Markdown file of a folder may be for reading only.
    void run(const std::string& path, bool named) {
        auto text = shell::read_file(path);
        if (!text) return fail(text.error());
        auto transcript = parse_transcript(path, std::move(*text));
        if (!transcript) return fail(transcript.error());
        if (!transcript->exchanges.empty()) return run(*transcript);
        if (named) fail(error("bad-transcript", fmt::format("{} holds no cells", path)));
    }

    Counts counts;

private:
    void fail(const Diagnostic& diagnostic) {
        display_.show(diagnostic, {});
        ++counts.failed;
    }

    void skip(const Transcript& transcript, std::string_view why) {
        display_.messages(fmt::format("skipped {}: {}\n", transcript.path, why));
        ++counts.skipped;
    }

    /// The worker's settings for a transcript: the caller's, then what its header says.
    Result<worker::Settings> worker_settings(const Transcript& transcript) const {
        worker::Settings result = settings_.worker;
        if (!settings_.device_given) result.options.device = transcript.needs == "gpu" ? "gpu" : "virtual";
        if (!transcript.device.empty()) result.options.device = transcript.device;
        if (auto problem = parse_session_options(transcript.arguments, result)) {
            problem->where.file = transcript.path;
            return *problem;
        }
        return result;
    }

    void run(const Transcript& transcript) {
        auto settings = worker_settings(transcript);
        if (!settings) return fail(settings.error());
        const bool is_virtual = settings->options.device.starts_with("virtual");
        if (settings_.device_given && transcript.needs == "virtual" && !is_virtual)
            return skip(transcript, "it needs the virtual GPU");
        if (settings_.device_given && transcript.needs == "gpu" && is_virtual)
            return skip(transcript, "it needs a real GPU");

        Recorder recorder(*settings, transcript.width);
        serve_lessons(recorder.notebook(), settings_.worker);
        if (const auto ready = recorder.notebook().client().wait_ready(); !ready) {
            if (transcript.needs == "gpu") return skip(transcript, ready.error().message);
            return fail(ready.error());
        }
        std::vector<std::optional<Given>> outputs;
        for (const Exchange& exchange : transcript.exchanges) {
            const bool runs = !exchange.needs_virtual || recorder.notebook().client().is_virtual();
            outputs.push_back(runs ? std::optional(recorder.run(exchange.code)) : std::nullopt);
        }
        compare(transcript, outputs);
    }

    /// No output: the cell did not run.
    void compare(const Transcript& transcript, const std::vector<std::optional<Given>>& outputs) {
        std::string differences;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const Exchange& exchange = transcript.exchanges[i];
            if (!outputs[i]) continue;
            const std::string difference = differences_of(exchange.expected, *outputs[i]);
            if (difference.empty()) continue;
            differences += fmt::format("@@ {}:{} cell {} @@\n", transcript.path, exchange.line, i + 1);
            for (const std::string& line : grade::split_lines(exchange.code)) differences += " >> " + line + "\n";
            differences += difference;
        }
        if (differences.empty()) {
            ++counts.passed;
        } else if (settings_.rewrite) {
            std::vector<std::optional<grade::Lines>> lines;
            for (const auto& given : outputs) lines.push_back(given ? std::optional(given->lines) : std::nullopt);
            const std::string why = shell::write_file(transcript.path, rewrite(transcript, lines));
            display_.messages(why.empty() ? fmt::format("rewrote {}\n", transcript.path)
                                          : fmt::format("{} can't be written: {}\n", transcript.path, why));
            ++(why.empty() ? counts.passed : counts.failed);
        } else {
            display_.messages(fmt::format("--- expected\n+++ actual\n{}", differences));
            ++counts.failed;
        }
    }

    const RunnerSettings& settings_;
    const view::Display& display_;
};

}  // namespace

int run_transcripts(const std::vector<std::string>& paths, const RunnerSettings& settings,
                    const view::Display& display) {
    Runner runner(settings, display);
    for (const std::string& path : paths)
        for (const std::string& file : find_transcripts(path)) runner.run(file, file == path);
    display.results(fmt::format("{} passed, {} failed, {} skipped\n", runner.counts.passed, runner.counts.failed,
                                runner.counts.skipped));
    return runner.counts.failed == 0 ? 0 : exit_codes::failed;
}

}  // namespace cudash::lesson
