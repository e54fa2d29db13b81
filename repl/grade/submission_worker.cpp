#include "repl/grade/submission_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <span>
#include <utility>

#include "repl/grade/mutants.h"
#include "repl/session/base64.h"

namespace cudash::grade {
namespace {

using session::Cell;
using session::Outcome;

constexpr std::size_t most_output = 1 << 20;                 ///< of a cell; the rest is dropped
constexpr std::size_t most_findings = 200;                   ///< of a cell
constexpr std::size_t most_notes = 50, most_message = 4096;  ///< of a finding
constexpr std::size_t most_told = 1 << 20;                   ///< characters of all findings of a worker
constexpr std::size_t chunk = 8 << 20;                       ///< of an array that goes in or comes out at once
constexpr std::uint64_t start_seconds = 10;                  ///< of processor time, at most, until a worker is ready

bool is_real(const Diagnostic& diagnostic) {
    return diagnostic.severity != Diagnostic::Severity::note;
}

bool wants_counters(const Checks& checks) {
    return std::ranges::any_of(
        checks.checks, [](const Check& check) { return !check.metric.empty() || check.constructs.are_executed(); });
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
    result.wall_clock = std::chrono::milliseconds(static_cast<long>(std::ceil(all * most_wall_clock * 1000)));
    held.without = settings.without;
    if (run) held.input = run->input;
    if (run && !run->device.empty()) result.options.device = run->device;
    if (checks.kind == SubmissionKind::program) {  // as it is when somebody runs it
        result.options.report_api_errors = false;
        result.options.restore_after_sticky = false;
    }
    return result;
}

/// An expression for the memory `bytes` behind the beginning of an array.
std::string behind(const std::string& array, std::size_t bytes) {
    return bytes == 0 ? array : fmt::format("(const char*)({}) + {}", array, bytes);
}

/// A grade is the same on every run: how far a step got before it was ended, and how, is not.
void keep_what_is_certain(SubmissionWorker::Step& step) {
    step.printed.clear();
    const bool timed_out =
        std::ranges::any_of(step.findings, [](const Diagnostic& finding) { return finding.code == "timeout"; });
    step.findings.clear();
    // It would be missing where the worker's own findings had filled the list before.
    if (step.measured.exceeded) step.findings.push_back(*step.measured.exceeded);
    if (timed_out) step.findings.push_back(error("timeout", "it was stopped"));
}

struct LimitTold {
    std::string_view code, what, advice;
};
constexpr LimitTold limits_told[] = {
    {"memory-limit", "took", "is there an allocation in a loop, or an array that is too large?"},
    {"output-limit", "printed", "is there a print in a loop that never ends?"},
    {"thread-limit", "started", "start fewer at a time"},
};

}  // namespace

SubmissionWorker::SubmissionWorker(const Checks& checks, const Submission& submission, const RunSettings& settings,
                                   std::chrono::nanoseconds& left, const Check::Program* run)
    : checks_(checks),
      submission_(submission),
      settings_(settings),
      left_(left),
      client_(worker_settings(checks, settings, folder_.path(), run), observer()) {}

void SubmissionWorker::start() {
    started_ = true;
    if (!settings_.confined || lay_out())
        client_.start();
    else
        no_folder_ = std::strerror(errno);
}

bool SubmissionWorker::is_ready(std::vector<Diagnostic>& broken) {
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
    return is_held(broken);
}

std::optional<session::CodeUses> SubmissionWorker::read_uses(std::vector<Diagnostic>& broken) {
    if (!is_ready(broken)) return std::nullopt;
    const Step step =
        run({Cell::Kind::inspect, submission_.name, "uses", {declared(checks_.kernels), submission_.text}});
    if (!step.ok() || !step.outcome.table) return std::nullopt;
    session::CodeUses read;
    const auto number = [](const std::string& text) {
        std::size_t value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    };
    for (const auto& row : step.outcome.table->rows) {
        if (row.size() != 4) continue;
        if (row[0] == "complete")
            read.complete = true;
        else
            read.uses.push_back({row[0], row[1], static_cast<unsigned>(number(row[2])), number(row[3])});
    }
    return read;
}

bool SubmissionWorker::begin(std::vector<Diagnostic>& broken) {
    if (!is_ready(broken)) return false;
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

bool SubmissionWorker::put(const std::vector<Input>& inputs, unsigned run, std::string_view check,
                           std::vector<Diagnostic>& broken) {
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

std::optional<Bytes> SubmissionWorker::get(const ResultDemand& result, std::vector<Diagnostic>& broken) {
    const std::size_t size = result.count * result.type->size;
    Bytes all;
    all.reserve(size);
    while (all.size() < size) {
        const std::size_t wanted = std::min(chunk, size - all.size());
        const Outcome outcome = client_.evaluate(
            {Cell::Kind::load, "result " + result.name, behind(result.name, all.size()), {std::to_string(wanted)}});
        const auto bytes = outcome.status == Outcome::Status::ok ? session::from_base64(outcome.text) : std::nullopt;
        if (!bytes || bytes->size() != wanted) {
            fail(outcome, broken);
            over = true;
            return std::nullopt;
        }
        all.insert(all.end(), bytes->begin(), bytes->end());
    }
    return all;
}

SubmissionWorker::Step SubmissionWorker::run(const Cell& cell) {
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

std::uint64_t SubmissionWorker::peak_memory() {
    client_.stop();
    return client_.peak_memory();
}

/// What the worker finds in its folder. False: errno says why.
bool SubmissionWorker::lay_out() const {
    if (folder_.path().empty()) return false;
    if (checks_.kind != SubmissionKind::program) return true;
    std::ofstream file(program_path(), std::ios::binary);
    file << submission_.text;
    file.close();
    return !file.fail();
}

/// Too few layers of isolation are a reason not to begin.
bool SubmissionWorker::is_held(std::vector<Diagnostic>& broken) const {
    if (!settings_.confined) return true;
    const auto trust = checks_.kind == SubmissionKind::device ? worker::Trust::device_code : worker::Trust::native_code;
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
bool SubmissionWorker::own_code(Cell::Kind kind, const std::string& name, const std::string& text,
                                std::vector<Diagnostic>& broken) {
    if (text.empty()) return true;
    Step step = run({kind, name, text, {}});
    if (step.ok()) return true;
    broken = std::move(step.findings);
    if (broken.empty()) broken.push_back(error("bad-setup", fmt::format("the {} of the checks does not run", name)));
    for (Diagnostic& diagnostic : broken)
        diagnostic.notes.push_back(
            {fmt::format("this is the {} of the checks, not your code", name), {checks_.path, 0, 0}});
    return false;
}

SubmissionWorker::Step SubmissionWorker::bring_in() {
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

/// A transfer failed. With the solution in the same harness, in prepare(), it did not: there it is the harness's
/// fault, and here the submission's.
bool SubmissionWorker::fail(const Outcome& outcome, std::vector<Diagnostic>& broken) {
    const bool is_submissions = settings_.confined && !settings_.record;
    if (outcome.status != Outcome::Status::lost && !is_submissions) broken = outcome.diagnostics;
    over = over || outcome.status == Outcome::Status::lost;
    note_measured(client_.measured());
    return false;
}

/// No more of what a worker says than a person reads.
void SubmissionWorker::note(Step& step, const Diagnostic& diagnostic) {
    if (!is_real(diagnostic)) {
        if (notes.size() < most_findings) notes.push_back(diagnostic.code.substr(0, most_message));
        return;
    }
    if (step.findings.size() >= most_findings || told_ >= most_told) return;
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

void SubmissionWorker::note_end(const Step& step) {
    const Outcome& outcome = step.outcome;
    note_measured(step.measured);
    if (outcome.status == Outcome::Status::lost || !outcome.sound) over = true;
}

void SubmissionWorker::note_measured(const worker::Measured& measured) {
    interrupted = interrupted || measured.interrupted;
    endless = endless || measured.timed_out || (measured.exceeded && measured.exceeded->code == "time-limit");
    too_busy = too_busy || (measured.exceeded && measured.exceeded->code == "wall-clock");
}

worker::Observer SubmissionWorker::observer() {
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

std::string reason_of(const SubmissionWorker::Step& step, const Checks& checks) {
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
        case Outcome::Status::stopped:  // of no honest worker
        case Outcome::Status::lost:
            return "the process that ran it ended";
        case Outcome::Status::interrupted:
            return step.measured.interrupted ? "it was interrupted" : "it was stopped by a signal that it sent itself";
        case Outcome::Status::ok:
            break;
    }
    return {};
}

}  // namespace cudash::grade
