#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "repl/lesson/choices.h"
#include "repl/lesson/contents.h"
#include "repl/lesson/glossary.h"
#include "repl/lesson/progress.h"
#include "repl/lesson/progress_table.h"
#include "repl/lesson/review.h"

using namespace cudash;
using namespace cudash::lesson;

namespace {

namespace fs = std::filesystem;

/// A student's home and a folder of lessons, which go with the test.
class Course {
public:
    Course() : path_(fs::temp_directory_path() / ("cudash-review-" + std::to_string(getpid()))) {
        fs::remove_all(path_);
        setenv("CUDASH_HOME", (path_ / "home").c_str(), 1);
    }
    ~Course() {
        unsetenv("CUDASH_HOME");
        fs::remove_all(path_);
    }
    std::string lessons() const { return (path_ / "lessons").string(); }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name) << text;
    }
    /// A lesson with the questions a and b, and how far the student is.
    void add_lesson(const std::string& name, bool finished, unsigned tries_of_b) const {
        std::string text = "<!-- lesson\nminutes = 5\n-->\n# Lesson " + name + "\n\n";
        for (const char* id : {"a", "b"})
            text += std::string("```question\nid = \"") + id +
                    "\"\nask = \"1 + 1?\"\nnumber = 2\nhints = [\"add\", \"count\"]\nbecause = \"so\"\n```\n\n";
        write("lessons/" + name + "/lesson.md", text);
        Progress progress;
        progress.finished = finished;
        progress.items["a"] = {ItemProgress::State::solved, 1, 0};
        progress.items["b"] = {ItemProgress::State::solved, tries_of_b, 0};
        CHECK_FALSE(save_progress(*this / ("home/lessons/" + name + "/progress.json"), progress));
    }

private:
    fs::path path_;
};

std::vector<std::string> asked(const Review& review) {
    std::vector<std::string> ids;
    for (const Step& step : review.lesson.sections.front().steps)
        if (const auto* question = std::get_if<Question>(&step)) ids.push_back(question->id);
    return ids;
}

Day day(int number) {
    return Day(std::chrono::days(number));
}

}  // namespace

TEST_CASE("review: only finished lessons, what was missed first") {
    const Course course;
    course.add_lesson("01_x", true, 1);
    course.add_lesson("02_y", true, 3);
    course.add_lesson("03_z", false, 3);
    const Review review = make_review(course.lessons(), {}, day(100));
    CHECK(review.finished == 2);
    CHECK(asked(review) == std::vector<std::string>{"02_y/b", "01_x/a", "01_x/b", "02_y/a"});
}

TEST_CASE("review: intervals grow, and begin again with a miss") {
    Recall recall;
    std::vector<unsigned> intervals;
    for (const bool right : {true, true, true, false, true}) {
        recall = next_recall(recall, right, day(10));
        intervals.push_back(recall.interval);
        CHECK(recall.due == day(10 + static_cast<int>(recall.interval)));
    }
    CHECK(intervals == std::vector<unsigned>{2, 4, 8, 1, 2});
    for (int i = 0; i < 20; ++i) recall = next_recall(recall, true, day(10));
    CHECK(recall.interval == 64);
}

TEST_CASE("review: what is not due waits; the book is kept in a file") {
    const Course course;
    course.add_lesson("01_x", true, 1);
    const ReviewBook book = {{"01_x/a", {day(105), 4, false}}, {"01_x/b", {day(99), 2, true}}};
    CHECK_FALSE(write_review(review_file(), book));
    const auto kept = read_review(review_file());
    REQUIRE(kept);
    const Review review = make_review(course.lessons(), *kept, day(100));
    CHECK(asked(review) == std::vector<std::string>{"01_x/b"});
    REQUIRE(review.next);
    CHECK(*review.next == day(105));
    course.write("home/review.json", "{");
    CHECK_FALSE(read_review(review_file()));
}

TEST_CASE("choices: an order for each student, with all numbers in step") {
    Question question;
    question.kind = Question::Kind::choice;
    question.id = "q";
    question.choices = {"zero", "one", "two", "three", "four"};
    question.right = 3;
    question.wrong = {{"1", "it is not zero"}, {"5", "it is not four"}};
    Lesson lesson;
    lesson.name = "01_x";
    lesson.sections.push_back({"", {question}, 0});
    const auto for_student = [&](const char* student) {
        Lesson copy = lesson;
        shuffle_choices(copy, student);
        return std::get<Question>(copy.sections[0].steps[0]);
    };
    bool differs = false;
    for (const char* student : {"anna", "ben", "carla", "dan"}) {
        const Question theirs = for_student(student);
        CHECK(theirs.choices[theirs.right - 1] == "two");
        CHECK(theirs.choices[std::stoul(theirs.wrong[0].answer) - 1] == "zero");
        CHECK(theirs.choices[std::stoul(theirs.wrong[1].answer) - 1] == "four");
        CHECK(theirs.choices == for_student(student).choices);
        differs = differs || theirs.choices != question.choices;
    }
    CHECK(differs);
    CHECK(for_student("").choices == question.choices);
    std::get<Question>(lesson.sections[0].steps[0]).ordered = true;
    CHECK(for_student("anna").choices == question.choices);
}

TEST_CASE("glossary: by name, other name, plural and beginning") {
    const auto terms = read_terms(
        "# Glossary\n\nHead.\n\n## warp\n32 threads.\n\n## multiprocessor\nAlso: SM, streaming "
        "multiprocessor.\nRuns blocks.\n\n## bank\nA part.\n");
    REQUIRE(terms.size() == 3);
    const auto found = [&](const char* wanted) {
        const Term* term = find_term(terms, wanted);
        return term ? term->name : "";
    };
    CHECK(found("Warps") == "warp");
    CHECK(found("sm") == "multiprocessor");
    CHECK(found("streaming-multiprocessors") == "multiprocessor");
    CHECK(found("ban") == "bank");
    CHECK(found("nothing").empty());
    CHECK(terms[1].text == "Runs blocks.\n");
}

TEST_CASE("progress table: a row for each item, fields that a spreadsheet takes as text") {
    const Course course;
    course.add_lesson("01_x", true, 3);
    CHECK(progress_table(course.lessons(), "=anna,\"b\"") ==
          "student,lesson,kind,name,state,tries,hints\n"
          "\"'=anna,\"\"b\"\"\",01_x,question,a,solved,1,0\n"
          "\"'=anna,\"\"b\"\"\",01_x,question,b,solved,3,0\n");
}

TEST_CASE("progress: a file without `right` is taken over") {
    const Course course;
    course.write("home/p.json",
                 R"({"version": 1, "section": 0, "step": 1, "finished": false, "deeds": [],
                     "items": {"a": {"state": "solved", "tries": 2, "hints": 1}}})");
    const auto progress = peek_progress(course / "home/p.json");
    REQUIRE(progress);
    CHECK(progress->items.at("a").tries == 2);
    CHECK_FALSE(progress->items.at("a").right);
}

TEST_CASE("hints: two at least, none twice, none the answer") {
    const auto problems = [](std::vector<std::string> hints) {
        Question question;
        question.id = "q";
        question.number = 24;
        question.hints = std::move(hints);
        Lesson lesson;
        lesson.sections.push_back({"", {question}, 0});
        return missing_help(lesson).size();
    };
    CHECK(problems({"count", "subtract"}) == 0);
    CHECK(problems({"count"}) == 1);
    CHECK(problems({"count", "count"}) == 1);
    CHECK(problems({"count", "24"}) == 1);
}
