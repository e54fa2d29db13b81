#include "repl/grade/check_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "repl/grade/compare.h"
#include "repl/grade/scratch_folder.h"
#include "repl/session/base64.h"
#include "repl/shell/text_check.h"

namespace cudash::grade {
namespace {

using session::Cell;
using session::Outcome;

constexpr std::size_t most_output = 1 << 20;                 ///< of a cell; the rest is dropped
constexpr std::size_t most_findings = 200;                   ///< of a cell
constexpr std::size_t most_notes = 50, most_message = 4096;  ///< of a finding
constexpr std::size_t most_told = 1 << 20;                   ///< characters of all findings of a worker
constexpr std::size_t chunk = 8 << 20;                       ///< of an array that goes in or comes out at once
constexpr int wall_clock = 10;  ///< times the time that a submission may take in all: the machine is too busy then
constexpr std::size_t most_source = 1 << 20;  ///< of a submission
/// Of a text that a regular expression looks at. std::regex calls itself for each character of a repeated group: 8 MB
/// of stack end at 8,192 to 16,384 of them.
constexpr std::size_t most_matched = 4096;
constexpr std::uint64_t start_seconds = 10;   ///< of processor time, at most, until a worker is ready
constexpr std::size_t most_shown_lines = 30;  ///< of what was printed

bool is_real(const Diagnostic& diagnostic) {
    return diagnostic.severity != Diagnostic::Severity::note;
}

bool wants_counters(const Checks& checks) {
    return std::ranges::any_of(checks.checks, [](const Check& check) { return !check.metric.empty(); });
}

worker::Settings worker_settings(const Checks& checks, const RunSettings& settings, const std::string& folder,
                                 const Check::Program* run) {
    worker::Settings result = settings.worker;
    if (!settings.any_device) result.options.device = checks.device;
    result.options.check = checks.checkers;
    result.options.profile = wants_counters(checks);
    result.timeout = std::chrono::milliseconds(static_cast<long>(std::ceil(checks.timeout * 1000)));
    result.no_input = true;
    if (!settings.confined) {
        // The check's limit ends a kernel, too. A second limit of the same length would now and then come first, and
        // its finding is another.
        result.options.kernel_timeout_ms = 0;
        return result;
    }
    worker::Confinement& held = result.confinement.emplace();
    held.folder = folder;
    held.memory_bytes = checks.memory_bytes;
    // Of all cells together; each is limited on its own.
    const double all = all_time(checks);
    held.cpu_seconds = static_cast<std::uint64_t>(std::ceil(all)) + start_seconds;
    result.wall_clock = std::chrono::milliseconds(static_cast<long>(std::ceil(all * wall_clock * 1000)));
    held.without = settings.without;
    if (run) held.input = run->input;
    if (run && !run->device.empty()) result.options.device = run->device;
    if (checks.kind == SubmissionKind::program) {  // as it is when somebody runs it
        result.options.report_api_errors = false;
        result.options.restore_after_sticky = false;
    }
    return result;
}

/// One worker with the setup and the submission in it, and what it has said so far.
class Trial {
public:
    /// `left`: of the time of all of the submission's workers. `run`: of a whole program, which gets its input from it.
    Trial(const Checks& checks, const Submission& submission, const RunSettings& settings,
          std::chrono::nanoseconds& left, const Check::Program* run = nullptr)
        : checks_(checks),
          submission_(submission),
          settings_(settings),
          left_(left),
          client_(worker_settings(checks, settings, folder_.path(), run), observer()) {}

    struct Step {
        Outcome outcome;
        std::string printed;               ///< with the value of the cell
        std::vector<Diagnostic> findings;  ///< of this step
        worker::Measured measured;         ///< how it ended, whatever it said
        bool ok() const { return outcome.status == Outcome::Status::ok; }
        bool timed_out() const { return measured.timed_out; }
        /// It was ended at a moment that is another one on each run.
        bool cut_short() const { return measured.timed_out || measured.exceeded; }
    };

    /// Starts its worker, and returns at once.
    void start() {
        started_ = true;
        if (!settings_.confined || lay_out())
            client_.start();
        else
            no_folder_ = std::strerror(errno);
    }

