#include "repl/lesson/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <thread>

#include "repl/exit_codes.h"
#include "repl/grade/check_runner.h"
#include "repl/grade/report_text.h"
#include "repl/lesson/claims.h"
#include "repl/lesson/contents.h"
#include "repl/lesson/lesson.h"
#include "repl/lesson/picture.h"
#include "repl/lesson/real_gpu.h"
#include "repl/lesson/recorder.h"
#include "repl/view/diagnostic_printer.h"

namespace cudash::lesson {
namespace {

/// What became of one thing to prove; empty text: it holds.
struct Proof {
    std::string what;
    std::string failure;
    bool skipped = false;                ///< a real GPU can't show it
    const Exercise* exercise = nullptr;  ///< whose submission was checked
    unsigned reply_line = 0;             ///< of the reply that it got, in its checks.toml
};
using Proofs = std::vector<Proof>;

std::string one_line(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!space) result += c;
        if (space && !result.empty() && result.back() != ' ') result += ' ';
    }
    return result;
}

std::string print(const Diagnostic& diagnostic) {
    return view::print(diagnostic, {}, {});
}

/// The lesson's cells and questions, in one session.
class TextProof {
public:
    TextProof(const Lesson& lesson, worker::Settings settings) : lesson_(lesson), recorder_(std::move(settings)) {}

    Proofs run() {
        if (const auto ready = recorder_.notebook().client().wait_ready(); !ready) {
            proofs_.push_back({lesson_.name, print(ready.error())});
            return std::move(proofs_);
        }
        for (const Section& section : lesson_.sections) {
            for (const Step& step : section.steps) {
                if (const auto* cell = std::get_if<Demonstration>(&step)) run(*cell);
                if (const auto* question = std::get_if<Question>(&step)) ask(*question);
            }
            // What a section shows is known at its end.
            end_debugging(section);
            for (const Asked& asked : asked_) show(asked);
            asked_.clear();
            all_ran_ = true;
        }
        return std::move(proofs_);
    }

private:
    struct Asked {
        const Question* question;
        std::string value;  ///< of the question's expression, when it was asked
    };

    void add(const Question& question, std::string_view what, std::string failure) {
        if (!failure.empty())
            failure = fmt::format("{}:{}: question \"{}\": {}\n", lesson_.path, question.line, question.id, failure);
        proofs_.push_back({fmt::format("{}: {}", question.id, what), std::move(failure)});
    }

    /// A launch that stays stopped would take the next section's cells for commands.
    void end_debugging(const Section& section) {
        if (!recorder_.notebook().debugging()) return;
        (void)recorder_.run("abort\n");
        proofs_.push_back({section.title, fmt::format("{}:{}: the section leaves a launch in the debugger\n"
                                                      "  hint: end its last ```debug fence with abort\n",
                                                      lesson_.path, section.line)});
    }

    void run(const Demonstration& cell) {
        const std::string what = fmt::format("cell at line {}", cell.line);
        const bool on_virtual = recorder_.notebook().client().is_virtual();
        if (cell.needs_virtual && !on_virtual) {
            all_ran_ = false;
            proofs_.push_back({what, {}, true});
            return;
        }
        if (!cell.debugs && recorder_.notebook().debugging()) {
            proofs_.push_back({what, fmt::format("{}:{}: a launch is still in the debugger\n"
                                                 "  hint: end the ```debug fence before this cell with abort\n",
                                                 lesson_.path, cell.line)});
            return;
        }
        const Given given = recorder_.run(cell.code);
        const std::string differences =
            on_virtual ? differences_of(cell.expected, given) : differences_on_gpu(cell.expected, given);
        std::string failure;
        if (!differences.empty()) {
            failure = fmt::format("@@ {}:{} @@\n", lesson_.path, cell.line);
            for (const std::string& line : grade::split_lines(cell.code)) failure += " >> " + line + "\n";
            failure += differences;
        }
        proofs_.push_back({what, std::move(failure)});
    }

