#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "repl/lesson/claims.h"
#include "repl/lesson/fences.h"
#include "repl/lesson/lesson.h"
#include "repl/lesson/lessons_folder.h"
#include "repl/lesson/progress.h"
#include "repl/lesson/workspace.h"

using namespace cudash;
using namespace cudash::lesson;

namespace {

namespace fs = std::filesystem;

/// A folder that goes with the test.
class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / ("cudash-lesson-" + std::to_string(getpid()))) {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name) << text;
    }

private:
    fs::path path_;
};

std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::string head = "<!-- lesson\nminutes = 5\n-->\n";
const std::string question = "```question\nid = \"q\"\nask = \"?\"\nbecause = \"b\"\n";

/// "line: message" of each problem of a lesson with this text.
std::vector<std::string> problems_of(const std::string& text) {
    const Folder folder;
    folder.write("lesson.md", text);
    std::vector<Diagnostic> problems;
    (void)read_lesson(folder / "", problems);
    std::vector<std::string> result;
    for (const Diagnostic& problem : problems)
        result.push_back(std::to_string(problem.where.line) + ": " + problem.message);
    return result;
}
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("lesson: sections, texts, demonstrations and questions, in their order") {
    const Folder folder;
    folder.write("lesson.md",
                 head +
                     "# T\n\nintro\n\n## S\n\ntext\n```cpp\nshown\n```\n\n```cuda\n1\n```\n\n```output\n(int) 1\n"
                     "```\n" +
                     question + "number = 3\n[[wrong]]\nanswer = 4\nreply = \"r\"\n```\n");
    std::vector<Diagnostic> problems;
    const Lesson lesson = read_lesson(folder / "", problems);
    CHECK(problems.empty());
    CHECK(lesson.title == "T");
    REQUIRE(lesson.sections.size() == 2);
    CHECK(std::get<Text>(lesson.sections[0].steps.at(0)).markdown == "\nintro\n\n");
    const auto& steps = lesson.sections[1].steps;
    REQUIRE(steps.size() == 3);
    CHECK(std::get<Text>(steps[0]).markdown == "\ntext\n```cpp\nshown\n```\n\n");
    CHECK(std::get<Demonstration>(steps[1]).code == "1\n");
    CHECK(std::get<Demonstration>(steps[1]).expected == Lines{"(int) 1"});
    CHECK(std::get<Question>(steps[2]).wrong.at(0).answer == "4");
}

TEST_CASE("lesson: fences that begin with blank lines, and fences in quotes") {
    const std::string document =
        "a\n\n```cuda\n\n\nint x = 5;\n```\n\n> ```cuda\n> quoted\n> ```\n\n```output\n```\n\n```cuda\nx\n```\n";
    const auto fences = find_fences(document);
    REQUIRE(fences);
    REQUIRE(fences->size() == 3);
    const auto contents = [&](const Fence& fence) {
        return document.substr(fence.contents_begin, fence.contents_end - fence.contents_begin);
    };
    CHECK(contents((*fences)[0]) == "\n\nint x = 5;\n");
    CHECK((*fences)[1].language == "output");
    CHECK(contents((*fences)[1]).empty());
    CHECK(contents((*fences)[2]) == "x\n");
    for (const Fence& fence : *fences) CHECK(fence.closed);
}

TEST_CASE("lesson: the words after a fence's language") {
    const std::string document = "```cuda virtual\n1\n```\n\n```cuda\n2\n```\n\n```   cuda \t virtual  \n```\n";
    const auto fences = find_fences(document);
    REQUIRE(fences);
    REQUIRE(fences->size() == 3);
    CHECK((*fences)[0].language == "cuda");
    CHECK((*fences)[0].marks == "virtual");
    CHECK((*fences)[1].marks.empty());
    CHECK((*fences)[2].language == "cuda");
    CHECK((*fences)[2].marks == "virtual");
    CHECK(problems_of(head + "# T\n```cuda virtual\n1\n```\n").empty());
    CHECK(problems_of(head + "# T\n```cuda vitual\n1\n```\n") == Lines{"5: `vitual` after cuda is not known"});
}

