// What a walk does with exercises.
#include <fmt/format.h>

#include <algorithm>

#include "repl/grade/check_runner.h"
#include "repl/grade/report_text.h"
#include "repl/lesson/picture.h"
#include "repl/lesson/walk.h"

namespace cudash::lesson {
namespace {

/// The names of the checks that failed.
std::string open_checks(const grade::Report& report) {
    std::string names;
    for (const grade::CheckResult& check : report.checks)
        if (check.verdict == grade::Verdict::failed) names += (names.empty() ? "" : ", ") + check.name;
    return names;
}

/// All that failed are counters and findings: what stands between "solved" and "solved well".
bool has_right_results(const grade::Checks& checks, const grade::Report& report) {
    return report.broken.empty() && std::ranges::all_of(report.checks, [&](const grade::CheckResult& result) {
               if (result.verdict == grade::Verdict::passed) return true;
               const auto check = std::ranges::find(checks.checks, result.name, &grade::Check::name);
               return check != checks.checks.end() && is_about_quality(*check);
           });
}

}  // namespace

/// What the kernel touches, drawn.
void Walk::draw(const Exercise& exercise, const std::string& text) {
    const Picture picture = picture_of(exercise, text, checks_);
    display_.results(picture.text.empty() ? picture.problem : picture.text);
}

/// From now on the file is checked when it is saved.
void Walk::watch() {
    const auto* exercise = step_as<Exercise>();
    if (!exercise || workspace_.folder().empty()) return;
    file_watch_.set(workspace_.file_of(*exercise));
    if (file_watch_.descriptor() >= 0) input_->watch(file_watch_.descriptor(), [this] { return saved(); });
}

/// Something happened in the folder while the student was at the prompt. Returns the prompt from then on.
std::string Walk::saved() {
    const auto* exercise = step_as<Exercise>();
    if (!exercise) return prompt();
    while (file_watch_.take()) {
        const auto text = workspace_.read(*exercise);
        if (text && *text != checked_) {
            display_.results(fmt::format("{} was saved\n", exercise->file_name()));
            check_text(*exercise, *text);
        }
    }
    input_->watch(file_watch_.descriptor(), [this] { return saved(); });
    return prompt();
}

bool Walk::check_file() {
    const auto* exercise = step_as<Exercise>();
    const auto text = workspace_.read(*exercise);
    if (!text) {
        display_.show(text.error(), {});
        return false;
    }
    check_text(*exercise, *text);
    return false;
}

/// What was typed since the exercise began, without what was replaced since.
std::string Walk::typed_cells() {
    const auto answer = notebook_.client().evaluate({session::Cell::Kind::inspect, ":check", "replaced", {}});
    const std::vector<session::Cell>& cells = notebook_.accepted_cells();
    std::string text;
    for (std::size_t i = exercise_begins_; i < cells.size(); ++i)
        if (("\n" + answer.text).find("\n" + cells[i].name + "\n") == std::string::npos) text += cells[i].text;
    return text;
}

void Walk::check_text(const Exercise& exercise, const std::string& text) {
    checked_ = text;
    if (exercise.checks.checks.empty()) {
        line("The checks of this exercise can't be used (see the messages above); :skip goes on.");
        return;
    }
    display_.messages(fmt::format("checking {} ...\n", exercise.file_name()));
    const grade::Submission submission{exercise.file_name(), text};
    const grade::Report report = grade::run_checks(exercise.checks, submission, {checks_, false});
    if (report.interrupted) {
        line("The check was interrupted.");
        return;
    }
    display_.results(grade::print(report, submission, display_.style_of_results, display_.width));
    ItemProgress& mine = item(exercise.name);
    if (!report.broken.empty()) {
        line("The checks themselves do not work; that is not your fault. :skip goes on.");
        return;
    }
    ++mine.tries;
    note({Action::Kind::check,
          {},
          exercise.name,
          text,
          report.passed() ? "passed" : "failed: " + open_checks(report),
          false});
    blank();
    if (lesson_.header.puzzle && report.checks.front().verdict == grade::Verdict::passed) {
        draw(exercise, text);
        blank();
    }
    mine.right = mine.right || has_right_results(exercise.checks, report);
    if (report.passed()) {
        mine.state = ItemProgress::State::solved;
        say(fmt::format("**Solved{}.** `:solution` shows how we would write it; Enter goes on.",
                        lesson_.header.puzzle ? " well" : ""));
    } else {
        if (lesson_.header.puzzle && has_right_results(exercise.checks, report))
            say(fmt::format("**Solved**, but not well yet: {}.", open_checks(report)));
        const grade::CheckResult* failure = report.first_failure();
        const std::string& words = !report.reply.empty() ? report.reply : failure ? failure->why : report.reply;
        if (!words.empty()) say(words);
        if (mine.hints < exercise.hints.size()) line(":hint helps.");
    }
    save();
}

}  // namespace cudash::lesson