    void ask(const Question& question) {
        Asked asked{&question, {}};
        if (question.kind == Question::Kind::expression) {
            const auto value = recorder_.value_of(question.expression);
            if (!value) return add(question, "its expression", value.error().message);
            asked.value = value->text;
            for (const Question::Wrong& wrong : question.wrong) {
                const auto other = recorder_.value_of(wrong.answer);
                if (!other)
                    add(question, "wrong answer",
                        fmt::format("the wrong answer {} is not an expression: {}", wrong.answer,
                                    other.error().message));
                else
                    add(question, "wrong answer",
                        other->text == value->text
                            ? fmt::format("the wrong answer {} has the right value {}", wrong.answer, value->text)
                            : "");
            }
        }
        asked_.push_back(asked);
    }

    void show(const Asked& asked) {
        const Question& question = *asked.question;
        if (question.shown_by.empty()) return;
        if (!all_ran_) {
            proofs_.push_back({"question " + question.id, {}, true});
            return;
        }
        const auto value = recorder_.value_of(question.shown_by);
        if (!value)
            return add(question, "shown_by",
                       fmt::format("`{}` can't be evaluated: {}", question.shown_by, value.error().message));
        const std::string answer = answer_of(question, asked);
        const std::string& shown = value->text;
        const auto number = shown == "true"    ? std::optional(1.0)
                            : shown == "false" ? std::optional(0.0)
                                               : number_of(shown);
        bool right = shown == answer;
        if (question.kind == Question::Kind::number) right = number && is_right(question, *number);
        if (question.kind == Question::Kind::choice) right = right || (number && *number == question.right);
        add(question, "shown_by",
            right ? "" : fmt::format("`{}` is {}, but the answer is {}", question.shown_by, shown, answer));
    }

    static std::string answer_of(const Question& question, const Asked& asked) {
        switch (question.kind) {
            case Question::Kind::number:
                return fmt::format("{}", question.number);
            case Question::Kind::choice:
                return question.choices[question.right - 1];
            case Question::Kind::expression:
                return asked.value;
        }
        return {};
    }

    const Lesson& lesson_;
    Recorder recorder_;
    Proofs proofs_;
    std::vector<Asked> asked_;
    bool all_ran_ = true;  ///< the cells of this section
};

/// A solution may have findings that its checks allow by name.
void allow(const grade::Checks& checks, grade::Report& report) {
    std::erase_if(report.findings, [&](const Diagnostic& finding) {
        return std::ranges::any_of(checks.checks, [&](const grade::Check& check) {
            return check.findings && std::ranges::find(*check.findings, finding.code) != check.findings->end();
        });
    });
}

/// A submission of an exercise, and what must become of it.
enum class Expected { fails, passes, is_answered };

Proof prove_submission(const Exercise& exercise, const Exercise::File& file, Expected expected,
                       const grade::RunSettings& settings) {
    Proof proof{file.path, {}, false, &exercise, 0};
    const grade::Submission submission{exercise.file_name(), file.text};
    grade::Report report = grade::run_checks(exercise.checks, submission, settings);
    allow(exercise.checks, report);
    proof.reply_line = report.reply_line;
    const auto failure = [&](const std::string& what) {
        proof.failure = fmt::format("{}: {}\n{}", file.path, what, grade::print(report, submission, {}));
        if (!report.reply.empty()) proof.failure += fmt::format("  reply: {}\n", one_line(report.reply));
    };
    if (!report.broken.empty()) {
        failure("the checks do not work");
        return proof;
    }
    switch (expected) {
        case Expected::fails:
            if (report.passed()) failure("the exercise passes all checks as it is handed out");
            break;
        case Expected::passes:
            if (!report.passed()) {
                failure("the solution fails");
            } else if (!report.findings.empty()) {
                std::string findings;
                for (const Diagnostic& finding : report.findings) findings += print(finding);
                failure("the solution passes, but with findings\n" + findings);
            } else if (!settings.any_device && std::ranges::any_of(report.checks, [](const auto& check) {
                           return check.verdict != grade::Verdict::passed;
                       })) {
                failure("a check is skipped for the solution");
            }
            break;
        case Expected::is_answered: {
            const std::string wanted = one_line(expected_reply(file.text).value_or(""));
            if (report.passed())
                failure("the wrong submission passes");
            else if (one_line(report.reply).find(wanted) == std::string::npos)
                failure(fmt::format("it does not get its reply: {}", wanted));
            break;
        }
    }
    return proof;
}