TEST_CASE("lesson: what is broken is told with its line") {
    CHECK(problems_of("# T\n") == Lines{"1: the lesson's head is missing"});
    CHECK(problems_of("<!-- lesson\nminutes = 5\n# T\n") ==
          Lines{"1: the lesson's head has no end", "3: the lesson has no title"});
    CHECK(problems_of("<!-- lesson\nminutes = 5\nclaim = []\n-->\n# T\n") == Lines{"3: there is no key `claim` here"});
    CHECK(problems_of("<!-- lesson\nminutes = x\n-->\n# T\n").at(0).starts_with("2: this is not TOML"));
    CHECK(problems_of(head + "text\n") == Lines{"4: the lesson begins with its title"});
    CHECK(problems_of(head + "# T\n```output\n1\n```\n") ==
          Lines{"5: this output does not follow a ```cuda or ```debug fence"});
    CHECK(problems_of(head + "# T\n```cuda\n1\n") == Lines{"5: this fence is not closed"});
    CHECK(problems_of(head + "# T\n" + question + "number = 1\nchoices = [\"a\", \"b\"]\nright = 1\n```\n") ==
          Lines{"6: a question has exactly one of `number`, `choices` and `expression`"});
    CHECK(problems_of(head + "# T\n" + question + "choices = [\"a\", \"b\"]\nright = 3\n```\n") ==
          Lines{"10: `right` must be a whole number from 1 to 2"});
    CHECK(problems_of(head + "# T\n" + question + "number = 1\n[[wrong]]\nanswer = 1\nreply = \"r\"\n```\n") ==
          Lines{"11: the wrong answer 1 is the right one"});
    CHECK(problems_of(head + "# T\n" + question + "number = [\n```\n").at(0).find("this is not TOML") !=
          std::string::npos);
    const auto missing = problems_of(head + "# T\n```exercise\nname = \"e\"\ntask = \"t\"\n```\n");
    REQUIRE(missing.size() == 3);
    CHECK(missing[0].starts_with("5: cannot read"));
}

TEST_CASE("lesson: the notes are no section, hold nothing to run, and come last") {
    const Folder folder;
    folder.write("lesson.md", head + "# T\n\nText.\n\n## Notes\n\n- One.\n\n```text\npicture\n```\n");
    std::vector<Diagnostic> problems;
    const Lesson lesson = read_lesson(folder / "", problems);
    CHECK(problems.empty());
    CHECK(lesson.sections.size() == 1);
    CHECK(lesson.notes.find("- One.\n") != std::string::npos);
    CHECK(lesson.notes.find("picture") != std::string::npos);
    CHECK(problems_of(head + "# T\n\n## Notes\n\n```cuda\n1\n```\n") == Lines{"8: the notes have a ```cuda fence"});
    CHECK(problems_of(head + "# T\n\n## Notes\n\nText.\n\n## More\n") == Lines{"10: nothing comes after the notes"});
}

TEST_CASE("lesson: a wrong submission's header has its reply, and no other word") {
    const auto problem_of = [](const std::string& submission) -> std::string {
        const Folder folder;
        folder.write("lesson.md", head + "# T\n```exercise\nname = \"e\"\ntask = \"t\"\n```\n");
        for (const char* file : {"e/exercise.cu", "e/solution.cu"}) folder.write(file, "int x;\n");
        folder.write("e/checks.toml", "[[check]]\nname = \"n\"\ncell = \"x\"\n");
        folder.write("e/wrong/a.cu", submission);
        std::vector<Diagnostic> problems;
        (void)read_lesson(folder / "", problems);
        if (problems.empty()) return "";
        return std::to_string(problems[0].where.line) + ": " + problems[0].message + " " + problems[0].hint;
    };
    CHECK(problem_of("// REPLY: r\n// Note: a comment\nint y;\n").empty());
    CHECK(problem_of("// REPLY: r\n// REPLAY: s\nint y;\n") ==
          "2: `REPLAY` says nothing of a submission did you mean `REPLY`?");
    CHECK(problem_of("// SAY: r\nint y;\n") == "1: `SAY` says nothing of a submission known is `REPLY`");
    CHECK(problem_of("int y; // REPLY: r\n").starts_with("1: the first line does not say the reply"));
}

TEST_CASE("claims: the table and the lessons name the same") {
    const Folder folder;
    const std::string lesson = "\n-->\n# T\n" + question + "number = 1\n```\n";
    folder.write("01_a/lesson.md", "<!-- lesson\nminutes = 5\nclaims = [\"4.1\", \"4.3\"]" + lesson);
    folder.write("02_b/lesson.md", "<!-- lesson\nminutes = 5\nclaims = [\"4.2\"]" + lesson);
    const auto compared = [&](const std::string& name) {
        std::vector<Diagnostic> problems;
        const Lesson read = read_lesson(folder / name, problems);
        CHECK(problems.empty());
        Lines lines;
        for (const Diagnostic& problem : compare_claims(read))
            lines.push_back(fs::path(problem.where.file).filename().string() + ":" +
                            std::to_string(problem.where.line));
        return lines;
    };
    CHECK(compared("01_a").empty());  // there is no table
    folder.write("claims.md",
                 "| ID | verdict | lesson | shown by |\n|---|---|---|---|\n"
                 "| 4.1 | T | 01_a | S: question `q` |\n| 4.2 | T | 02_b | S: question `q`; 01_a, S: the cell |\n");
    CHECK(compared("01_a") == Lines{"lesson.md:3", "lesson.md:3"});  // 4.2 is not in the head, 4.3 not in the table
    CHECK(compared("02_b").empty());
    folder.write(
        "claims.md",
        "| 4.1 | T | 01_a | S: question `w` |\n| 4.2 | T | 02_b | S: exercise `q` |\n| 4.3 | T | 01_a | 03_c |\n");
    CHECK(compared("01_a") == Lines{"claims.md:1", "claims.md:3"});
    CHECK(compared("02_b") == Lines{"claims.md:2"});
}

