#include "repl/grade/check_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "repl/grade/compare.h"
#include "repl/grade/constructs.h"
#include "repl/grade/demands.h"
#include "repl/grade/mutants.h"
#include "repl/grade/replies.h"
#include "repl/grade/submission_worker.h"
#include "repl/shell/text_check.h"

namespace cudash::grade {
namespace {

constexpr std::size_t most_source = 1 << 20;  ///< of a submission

bool has_own_worker(const Check& check) {
    return check.fresh || check.run;
}

/// The same worker serves either; nullptr: a cell.
bool start_alike(const Check::Program* one, const Check::Program* other) {
    return one && other ? one->input == other->input && one->device == other->device : one == other;
}

/// Both are decided by one run of main: what it prints and does is the same.
bool run_alike(const Check& one, const Check& other) {
    const auto is_plain = [](const Check& check) { return check.run && check.runs == 1 && check.inputs.empty(); };
    const auto is_hidden = [](const Check& check) { return check.visibility != Visibility::visible; };
    return is_plain(one) && is_plain(other) && is_hidden(one) == is_hidden(other) &&
           start_alike(&*one.run, &*other.run) && one.run->arguments == other.run->arguments;
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
        if (worker_) report_.peak_memory = std::max(report_.peak_memory, worker_->peak_memory());
        if (report_.broken.empty() && !report_.interrupted && !report_.passed())
            if (const Reply* reply = fitting_reply(checks_, report_, submission_.text)) {
                report_.reply = reply->say;
                report_.reply_line = reply->line;
            }
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
            result.reason = "it is not text that can be compiled";
            result.findings.push_back(std::move(*unreadable));
            report_.findings = result.findings;
        } else {
            worker_ = std::make_unique<SubmissionWorker>(checks_, submission_, settings_, left_, first_program());
            worker_->start();
            start_next(0);
            const bool begun = worker_->begin(report_.broken);
            collect(*worker_, 0);
            result.part = begun ? 1 : 0;
            result.verdict = begun ? Verdict::passed : report_.broken.empty() ? Verdict::failed : Verdict::skipped;
            if (!begun) {
                result.reason = !report_.broken.empty()   ? "the checks themselves do not work"
                                : worker_->harness_failed ? "the code that uses it does not fit: are all names and "
                                                            "parameters as they were?"
                                                          : reason_of(worker_->load, checks_);
                result.findings = worker_->load.findings;
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
            if (!has_own_worker(check) || shares_first(check)) {
                judge(check, *worker_, result);
            } else if (takes_first(check)) {
                first_ran_ = &check;
                judge(check, *worker_, result);
            } else {
                const std::unique_ptr<SubmissionWorker> fresh = own_trial(check);
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
        return check.run && !first_ran_ && !worker_->over && start_alike(&*check.run, first_program());
    }

    /// The run of main in the first worker decides this check, too.
    bool shares_first(const Check& check) const { return first_ran_ && run_alike(*first_ran_, check); }

    /// A worker that no code has run in, perhaps one that waits for this.
    std::unique_ptr<SubmissionWorker> own_trial(const Check& check) {
        const Check::Program* run = check.run ? &*check.run : nullptr;
        if (next_ && start_alike(next_run_, run)) return std::move(next_);
        next_.reset();
        return std::make_unique<SubmissionWorker>(checks_, submission_, settings_, left_, run);
    }

    /// Starts the worker of the next check that has its own, unless that is known not to run: it gets ready while the
    /// current one works.
    void start_next(std::size_t from) {
        const Check* first = first_ran_;
        for (std::size_t i = from; i < checks_.checks.size(); ++i) {
            const Check& check = checks_.checks[i];
            if (!has_own_worker(check)) continue;
            const Check::Program* run = check.run ? &*check.run : nullptr;
            if (run && !first && start_alike(run, first_program())) {
                first = &check;
                continue;
            }
            if (run && first && run_alike(*first, check)) continue;
            if (std::ranges::any_of(check.needs, [&](const std::string& need) {
                    return verdict_of(need, Verdict::passed) != Verdict::passed;
                }))
                continue;
            if (next_ && start_alike(next_run_, run)) return;
            next_run_ = run;
            next_ = std::make_unique<SubmissionWorker>(checks_, submission_, settings_, left_, run);
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
        if (report_.unfinished) return "an earlier check was stopped because it took too long";
        if (worker_->over && !has_own_worker(check) && needs_process(check))
            return "the process that ran the earlier checks ended";
        if (needs_virtual(check) && !worker_->is_virtual()) return "only the virtual GPU can tell";
        return {};
    }

    void judge(const Check& check, SubmissionWorker& worker, CheckResult& result) {
        const std::size_t before = worker.findings.size();
        SubmissionWorker::Step step;
        bool met = true;
        double part = 0;  // of the results, where these are what is wrong
        for (unsigned run = 0; met && (check.cell || check.run) && run < check.runs; ++run) {
            const std::string key = fmt::format("{}/{}", check.name, run);
            worker.hidden = check.visibility != Visibility::visible;
            if (!worker.put(check.inputs, run, check.name, report_.broken)) {
                met = false;
                result.reason = "its input can't be put in";
                break;
            }
            step = run_once(check, worker);
            report_.printed.push_back(step.printed);
            const bool ended =
                check.run && step.outcome.status == session::Outcome::Status::exited && step.outcome.exit_code == 0;
            // A kernel's error may be what the cell is about: then what it prints decides.
            const bool stopped =
                step.outcome.status == session::Outcome::Status::device_error && check.cell && check.output;
            if (!step.ok() && !ended && !stopped) {
                met = false;
                result.reason =
                    check.run && step.outcome.status == session::Outcome::Status::exited && !step.timed_out()
                        ? fmt::format("it ended with exit code {}", step.outcome.exit_code)
                        : reason_of(step, checks_);
                if (check.output) result.expected = shortened(*check.output);
                result.actual = shortened(step.printed);
                result.findings = step.findings;
            }
            for (const ResultDemand& demand : check.results)
                if (met) met = demand_result(demand, key + "/" + demand.name, worker, result, part);
            if (!met && result.findings.empty()) result.findings = step.findings;  // perhaps the reason
            met = met && demand_as_solution(check, key, step, result);
        }
        met = met && demand_output(check, step, result) && demand_findings(check, worker, result) &&
              demand_metric(check, worker, settings_, result) && demand_calls(check, worker, result) &&
              demand_no_leaks(check, worker, result) && demand_no_warnings(check, worker, result) &&
              demand_code(check, worker, result) && demand_kernel_decides(check, result);
        result.verdict = met ? Verdict::passed : Verdict::failed;
        if (met) {
            result = {result.name, Verdict::passed, result.points, 1, {}, {}, {}, {}, result.why, result.measured};
        } else if (check.partial) {
            result.part = part;
        }
        collect(worker, before);
    }

    SubmissionWorker::Step run_once(const Check& check, SubmissionWorker& worker) {
        if (check.cell)
            return worker.run(
                {session::Cell::Kind::code, fmt::format("check {}", report_.checks.size()), *check.cell, {}});
        if (&check != first_ran_ && &worker == worker_.get()) return first_step_;
        SubmissionWorker::Step step =
            worker.run({session::Cell::Kind::run_main, submission_.name, {}, program_arguments(*check.run)});
        if (&check == first_ran_) first_step_ = step;
        return step;
    }

    bool demand_code(const Check& check, SubmissionWorker& worker, CheckResult& result) {
        if (!check.constructs.any()) return true;
        const auto& uses = read_uses();
        return report_.broken.empty() && demand_constructs(check, checks_, submission_.text, uses, worker, result);
    }

    /// Read by a worker that never runs anything of the submission: what has run can't forge it.
    const std::optional<session::CodeUses>& read_uses() {
        if (uses_read_) return uses_;
        uses_read_ = true;
        SubmissionWorker reader(checks_, submission_, settings_, left_);
        uses_ = reader.read_uses(report_.broken);
        report_.interrupted = report_.interrupted || reader.interrupted;
        report_.peak_memory = std::max(report_.peak_memory, reader.peak_memory());
        return uses_;
    }

    /// Without the work of its kernels, the check must fail: otherwise host code made the result.
    bool demand_kernel_decides(const Check& check, CheckResult& result) {
        if (!check.constructs.kernel_decides) return true;
        const Submission idle{submission_.name, with_idle_kernels(submission_.text, read_uses())};
        result.expected = "a result that the kernels make\n";
        if (idle.text == submission_.text) {
            result.reason = "there is no kernel in it";
            result.actual = "no __global__ function\n";
            return false;
        }
        Checks only = checks_;
        only.replies.clear();
        only.checks = {check};
        only.checks.front().constructs = {};
        only.checks.front().needs.clear();
        only.checks.front().metric.clear();
        only.checks.front().findings.reset();
        RunSettings settings = settings_;
        settings.references = settings_.record ? settings_.record : settings_.references;
        settings.record = nullptr;
        const Report report = run_checks(only, idle, settings);
        if (!report.broken.empty()) {
            report_.broken = report.broken;
            return false;
        }
        if (report.checks.front().verdict == Verdict::passed && report.checks.back().verdict != Verdict::passed) {
            result.expected.clear();
            return true;
        }
        result.reason = "the result stays right when no kernel does anything: it is made by host code";
        result.actual = "a result that needs no kernel\n";
        return false;
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

    bool demand_result(const ResultDemand& demand, const std::string& key, SubmissionWorker& worker,
                       CheckResult& result, double& part) {
        const auto came = worker.get(demand, report_.broken);
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

    bool demand_as_solution(const Check& check, const std::string& key, const SubmissionWorker::Step& step,
                            CheckResult& result) {
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

    void collect(const SubmissionWorker& worker, std::size_t from) {
        report_.findings.insert(report_.findings.end(), worker.findings.begin() + static_cast<std::ptrdiff_t>(from),
                                worker.findings.end());
        report_.notes.insert(report_.notes.end(), worker.notes.begin(), worker.notes.end());
        report_.interrupted = report_.interrupted || worker.interrupted;
        report_.unfinished = report_.unfinished || worker.endless;
        if (worker.too_busy && report_.broken.empty())
            report_.broken.push_back(error("too-busy",
                                           fmt::format("the machine was too busy to run the submission within {:g} s",
                                                       all_time(checks_) * most_wall_clock),
                                           "grade it again, with fewer submissions at a time (--jobs)"));
    }

    const Checks& checks_;
    const Submission& submission_;
    const RunSettings& settings_;
    Report report_;
    std::chrono::nanoseconds left_;  ///< of the submission's time; the workers take from it
    std::unique_ptr<SubmissionWorker> worker_;
    const Check* first_ran_ = nullptr;       ///< whose run of a program's main was in `worker_`
    std::optional<session::CodeUses> uses_;  ///< nullopt: unread, or nobody can tell
    bool uses_read_ = false;
    SubmissionWorker::Step first_step_;         ///< how that ended
    std::unique_ptr<SubmissionWorker> next_;    ///< its worker starts, or is ready, and nothing has run there
    const Check::Program* next_run_ = nullptr;  ///< what `next_` was made for; nullptr: for a cell
};

}  // namespace

bool Report::passed() const {
    return broken.empty() && !interrupted && !unfinished && !checks.empty() &&
           std::ranges::none_of(checks, [](const CheckResult& check) { return check.verdict == Verdict::failed; });
}

const CheckResult* Report::first_failure() const {
    const auto found = std::ranges::find(checks, Verdict::failed, &CheckResult::verdict);
    return found == checks.end() ? nullptr : &*found;
}

Report run_checks(const Checks& checks, const Submission& submission, const RunSettings& settings) {
    return Run(checks, submission, settings).run();
}

}  // namespace cudash::grade