/// The picture of the solution can be drawn.
Proof prove_picture(const Exercise& exercise, const worker::Settings& settings) {
    const Picture picture = picture_of(exercise, exercise.solution.text, settings);
    Proof proof{exercise.solution.path + ": picture", {}};
    if (picture.text.empty())
        proof.failure = fmt::format("{}: the picture can't be drawn\n{}", exercise.solution.path, picture.problem);
    return proof;
}

/// The places of replies that no submission gets, neither a wrong one nor the exercise as handed out.
std::vector<std::string> unproven_replies(const Exercise& exercise, const std::vector<const Proof*>& submissions) {
    std::vector<std::string> places;
    for (const grade::Reply& reply : exercise.checks.replies)
        if (std::ranges::none_of(submissions, [&](const Proof* proof) {
                return proof->exercise == &exercise && proof->reply_line == reply.line;
            }))
            places.push_back(fmt::format("{}:{}", exercise.checks.path, reply.line));
    return places;
}

std::string counts(int passed, int failed, int skipped) {
    std::string text = fmt::format("{} passed, {} failed", passed, failed);
    if (skipped != 0) text += fmt::format(", {} skipped", skipped);
    return text;
}

/// A line that names what a real GPU could not show of a lesson; empty if there is nothing.
std::string skipped_steps(const std::vector<const Proof*>& proofs) {
    std::string names;
    for (const Proof* proof : proofs)
        if (proof->skipped) names += (names.empty() ? "" : ", ") + proof->what;
    return names.empty() ? "" : fmt::format("  skipped, the virtual GPU shows it: {}\n", names);
}

struct Job {
    std::size_t lesson;
    std::function<Proofs()> run;
    Proofs proofs;
};

/// Runs all jobs, as many at once as there are processors.
void run_all(std::vector<Job>& jobs) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < jobs.size(); i = next++) jobs[i].proofs = jobs[i].run();
    };
    const std::size_t count =
        std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, std::max<std::size_t>(jobs.size(), 1));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
}

struct Read {
    Lesson lesson;
    std::vector<Diagnostic> problems;
    std::string skipped;
};

std::vector<Read> read_all(const std::vector<std::string>& folders) {
    std::vector<Read> lessons;
    for (const std::string& folder : folders) {
        Read read;
        read.lesson = read_lesson(folder, read.problems);
        if (read.problems.empty()) read.problems = compare_claims(read.lesson);
        if (read.problems.empty()) read.problems = missing_help(read.lesson);
        lessons.push_back(std::move(read));
    }
    return lessons;
}

/// Calls `use` with each exercise of the lesson.
template <class Use>
void each_exercise(const Lesson& lesson, const Use& use) {
    for (const Section& section : lesson.sections)
        for (const Step& step : section.steps)
            if (const auto* exercise = std::get_if<Exercise>(&step)) use(*exercise);
}

void add_exercises(std::size_t number, const Lesson& lesson, const grade::RunSettings& run, bool on_virtual,
                   std::vector<Job>& jobs) {
    each_exercise(lesson, [&](const Exercise& exercise) {
        const auto add = [&](const Exercise::File& file, Expected expected) {
            jobs.push_back(
                {number,
                 [&exercise, &file, expected, run] { return Proofs{prove_submission(exercise, file, expected, run)}; },
                 {}});
        };
        add(exercise.solution, Expected::passes);
        // Foreseen mistakes are mostly ones that only the virtual GPU's checkers see.
        if (!on_virtual) return;
        if (!exercise.picture.empty())
            jobs.push_back({number, [&exercise, run] { return Proofs{prove_picture(exercise, run.worker)}; }, {}});
        add(exercise.exercise, Expected::fails);
        for (const Exercise::File& wrong : exercise.wrong) add(wrong, Expected::is_answered);
    });
}