TEST_CASE("lesson: a lesson is found by number, name and beginning, or named") {
    const Folder folder;
    for (const char* name : {"01_device_memory", "02_errors", "12_transpose"})
        folder.write(std::string(name) + "/lesson.md", "");
    const auto found = [&](std::string_view name) {
        const auto path = find_lesson(folder / "", name);
        return path ? fs::path(*path).filename().string() : path.error().message + " | " + path.error().hint;
    };
    CHECK(found("1") == "01_device_memory");
    CHECK(found("02") == "02_errors");
    CHECK(found("errors") == "02_errors");
    CHECK(found("tra") == "12_transpose");
    CHECK(found("01_device_memory") == "01_device_memory");
    CHECK(found("erors") == "there is no lesson 'erors' | did you mean errors?");
    CHECK(found("3").starts_with("there is no lesson '3'"));
    CHECK(found("nosuch/folder") == "there is no folder nosuch/folder | ");
    // A folder in the current one goes before a name's beginning, and behind a name.
    const fs::path before = fs::current_path();
    folder.write("here/dev/lesson.md", "");
    folder.write("here/errors/lesson.md", "");
    folder.write("here/empty/x", "");
    fs::current_path(folder / "here");
    CHECK(found("dev") == "dev");
    CHECK(found("errors") == "02_errors");
    CHECK(found("./empty").starts_with("./empty is not a lesson"));
    fs::current_path(before);
}

TEST_CASE("progress: what is saved is loaded again") {
    const Folder folder;
    Progress progress;
    progress.section = 2;
    progress.step = 3;
    progress.items["q"] = {ItemProgress::State::skipped, 4, 1};
    progress.actions.push_back({Action::Kind::check, "S", "e", "text\n", "passed", false});
    const std::string path = folder / "a/progress.json";
    CHECK_FALSE(save_progress(path, progress));
    const LoadedProgress loaded = load_progress(path);
    CHECK(loaded.found);
    CHECK_FALSE(loaded.problem);
    CHECK(loaded.progress.section == 2);
    CHECK(loaded.progress.items.at("q").state == ItemProgress::State::skipped);
    CHECK(loaded.progress.items.at("q").tries == 4);
    CHECK(loaded.progress.actions.at(0).text == "text\n");
    CHECK(loaded.progress.actions.at(0).kind == Action::Kind::check);
}

TEST_CASE("progress: a damaged file is set aside, each under a name of its own") {
    const Folder folder;
    const std::string path = folder / "progress.json";
    CHECK_FALSE(load_progress(path).problem);
    int number = 0;
    for (const char* text : {"", "{", "[]", "{\"version\": 1}", "{\"version\": 99}"}) {
        folder.write("progress.json", text);
        const LoadedProgress loaded = load_progress(path);
        REQUIRE(loaded.problem);
        CHECK_FALSE(loaded.found);
        CHECK_FALSE(fs::exists(path));
        CHECK(read(path + "." + std::to_string(++number) + ".broken") == text);
    }
    CHECK(save_progress("/proc/cudash/progress.json", {}));
}

TEST_CASE("workspace: a student's file is never overwritten") {
    const Folder folder;
    setenv("CUDASH_HOME", (folder / "").c_str(), 1);
    const Workspace workspace("01_x");
    unsetenv("CUDASH_HOME");
    Exercise exercise;
    exercise.name = "e";
    exercise.exercise.text = "given\n";
    CHECK_FALSE(workspace.place(exercise));
    CHECK(read(workspace.file_of(exercise)) == "given\n");
    std::ofstream(workspace.file_of(exercise)) << "mine\n";
    CHECK_FALSE(workspace.place(exercise));
    CHECK(*workspace.read(exercise) == "mine\n");
    const auto kept = workspace.reset(exercise);
    REQUIRE(kept);
    CHECK(read(*kept) == "mine\n");
    CHECK(read(workspace.file_of(exercise)) == "given\n");
}
