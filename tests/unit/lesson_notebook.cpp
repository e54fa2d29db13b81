// Lessons as notebooks: what nbformat 4.5 asks of one, and that it has no answers.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "repl/grade/notebook_source.h"
#include "repl/lesson/export_notebook.h"
#include "repl/lesson/lessons_folder.h"

using namespace cudash;
using Json = nlohmann::json;

namespace {

/// Each line but the last ends with a line end.
void check_source(const Json& source) {
    REQUIRE(source.is_array());
    for (std::size_t i = 0; i < source.size(); ++i) {
        const std::string line = source[i];
        CHECK_FALSE(line.empty());
        CHECK((line.find('\n') == std::string::npos ? i + 1 == source.size() : line.find('\n') + 1 == line.size()));
    }
}

std::string text_of(const Json& cell) {
    std::string text;
    for (const Json& line : cell.at("source")) text += line.get<std::string>();
    return text;
}

}  // namespace

TEST_CASE("lesson: each exports as a notebook of nbformat 4.5") {
    const std::string folder = std::string(CUDASH_SOURCE_DIR) + "/lessons";
    const auto paths = lesson::lessons_in(folder);
    REQUIRE(paths.size() > 20);
    for (const std::string& path : paths) {
        CAPTURE(path);
        std::vector<Diagnostic> problems;
        const lesson::Lesson lesson = lesson::read_lesson(path, problems);
        const std::string text = lesson::notebook_of(lesson);
        const Json notebook = Json::parse(text);
        CHECK(notebook.at("nbformat") == 4);
        CHECK(notebook.at("nbformat_minor") == 5);
        CHECK(notebook.at("metadata").at("kernelspec").at("name") == "cudash");
        CHECK(notebook["metadata"]["kernelspec"].at("display_name").is_string());
        std::set<std::string> ids;
        std::size_t questions = 0, exercises = 0;
        for (const Json& cell : notebook.at("cells")) {
            const std::string id = cell.at("id"), type = cell.at("cell_type");
            CHECK((!id.empty() && id.size() <= 64));
            CHECK(id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
                  std::string::npos);
            CHECK(ids.insert(id).second);
            CHECK(cell.at("metadata").is_object());
            check_source(cell.at("source"));
            REQUIRE((type == "markdown" || type == "code"));
            if (type == "markdown") continue;
            CHECK(cell.at("outputs").is_array());
            CHECK(cell.at("execution_count").is_null());
            questions += cell["metadata"].value("cudash", Json::object()).contains("question");
            exercises += cell["metadata"].value("cudash", Json::object()).contains("exercise");
        }
        std::size_t asked = 0, given = 0;
        for (const auto& section : lesson.sections)
            for (const auto& step : section.steps) {
                const auto* question = std::get_if<lesson::Question>(&step);
                const auto* exercise = std::get_if<lesson::Exercise>(&step);
                asked += question != nullptr;
                given += exercise != nullptr;
                if (question) CHECK(text.find(Json(question->because).dump()) == std::string::npos);
                if (exercise) CHECK(text.find(exercise->hints.front()) == std::string::npos);
            }
        CHECK(questions == asked);
        CHECK(exercises == given);
    }
}

TEST_CASE("lesson: the exercise's cell of an exported notebook is what grade takes") {
    std::vector<Diagnostic> problems;
    const lesson::Lesson lesson =
        lesson::read_lesson(std::string(CUDASH_SOURCE_DIR) + "/lessons/00_first_kernel", problems);
    REQUIRE(problems.empty());
    const auto source = grade::notebook_source(lesson::notebook_of(lesson));
    REQUIRE(source);
    CHECK(source->find("__global__ void squares") != std::string::npos);
    CHECK(source->find(":lesson") == std::string::npos);
}

TEST_CASE("lesson: a dollar sign of a text begins no formula") {
    lesson::Lesson lesson;
    lesson.title = "Costs $5";
    lesson.sections.push_back({"Prices", {lesson::Text{"It is $5, and `$HOME` is code.\n\n```sh\necho $HOME\n```\n"}}});
    const Json notebook = Json::parse(lesson::notebook_of(lesson));
    CHECK(text_of(notebook["cells"][0]) == "# Costs \\$5");
    const std::string text = text_of(notebook["cells"][2]);
    CHECK(text.starts_with("It is \\$5, and `$HOME` is code."));
    CHECK(text.find("echo $HOME") != std::string::npos);
}