    /// Brings setup and submission in. False: it ended there, with why in `load` or `broken`.
    bool begin(std::vector<Diagnostic>& broken) {
        if (!started_) start();
        if (!no_folder_.empty()) {
            broken.push_back(error("no-scratch", fmt::format("can't make a folder for the submission: {}", no_folder_),
                                   "make room in the folder for temporary files, or set TMPDIR to another folder"));
            return false;
        }
        if (const auto ready = client_.wait_ready(); !ready) {
            interrupted = ready.error().code == "interrupted";  // no stranger's code has run
            if (!interrupted) broken.push_back(ready.error());
            return false;
        }
        if (!is_held(broken)) return false;
        if (!own_code(Cell::Kind::kernels, "kernels", checks_.kernels, broken)) return false;
        if (!own_code(Cell::Kind::code, "setup", checks_.setup, broken)) return false;
        // The harness knows a device text by its declarations: it can't fail because of it.
        const bool device = checks_.kind == SubmissionKind::device;
        if (device && !own_code(Cell::Kind::code, "harness", checks_.harness, broken)) return false;
        load = bring_in();
        if (device) return load.ok();
        if (load.ok()) {
            Step device = run({Cell::Kind::compile_device, submission_.name, {}, {}});
            if (!device.ok()) load = std::move(device);
        }
        if (load.ok() && !checks_.harness.empty()) {
            load = run({Cell::Kind::code, "harness", checks_.harness, {}});
            harness_failed = !load.ok();
        }
        note_end(load);
        return load.ok();
    }

    /// Puts a check's inputs in. False: the harness has no such array.
    bool put(const std::vector<Input>& inputs, unsigned run, std::string_view check, std::vector<Diagnostic>& broken) {
        for (const Input& input : inputs) {
            const Bytes bytes = input.make(checks_.seed, check, run);
            for (std::size_t at = 0; at < bytes.size(); at += chunk) {
                const auto part = std::span(bytes).subspan(at, std::min(chunk, bytes.size() - at));
                const Outcome outcome = client_.evaluate(
                    {Cell::Kind::store, "input " + input.name, behind(input.name, at), {session::to_base64(part)}});
                if (outcome.status != Outcome::Status::ok) return fail(outcome, broken);
            }
        }
        return true;
    }

    /// The bytes of a result, exactly as many as it has; nullopt with why in `broken` if that is the harness's fault.
    std::optional<Bytes> get(const ResultDemand& result, std::vector<Diagnostic>& broken) {
        const std::size_t size = result.count * result.type->size;
        Bytes all;
        all.reserve(size);
        while (all.size() < size) {
            const std::size_t wanted = std::min(chunk, size - all.size());
            const Outcome outcome = client_.evaluate(
                {Cell::Kind::load, "result " + result.name, behind(result.name, all.size()), {std::to_string(wanted)}});
            const auto bytes =
                outcome.status == Outcome::Status::ok ? session::from_base64(outcome.text) : std::nullopt;
            if (!bytes || bytes->size() != wanted) {
                fail(outcome, broken);
                over = true;
                return std::nullopt;
            }
            all.insert(all.end(), bytes->begin(), bytes->end());
        }
        return all;
    }

    Step run(const Cell& cell) {
        Step step;
        step_ = &step;
        client_.set_budget(left_);
        step.outcome = client_.evaluate(cell);
        step.measured = client_.measured();
        left_ -= std::min(left_, step.measured.spent);
        step_ = nullptr;
        const Outcome& outcome = step.outcome;
        for (const Diagnostic& diagnostic : outcome.diagnostics) note(step, diagnostic);
        if (outcome.value) {
            if (!step.printed.empty() && step.printed.back() != '\n') step.printed += '\n';
            step.printed += fmt::format("({}) {}\n", outcome.value->type, outcome.value->text);
        }
        if (settings_.confined && step.cut_short()) keep_what_is_certain(step);
        findings.insert(findings.end(), step.findings.begin(), step.findings.end());
        in_hidden.resize(findings.size(), hidden);
        note_end(step);
        return step;
    }

    Outcome inspect(std::string request) {
        return client_.evaluate({Cell::Kind::inspect, "the checks", std::move(request), {}});
    }
    bool is_virtual() const { return client_.is_virtual(); }

    Step load;                         ///< of the submission
    std::vector<Diagnostic> findings;  ///< so far
    bool hidden = false;               ///< the last cell belongs to a check that the student does not see
    std::vector<bool> in_hidden;       ///< for each finding: whether it appeared in such a cell
    bool interrupted = false;
    bool too_busy = false;  ///< the machine could not run the submission in time
    bool over = false;      ///< nothing more can run in this worker
    bool endless = false;
    bool harness_failed = false;  ///< the code that uses the submission does not fit it

    std::uint64_t peak_memory() {
        client_.stop();
        return client_.peak_memory();
    }

private:
    std::string program_path() const { return folder_.path() + "/" + submission_.name; }

    /// What the worker finds in its folder. False: errno says why.
    bool lay_out() const {
        if (folder_.path().empty()) return false;
        if (checks_.kind != SubmissionKind::program) return true;
        std::ofstream file(program_path(), std::ios::binary);
        file << submission_.text;
        file.close();
        return !file.fail();
    }

