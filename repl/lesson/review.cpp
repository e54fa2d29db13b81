#include "repl/lesson/review.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>

#include "repl/json.h"
#include "repl/lesson/lessons_folder.h"
#include "repl/lesson/progress.h"
#include "repl/lesson/workspace.h"
#include "repl/shell/text_check.h"

using nlohmann::json;

namespace cudash::lesson {
namespace {

namespace fs = std::filesystem;

constexpr unsigned longest_interval = 64;  // days

/// It was not answered at the first try, or not at all.
bool was_missed(const ItemProgress& item) {
    return item.state != ItemProgress::State::solved || item.tries > 1;
}

struct Due {
    std::string title;  ///< of the lesson
    Recall recall;
    Question question;
};

}  // namespace

Day today() {
    return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

Recall next_recall(const Recall& before, bool right, Day day) {
    // A missed question starts again with tomorrow.
    const unsigned interval = right ? std::clamp(before.interval * 2, 2u, longest_interval) : 1;
    return {day + std::chrono::days(interval), interval, !right};
}

std::string review_file() {
    const std::string home = student_home();
    return home.empty() ? home : home + "/review.json";
}

Result<ReviewBook> read_review(const std::string& path) {
    ReviewBook book;
    std::error_code ignored;
    if (path.empty() || !fs::exists(path, ignored)) return book;
    const auto text = shell::read_file(path);
    if (!text) return text.error();
    try {
        const json whole = parse_json(*text);
        for (const auto& [name, item] : whole.at("questions").items())
            book[name] = {Day(std::chrono::days(item.at("due").get<int>())), item.at("interval").get<unsigned>(),
                          item.at("missed").get<bool>()};
    } catch (const json::exception&) {
        return error("bad-progress", fmt::format("{} is damaged", path),
                     "move it elsewhere; the review then begins with all questions of finished lessons");
    }
    return book;
}

std::optional<Diagnostic> write_review(const std::string& path, const ReviewBook& book) {
    json questions = json::object();
    for (const auto& [name, recall] : book)
        questions[name] = {
            {"due", recall.due.time_since_epoch().count()}, {"interval", recall.interval}, {"missed", recall.missed}};
    return write_atomically(path, json_text(json{{"version", 1}, {"questions", questions}}, 1) + "\n");
}

Review make_review(const std::string& lessons, const ReviewBook& book, Day day) {
    Review review;
    std::vector<Due> due;
    for (const std::string& path : lessons_in(lessons)) {
        std::vector<Diagnostic> problems;
        Lesson lesson = read_lesson(path, problems);
        const Workspace workspace(lesson.name);
        const auto progress = peek_progress(workspace.progress_file());
        if (!progress || !progress->finished) continue;
        ++review.finished;
        for (Section& section : lesson.sections)
            for (Step& step : section.steps) {
                auto* question = std::get_if<Question>(&step);
                // An expression needs the variables of its lesson.
                if (!question || question->kind == Question::Kind::expression) continue;
                const std::string name = lesson.name + "/" + question->id;
                const auto known = book.find(name);
                Recall recall;
                if (known != book.end()) {
                    recall = known->second;
                } else {
                    const auto item = progress->items.find(question->id);
                    recall = {day, 0, item == progress->items.end() || was_missed(item->second)};
                }
                if (recall.due > day) {
                    review.next = std::min(review.next.value_or(recall.due), recall.due);
                    continue;
                }
                question->id = name;
                due.push_back({lesson.title, recall, std::move(*question)});
            }
    }
    review.waiting = due.size();
    std::ranges::stable_sort(due, {}, [](const Due& each) { return std::tuple(!each.recall.missed, each.recall.due); });
    if (due.size() > most_reviewed) due.resize(most_reviewed);
    review.lesson.name = "review";
    review.lesson.title = "Review";
    review.lesson.sections.push_back({"Review", {}, 0});
    for (Due& each : due) {
        review.lesson.sections.front().steps.emplace_back(Text{fmt::format("From *{}*:\n", each.title)});
        review.lesson.sections.front().steps.emplace_back(std::move(each.question));
    }
    return review;
}

}  // namespace cudash::lesson