/// What there is to prove of the lessons; of one that can't be run here, why not.
std::vector<Job> jobs_of(std::vector<Read>& lessons, const VerifySettings& settings, bool on_virtual) {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < lessons.size(); ++i) {
        Read& read = lessons[i];
        if (!read.problems.empty()) continue;
        const Lesson& lesson = read.lesson;
        auto session = session_settings(lesson, settings.worker, settings.device_given);
        if (!session) {
            read.problems.push_back(session.error());
            continue;
        }
        if (!on_virtual && (lesson.header.needs == "virtual" || !lesson.header.device.empty())) {
            read.skipped = "it needs the virtual GPU";
            continue;
        }
        session->no_input = true;
        jobs.push_back({i, [&lesson, worker = *session] { return TextProof(lesson, worker).run(); }, {}});
        if (settings.exercises) add_exercises(i, lesson, {settings.worker, !on_virtual}, on_virtual, jobs);
    }
    return jobs;
}

/// Replies are proven by all submissions of an exercise together.
std::vector<std::string> unproven_of(const std::vector<Read>& lessons, const std::vector<Job>& jobs) {
    std::vector<std::string> unproven;
    std::vector<const Proof*> submissions;
    for (const Job& job : jobs)
        for (const Proof& proof : job.proofs)
            if (proof.exercise) submissions.push_back(&proof);
    for (const Read& read : lessons)
        if (read.problems.empty())
            each_exercise(read.lesson, [&](const Exercise& exercise) {
                std::ranges::move(unproven_replies(exercise, submissions), std::back_inserter(unproven));
            });
    return unproven;
}

struct Counted {
    int passed = 0, failed = 0, skipped = 0;
};

/// Shows what came of a lesson's jobs.
Counted show_lesson(const Read& read, std::size_t number, const std::vector<Job>& jobs, const view::Display& display) {
    Counted own;
    for (const Diagnostic& problem : read.problems) display.show(problem, {});
    own.failed += static_cast<int>(read.problems.size());
    std::vector<const Proof*> proofs;
    for (const Job& job : jobs) {
        if (job.lesson != number) continue;
        for (const Proof& proof : job.proofs) {
            proofs.push_back(&proof);
            if (proof.skipped)
                ++own.skipped;
            else
                ++(proof.failure.empty() ? own.passed : own.failed);
            display.messages(proof.failure);
        }
    }
    if (!read.skipped.empty())
        display.results(fmt::format("{}: skipped: {}\n", read.lesson.name, read.skipped));
    else
        display.results(fmt::format("{}: {}\n", read.lesson.name, counts(own.passed, own.failed, own.skipped)));
    display.results(skipped_steps(proofs));
    return own;
}

}  // namespace

int verify(const std::vector<std::string>& folders, const VerifySettings& settings, const view::Display& display) {
    std::vector<Read> lessons = read_all(folders);
    const bool on_virtual = !settings.device_given || settings.worker.options.device.starts_with("virtual");
    std::vector<Job> jobs = jobs_of(lessons, settings, on_virtual);
    run_all(jobs);
    std::vector<std::string> unproven;
    if (settings.exercises && on_virtual) unproven = unproven_of(lessons, jobs);

    Counted all;
    Contents contents;
    for (const Read& read : lessons) contents.add(read.lesson);
    for (std::size_t i = 0; i < lessons.size(); ++i) {
        const Counted own = show_lesson(lessons[i], i, jobs, display);
        all.passed += own.passed;
        all.failed += own.failed;
        all.skipped += own.skipped;
    }
    display.results(contents.text());
    // An author looks at one lesson at a time.
    if (lessons.size() == 1)
        for (const std::string& place : unproven)
            display.messages(fmt::format("{}: note: no wrong submission gets this reply\n", place));
    if (!unproven.empty())
        display.results(fmt::format("{} that no wrong submission gets\n",
                                    unproven.size() == 1 ? "1 reply" : fmt::format("{} replies", unproven.size())));
    display.results(counts(all.passed, all.failed, all.skipped) + "\n");
    return all.failed == 0 ? 0 : exit_codes::failed;
}

}  // namespace cudash::lesson