    /// Too few layers of isolation are a reason not to begin.
    bool is_held(std::vector<Diagnostic>& broken) const {
        if (!settings_.confined) return true;
        const auto trust =
            checks_.kind == SubmissionKind::device ? worker::Trust::device_code : worker::Trust::native_code;
        std::vector<std::string> held = client_.layers();
        held.insert(held.end(), settings_.without.begin(), settings_.without.end());
        const auto missing = worker::missing_layers(trust, held);
        if (missing.empty()) return true;
        std::string names;
        for (const std::string_view name : missing) names += (names.empty() ? "" : ", ") + std::string(name);
        broken.push_back(error("isolation",
                               fmt::format("this machine can't hold a submission safely; missing layers: {}", names),
                               "`cudash doctor` says what each layer stops"));
        return false;
    }

    /// Code of the assignment's author.
    bool own_code(Cell::Kind kind, const std::string& name, const std::string& text, std::vector<Diagnostic>& broken) {
        if (text.empty()) return true;
        Step step = run({kind, name, text, {}});
        if (step.ok()) return true;
        broken = std::move(step.findings);
        if (broken.empty())
            broken.push_back(error("bad-setup", fmt::format("the {} of the checks does not run", name)));
        for (Diagnostic& diagnostic : broken)
            diagnostic.notes.push_back(
                {fmt::format("this is the {} of the checks, not your code", name), {checks_.path, 0, 0}});
        return false;
    }

    Step bring_in() {
        switch (checks_.kind) {
            case SubmissionKind::device:
                return run({Cell::Kind::device, submission_.name, submission_.text, {}});
            case SubmissionKind::program:
                return run({Cell::Kind::file, submission_.name, program_path(), {}});
            case SubmissionKind::cells:
                break;
        }
        return run({Cell::Kind::code, submission_.name, submission_.text, {}});
    }

    /// An expression for the memory `bytes` behind the beginning of an array.
    static std::string behind(const std::string& array, std::size_t bytes) {
        return bytes == 0 ? array : fmt::format("(const char*)({}) + {}", array, bytes);
    }

    /// A transfer failed. With the solution in the same harness, in prepare(), it did not: there it is the harness's
    /// fault, and here the submission's.
    bool fail(const Outcome& outcome, std::vector<Diagnostic>& broken) {
        const bool is_submissions = settings_.confined && !settings_.record;
        if (outcome.status != Outcome::Status::lost && !is_submissions) broken = outcome.diagnostics;
        over = over || outcome.status == Outcome::Status::lost;
        note_measured(client_.measured());
        return false;
    }

    /// No more of what a worker says than a person reads.
    void note(Step& step, const Diagnostic& diagnostic) {
        if (!is_real(diagnostic) || step.findings.size() >= most_findings || told_ >= most_told) return;
        Diagnostic& kept = step.findings.emplace_back(diagnostic);
        if (kept.notes.size() > most_notes) kept.notes.resize(most_notes);
        const auto shorten = [this](std::string& text) {
            text.resize(std::min(text.size(), most_message));
            told_ += text.size();
        };
        for (Diagnostic::Note& each : kept.notes) {
            shorten(each.message);
            shorten(each.where.file);
        }
        for (std::string* text : {&kept.message, &kept.hint, &kept.code, &kept.where.file}) shorten(*text);
        if (kept.thread) shorten(kept.thread->kernel);
    }

    /// A grade is the same on every run: how far a step got before it was ended, and how, is not.
    static void keep_what_is_certain(Step& step) {
        step.printed.clear();
        const bool timed_out =
            std::ranges::any_of(step.findings, [](const Diagnostic& finding) { return finding.code == "timeout"; });
        step.findings.clear();
        // It would be missing where the worker's own findings had filled the list before.
        if (step.measured.exceeded) step.findings.push_back(*step.measured.exceeded);
        if (timed_out) step.findings.push_back(error("timeout", "it was stopped"));
    }

    void note_end(const Step& step) {
        const Outcome& outcome = step.outcome;
        note_measured(step.measured);
        if (outcome.status == Outcome::Status::lost || !outcome.sound) over = true;
    }

    void note_measured(const worker::Measured& measured) {
        interrupted = interrupted || measured.interrupted;
        endless = endless || measured.timed_out || (measured.exceeded && measured.exceeded->code == "time-limit");
        too_busy = too_busy || (measured.exceeded && measured.exceeded->code == "wall-clock");
    }

    worker::Observer observer() {
        worker::Observer result;
        result.diagnostic = [this](const Diagnostic& diagnostic) {
            if (step_) note(*step_, diagnostic);
        };
        result.output = [this](std::string_view text) {
            if (!step_ || step_->printed.size() >= most_output) return;
            step_->printed += text.substr(0, most_output - step_->printed.size());
        };
        return result;
    }

