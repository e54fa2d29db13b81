#include "repl/lesson/review_walk.h"

#include <fmt/format.h>

#include <chrono>

#include "repl/exit_codes.h"
#include "repl/lesson/lessons_folder.h"
#include "repl/lesson/review.h"
#include "repl/lesson/walk.h"

namespace cudash::lesson {
namespace {

std::string date_of(Day day) {
    const std::chrono::year_month_day date(day);
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()));
}

std::string count_of(std::size_t number, std::string_view one) {
    return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

}  // namespace

int run_review(const worker::Settings& worker, const view::Display& display, bool in_shell) {
    const std::string file = review_file();
    auto book = read_review(file);
    if (!book) {
        display.show(book.error(), {});
        return exit_codes::no_input;
    }
    const Day day = today();
    Review review = make_review(lessons_folder(), *book, day);
    const std::size_t asked = std::min(review.waiting, most_reviewed);
    if (asked == 0) {
        if (review.finished == 0)
            display.results("There is nothing to review yet: a lesson's questions come back once it is finished.\n");
        else if (review.next)
            display.results(
                fmt::format("Nothing is due today. The next question comes on {}.\n", date_of(*review.next)));
        else
            display.results("The finished lessons have no questions to ask again.\n");
        return 0;
    }
    display.results(fmt::format("{} due{}; what you missed comes first.\n",
                                count_of(review.waiting, "question") + (review.waiting == 1 ? " is" : " are"),
                                asked < review.waiting ? fmt::format(", {} of them now", asked) : ""));
    worker::Settings settings = worker;
    settings.options.device = "virtual:h200";
    Walk walk(std::move(review.lesson), std::move(settings), worker, display, in_shell);
    bool told = false;
    walk.on_answer([&](const std::string& question, bool right) {
        Recall& recall = (*book)[question];
        recall = next_recall(recall, right, day);
        if (file.empty()) return;
        auto problem = write_review(file, *book);
        if (!problem || std::exchange(told, true)) return;
        problem->severity = Diagnostic::Severity::warning;
        problem->hint = "the review goes on, but the same questions will be due again";
        display.show(*problem, {});
    });
    return walk.run();
}

}  // namespace cudash::lesson