    const Checks& checks_;
    const Submission& submission_;
    const RunSettings& settings_;
    std::chrono::nanoseconds& left_;  ///< of the submission's time
    std::size_t told_ = 0;            ///< characters of findings so far
    ScratchFolder folder_;
    bool started_ = false;
    std::string no_folder_;  ///< why there is none
    Step* step_ = nullptr;
    worker::Client client_;
};

std::string list(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

struct LimitTold {
    std::string_view code, what, advice;
};
constexpr LimitTold limits_told[] = {
    {"memory-limit", "took", "is there an allocation in a loop, or an array that is too large?"},
    {"output-limit", "printed", "is there a print in a loop that never ends?"},
    {"thread-limit", "started", "start fewer at a time"},
};

/// Why a step that should have run did not, as a sentence, and what the student can do.
std::string reason_of(const Trial::Step& step, const Checks& checks) {
    if (const auto& exceeded = step.measured.exceeded) {
        if (exceeded->code == "time-limit")
            return fmt::format("it was stopped: the submission took longer than {:g} s in all", all_time(checks));
        for (const auto& [code, what, advice] : limits_told)
            if (exceeded->code == code)
                return fmt::format("it was stopped because it {} {}: {}", what, exceeded->message, advice);
        return "it was stopped: " + exceeded->message;
    }
    if (step.timed_out())
        return fmt::format("it ran longer than {:g} s and was stopped: is there a loop that never ends?",
                           checks.timeout);
    switch (step.outcome.status) {
        case Outcome::Status::compile_error:
            return "it does not compile";
        case Outcome::Status::faulted:
            return "it crashed";
        case Outcome::Status::exited:
            return fmt::format("it called exit({})", step.outcome.exit_code);
        case Outcome::Status::device_error:
            return "a kernel was stopped by an error";
        case Outcome::Status::lost:
            return "the process that ran it ended";
        case Outcome::Status::interrupted:
            return step.measured.interrupted ? "it was interrupted" : "it was stopped by a signal that it sent itself";
        case Outcome::Status::ok:
            break;
    }
    return {};
}

std::string shortened(std::string_view text) {
    Lines lines = printed_lines(text);
    std::string result;
    const std::size_t count = std::min(lines.size(), most_shown_lines);
    for (std::size_t i = 0; i < count; ++i) result += lines[i] + "\n";
    if (count < lines.size()) result += fmt::format("... and {} lines more\n", lines.size() - count);
    return result;
}

// The demands of a check, each a function that says what is wrong: true if the demand is met.

bool demand_output(const Check& check, const Trial::Step& step, CheckResult& result) {
    if (!check.output) return true;
    const Lines expected = printed_lines(*check.output), actual = printed_lines(step.printed);
    // A text in TOML often begins with the line end after its quotation marks.
    const Lines wanted(expected.begin() + (!expected.empty() && expected.front().empty() ? 1 : 0), expected.end());
    if (matches(wanted, actual)) return true;
    for (const std::string& line : wanted) result.expected += line + "\n";
    result.actual = shortened(step.printed);
    result.reason = result.actual.empty() ? "it prints nothing" : "it prints something else";
    result.findings = step.findings;
    return false;
}

/// Sizes, values and threads of a hidden check are nothing that a visible one tells.
Diagnostic withheld(const Diagnostic& finding) {
    Diagnostic shown = error(finding.code, finding.code + ": found in a check that is not shown to you");
    shown.severity = finding.severity;
    shown.where = finding.where;
    return shown;
}

bool demand_findings(const Check& check, const Trial& trial, CheckResult& result) {
    if (!check.findings) return true;
    for (std::size_t i = 0; i < trial.findings.size(); ++i) {
        const Diagnostic& finding = trial.findings[i];
        if (std::ranges::find(*check.findings, finding.code) != check.findings->end()) continue;
        const bool is_shown = check.visibility != Visibility::visible || !trial.in_hidden[i];
        result.findings.push_back(is_shown ? finding : withheld(finding));
    }
    if (result.findings.empty()) return true;
    result.expected = check.findings->empty() ? "no findings\n" : fmt::format("none but {}\n", list(*check.findings));
    std::vector<std::string> codes;
    for (const Diagnostic& finding : result.findings)
        if (std::ranges::find(codes, finding.code) == codes.end()) codes.push_back(finding.code);
    result.actual = list(codes) + "\n";
    result.reason = "the virtual GPU found a mistake";
    return false;
}

bool demand_metric(const Check& check, Trial& trial, const RunSettings& settings, CheckResult& result) {
    if (check.metric.empty()) return true;
    std::string bounds;
    const auto bound = [&](std::string_view words, const std::optional<double>& value) {
        if (value) bounds += fmt::format("{}{} {:g}", bounds.empty() ? "" : " and ", words, *value);
    };
    bound("at least", check.at_least);
    bound("at most", check.at_most);
    bound("exactly", check.equals);
    std::optional<double> of_solution;
    if (check.of_solution && settings.references && settings.references->metrics.contains(check.name)) {
        of_solution = *check.of_solution * settings.references->metrics.at(check.name);
        bound(fmt::format("at most {:g} times the solution's:", *check.of_solution), of_solution);
    }
    std::optional<double> least_of_solution;
    if (check.least_of_solution && settings.references && settings.references->metrics.contains(check.name)) {
        least_of_solution = *check.least_of_solution * settings.references->metrics.at(check.name);
        bound(fmt::format("at least {:g} times the solution's:", *check.least_of_solution), least_of_solution);
    }
    // A counter can carry a number out of a hidden check.
    const bool is_shown = check.visibility != Visibility::visible || !trial.hidden;
    result.expected = fmt::format("{} of {}: {}\n", check.metric, check.kernel, bounds);
    const Outcome outcome = trial.inspect("metrics " + check.kernel);
    if (!outcome.table) {
        result.reason = outcome.diagnostics.empty() ? fmt::format("{} was not launched", check.kernel)
                                                    : outcome.diagnostics.front().message;
        result.actual = "no launch\n";
        return false;
    }
    for (const auto& row : outcome.table->rows) {
        if (row.size() != 2 || row[0] != check.metric) continue;
        const double value = std::strtod(row[1].c_str(), nullptr);
        if (settings.record) settings.record->metrics[check.name] = value;
        const bool met = (!of_solution || value <= *of_solution) &&
                         (!least_of_solution || value >= *least_of_solution) &&
                         (!check.at_least || value >= *check.at_least) && (!check.at_most || value <= *check.at_most) &&
                         (!check.equals || value == *check.equals);
        if (met) return true;
        result.actual =
            is_shown ? fmt::format("{:g}\n", value) : "a number that is not shown: the check that ran is hidden\n";
        result.reason = "the counter is not what it should be";
        return false;
    }
    result.reason = "the counter is not known";
    return false;
}

bool demand_calls(const Check& check, Trial& trial, CheckResult& result) {
    if (check.calls.empty() && check.calls_not.empty()) return true;
    std::map<std::string, std::string, std::less<>> called;
    if (const Outcome outcome = trial.inspect("calls"); outcome.table)
        for (const auto& row : outcome.table->rows)
            if (row.size() == 2) called[row[0]] = row[1];
    std::vector<std::string> missing, unwanted;
    for (const std::string& name : check.calls)
        if (!called.contains(name)) missing.push_back(name);
    for (const std::string& name : check.calls_not)
        if (called.contains(name)) unwanted.push_back(name);
    if (missing.empty() && unwanted.empty()) return true;
    if (!missing.empty()) {
        result.expected = "calls of " + list(check.calls) + "\n";
        result.actual = "not called: " + list(missing) + "\n";
        result.reason = "a function of the CUDA runtime was not called";
    } else {
        result.expected = "no calls of " + list(check.calls_not) + "\n";
        result.actual = "called: " + list(unwanted) + "\n";
        result.reason = "a function of the CUDA runtime was called that should not be";
    }
    return false;
}

bool demand_no_leaks(const Check& check, Trial& trial, CheckResult& result) {
    if (!check.leaks) return true;
    const Outcome outcome = trial.inspect("leaks");
    if (outcome.diagnostics.empty()) return true;
    result.findings = outcome.diagnostics;
    result.expected = "all memory is freed\n";
    result.actual = outcome.diagnostics.front().message + "\n";
    result.reason = "memory is still allocated";
    return false;
}

bool demand_no_warnings(const Check& check, const Trial& trial, CheckResult& result) {
    if (!check.warnings) return true;
    for (const Diagnostic& finding : trial.load.findings)
        if (finding.severity == Diagnostic::Severity::warning) result.findings.push_back(finding);
    // NVRTC's, which compiled device code all the same.
    for (const std::string& line : printed_lines(trial.load.outcome.text))
        if (line.find("warning") != std::string::npos) result.actual += line + "\n";
    if (result.findings.empty() && result.actual.empty()) return true;
    result.expected = "no warnings\n";
    result.reason = "the compiler warns";
    return false;
}

bool needs_virtual(const Check& check) {
    return check.findings || !check.metric.empty() || check.leaks;
}

/// It runs code, or asks the process that ran it; what the compiler said is known without.
bool needs_process(const Check& check) {
    return check.cell || needs_virtual(check) || !check.calls.empty() || !check.calls_not.empty();
}

bool has_own_worker(const Check& check) {
    return check.fresh || check.run;
}

/// The same worker serves either; nullptr: a cell.
bool start_alike(const Check::Program* one, const Check::Program* other) {
    return one && other ? one->input == other->input && one->device == other->device : one == other;
}

class Run {
public:
    Run(const Checks& checks, const Submission& submission, const RunSettings& settings)
        : checks_(checks),
          submission_(submission),
          settings_(settings),
          left_(settings.confined ? std::chrono::nanoseconds(static_cast<std::int64_t>(all_time(checks) * 1e9))
                                  : std::chrono::nanoseconds::max()) {}

    Report run() {
        compile();
        for (std::size_t i = 0; i < checks_.checks.size(); ++i)
            if (checks_.checks[i].name != compiles) add(i);
        next_.reset();
        if (trial_) report_.peak_memory = std::max(report_.peak_memory, trial_->peak_memory());
        if (report_.broken.empty() && !report_.interrupted) answer();
        return std::move(report_);
    }

private:
    /// The check that is always there; a [[check]] of its name gives it points and words.
    void compile() {
        CheckResult result;
        result.name = compiles;
        for (const Check& check : checks_.checks)
            if (check.name == compiles) {
                result.points = check.points;
                result.why = check.why;
            }
        std::optional<Diagnostic> unreadable = shell::check_text(submission_.name, submission_.text);
        if (submission_.text.size() > most_source)
            unreadable =
                error("too-big", fmt::format("{} is larger than 1 MiB", submission_.name), "hand in source code alone");
        if (submission_.text.find_first_not_of(" \t\r\n") == std::string::npos)
            unreadable = error("empty-file", fmt::format("{} is empty", submission_.name));
        if (unreadable) {
            result.verdict = Verdict::failed;
            result.reason = "it is no text that can be compiled";
            result.findings.push_back(std::move(*unreadable));
            report_.findings = result.findings;
        } else {
            trial_ = std::make_unique<Trial>(checks_, submission_, settings_, left_, first_program());
            trial_->start();
            start_next(0);
            const bool begun = trial_->begin(report_.broken);
            collect(*trial_, 0);
            result.part = begun ? 1 : 0;
            result.verdict = begun ? Verdict::passed : report_.broken.empty() ? Verdict::failed : Verdict::skipped;
            if (!begun) {
                result.reason = !report_.broken.empty()  ? "the checks themselves do not work"
                                : trial_->harness_failed ? "the code that uses it does not fit: are all names and "
                                                           "parameters as they were?"
                                                         : reason_of(trial_->load, checks_);
                result.findings = trial_->load.findings;
            }
        }
        report_.checks.push_back(std::move(result));
    }

    void add(std::size_t index) {
        const Check& check = checks_.checks[index];
        CheckResult result;
        result.name = check.name;
        result.points = check.points;
        result.why = check.why;
        result.reason = obstacle(check);
        if (result.reason.empty()) {
            if (!has_own_worker(check) || takes_first(check)) {
                first_taken_ = first_taken_ || check.run;
                judge(check, *trial_, result);
            } else {
                const std::unique_ptr<Trial> fresh = own_trial(check);
                start_next(index + 1);
                if (fresh->begin(report_.broken)) {
                    judge(check, *fresh, result);
                } else {
                    collect(*fresh, 0);
                    const bool known = report_.broken.empty() && !report_.interrupted;
                    result.verdict = known ? Verdict::failed : Verdict::skipped;
                    result.reason = known ? reason_of(fresh->load, checks_) : obstacle(check);
                    result.findings = fresh->load.findings;
                }
                report_.peak_memory = std::max(report_.peak_memory, fresh->peak_memory());
            }
        }
        report_.checks.push_back(std::move(result));
    }

    /// The first worker has brought a program in, and main has not run there: one run may be its.
    bool takes_first(const Check& check) const {
        return check.run && !first_taken_ && !trial_->over && start_alike(&*check.run, first_program());
    }

    /// A worker that no code has run in, perhaps one that waits for this.
    std::unique_ptr<Trial> own_trial(const Check& check) {
        const Check::Program* run = check.run ? &*check.run : nullptr;
        if (next_ && start_alike(next_run_, run)) return std::move(next_);
        next_.reset();
        return std::make_unique<Trial>(checks_, submission_, settings_, left_, run);
    }

    /// Starts the worker of the next check that has its own, unless that is known not to run: it gets ready while the
    /// current one works.
    void start_next(std::size_t from) {
        bool first_taken = first_taken_;
        for (std::size_t i = from; i < checks_.checks.size(); ++i) {
            const Check& check = checks_.checks[i];
            if (!has_own_worker(check)) continue;
            const Check::Program* run = check.run ? &*check.run : nullptr;
            if (run && !first_taken && start_alike(run, first_program())) {
                first_taken = true;
                continue;
            }
            if (std::ranges::any_of(check.needs, [&](const std::string& need) {
                    return verdict_of(need, Verdict::passed) != Verdict::passed;
                }))
                continue;
            if (next_ && start_alike(next_run_, run)) return;
            next_run_ = run;
            next_ = std::make_unique<Trial>(checks_, submission_, settings_, left_, run);
            next_->start();
            return;
        }
    }

    /// `otherwise`: of a check that has none yet.
    Verdict verdict_of(std::string_view name, Verdict otherwise) const {
        const auto found = std::ranges::find(report_.checks, name, &CheckResult::name);
        return found == report_.checks.end() ? otherwise : found->verdict;
    }

    /// Why a check can't be run; empty: it can.
    std::string obstacle(const Check& check) const {
        if (!report_.broken.empty()) return "the checks themselves do not work";
        if (report_.interrupted) return "the check was interrupted";
        if (verdict_of(compiles, Verdict::skipped) != Verdict::passed) return "it needs the check \"compiles\"";
        for (const std::string& need : check.needs)
            if (verdict_of(need, Verdict::skipped) != Verdict::passed)
                return fmt::format("it needs the check \"{}\"", need);
        if (endless_) return "an earlier check was stopped because it took too long";
        if (trial_->over && !has_own_worker(check) && needs_process(check))
            return "the process that ran the earlier checks ended";
        if (needs_virtual(check) && !trial_->is_virtual()) return "only the virtual GPU can tell";
        return {};
    }

    void judge(const Check& check, Trial& trial, CheckResult& result) {
        const std::size_t before = trial.findings.size();
        Trial::Step step;
        bool met = true;
        double part = 0;  // of the results, where these are what is wrong
        for (unsigned run = 0; met && (check.cell || check.run) && run < check.runs; ++run) {
            const std::string key = fmt::format("{}/{}", check.name, run);
            trial.hidden = check.visibility != Visibility::visible;
            if (!trial.put(check.inputs, run, check.name, report_.broken)) {
                met = false;
                result.reason = "its input can't be put in";
                break;
            }
            step = check.cell
                       ? trial.run({Cell::Kind::code, fmt::format("check {}", report_.checks.size()), *check.cell, {}})
                       : trial.run({Cell::Kind::run_main, submission_.name, {}, program_arguments(*check.run)});
            report_.printed.push_back(step.printed.substr(0, most_matched));
            const bool ended =
                check.run && step.outcome.status == Outcome::Status::exited && step.outcome.exit_code == 0;
            // A kernel's error may be what the cell is about: then what it prints decides.
            const bool stopped = step.outcome.status == Outcome::Status::device_error && check.cell && check.output;
            if (!step.ok() && !ended && !stopped) {
                met = false;
                result.reason = check.run && step.outcome.status == Outcome::Status::exited && !step.timed_out()
                                    ? fmt::format("it ended with exit code {}", step.outcome.exit_code)
                                    : reason_of(step, checks_);
                if (check.output) result.expected = shortened(*check.output);
                result.actual = shortened(step.printed);
                result.findings = step.findings;
            }
            for (const ResultDemand& demand : check.results)
                if (met) met = demand_result(demand, key + "/" + demand.name, trial, result, part);
            if (!met && result.findings.empty()) result.findings = step.findings;  // perhaps the reason
            met = met && demand_as_solution(check, key, step, result);
        }
        met = met && demand_output(check, step, result) && demand_findings(check, trial, result) &&
              demand_metric(check, trial, settings_, result) && demand_calls(check, trial, result) &&
              demand_no_leaks(check, trial, result) && demand_no_warnings(check, trial, result);
        result.verdict = met ? Verdict::passed : Verdict::failed;
        if (met) {
            result = {result.name, Verdict::passed, result.points, 1, {}, {}, {}, {}, result.why};
        } else if (check.partial) {
            result.part = part;
        }
        collect(trial, before);
    }

    std::vector<std::string> program_arguments(const Check::Program& run) const {
        std::vector<std::string> arguments = {"./a.out"};
        arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
        return arguments;
    }

    /// The input of the first run: a program may read it before main.
    const Check::Program* first_program() const {
        for (const Check& check : checks_.checks)
            if (check.run) return &*check.run;
        return nullptr;
    }

    bool demand_result(const ResultDemand& demand, const std::string& key, Trial& trial, CheckResult& result,
                       double& part) {
        const auto came = trial.get(demand, report_.broken);
        if (!came) {
            result.reason = fmt::format("{} can't be read", demand.name);
            return false;
        }
        if (settings_.record && demand.values.empty()) {
            settings_.record->values[key] = *came;
            return true;
        }
        Bytes expected = demand.values;
        if (expected.empty()) {
            if (!settings_.references || !settings_.references->values.contains(key)) {
                report_.broken.push_back(error("no-reference", fmt::format("the solution gave no {}", demand.name)));
                return false;
            }
            expected = settings_.references->values.at(key);
        }
        Comparison found = compare_values(demand.name, *demand.type, expected, *came, demand.tolerance, demand.columns);
        if (found.wrong == 0) return true;
        part = 1 - static_cast<double>(found.wrong) / static_cast<double>(found.count);
        result.reason = std::move(found.reason);
        result.expected = std::move(found.expected);
        result.actual = std::move(found.actual);
        return false;
    }

    bool demand_as_solution(const Check& check, const std::string& key, const Trial::Step& step, CheckResult& result) {
        if (!check.as_solution) return true;
        if (settings_.record) {
            settings_.record->outputs[key] = step.printed;
            return true;
        }
        if (!settings_.references || !settings_.references->outputs.contains(key)) {
            report_.broken.push_back(error("no-reference", "the solution printed nothing for this check"));
            return false;
        }
        Comparison found = compare_words(settings_.references->outputs.at(key), step.printed, *check.as_solution);
        if (found.wrong == 0) return true;
        result.reason = std::move(found.reason);
        result.expected = std::move(found.expected);
        result.actual = std::move(found.actual);
        return false;
    }

    void collect(const Trial& trial, std::size_t from) {
        report_.findings.insert(report_.findings.end(), trial.findings.begin() + static_cast<std::ptrdiff_t>(from),
                                trial.findings.end());
        report_.interrupted = report_.interrupted || trial.interrupted;
        endless_ = endless_ || trial.endless;
        if (trial.too_busy && report_.broken.empty())
            report_.broken.push_back(error("too-busy",
                                           fmt::format("the machine was too busy to run the submission within {:g} s",
                                                       all_time(checks_) * wall_clock),
                                           "grade it again, with fewer submissions at a time (--jobs)"));
    }

    void answer() {
        if (report_.passed()) return;
        const std::string source = without_comments(submission_.text);
        const auto contains = [](const std::string& text, const std::regex& pattern) {
            return std::regex_search(
                text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), most_matched)), pattern);
        };
        const bool does_not_compile = report_.checks.front().verdict == Verdict::failed;
        for (const Reply& reply : checks_.replies) {
            if (!reply.finding.empty() && std::ranges::none_of(report_.findings, [&](const Diagnostic& finding) {
                    return finding.code == reply.finding;
                }))
                continue;
            if (!reply.error.empty() &&
                (!does_not_compile || std::ranges::none_of(report_.checks.front().findings, [&](const Diagnostic& d) {
                    return d.message.find(reply.error) != std::string::npos;
                })))
                continue;
            if (!reply.failed.empty() && std::ranges::none_of(report_.checks, [&](const CheckResult& result) {
                    return result.name == reply.failed && result.verdict == Verdict::failed;
                }))
                continue;
            if (reply.output && std::ranges::none_of(report_.printed, [&](const std::string& text) {
                    return contains(text, *reply.output);
                }))
                continue;
            if (reply.source && !contains(source, *reply.source)) continue;
            report_.reply = reply.say;
            report_.reply_line = reply.line;
            return;
        }
    }

    const Checks& checks_;
    const Submission& submission_;
    const RunSettings& settings_;
    Report report_;
    std::chrono::nanoseconds left_;  ///< of the submission's time; the workers take from it
    std::unique_ptr<Trial> trial_;
    bool first_taken_ = false;                  ///< a program's main has run in `trial_`
    std::unique_ptr<Trial> next_;               ///< its worker starts, or is ready, and nothing has run there
    const Check::Program* next_run_ = nullptr;  ///< what `next_` was made for; nullptr: for a cell
    bool endless_ = false;
};

}  // namespace

bool Report::passed() const {
    return broken.empty() && !interrupted && !checks.empty() &&
           std::ranges::none_of(checks, [](const CheckResult& check) { return check.verdict == Verdict::failed; });
}

const CheckResult* Report::first_failure() const {
    const auto found = std::ranges::find(checks, Verdict::failed, &CheckResult::verdict);
    return found == checks.end() ? nullptr : &*found;
}

Report run_checks(const Checks& checks, const Submission& submission, const RunSettings& settings) {
    return Run(checks, submission, settings).run();
}

std::string without_comments(std::string_view source) {
    std::string result;
    for (std::size_t i = 0; i < source.size();) {
        const std::string_view rest = source.substr(i);
        std::size_t size = 1;
        if (rest.starts_with("//")) {
            size = std::min(rest.find('\n'), rest.size());
        } else if (rest.starts_with("/*")) {
            const std::size_t end = rest.find("*/", 2);
            size = end == std::string_view::npos ? rest.size() : end + 2;
            result += ' ';
        } else if (rest[0] == '"' ||
                   (rest[0] == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(source[i - 1]))))) {
            while (size < rest.size() && rest[size] != rest[0] && rest[size] != '\n')
                size += rest[size] == '\\' ? 2 : 1;
            size = std::min(size + 1, rest.size());
            result += rest.substr(0, size);
        } else {
            result += rest[0];
        }
        i += size;
    }
    return result;
}

}  // namespace cudash::grade
