// A lesson: what its folder holds, as values. lessons/README.md describes the format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "repl/grade/checks.h"
#include "repl/lesson/header.h"
#include "repl/worker/client.h"
#include "runtime_wrappers/result.h"

namespace cudash::lesson {

struct Text {
    std::string markdown;
};

/// A demonstration: code that runs, and what it prints.
struct Demonstration {
    std::string code;
    std::vector<std::string> expected;
    unsigned line = 0;           ///< of the code in the file
    bool needs_virtual = false;  ///< a real GPU can't show it: counters, or a mistake that ends a program
    bool debugs = false;         ///< commands of the debugger, the first of them `:debug`; the next such fence goes on
};

struct Question {
    enum class Kind { number, choice, expression };
    struct Wrong {
        std::string answer, reply;
    };
    Kind kind = Kind::number;
    std::string id, ask, because;
    double number = 0, tolerance = 0;  ///< tolerance: relative
    std::vector<std::string> choices;
    unsigned right = 0;    ///< of the choices, from 1
    bool ordered = false;  ///< the choices stay in this order for everybody
    std::string expression;
    std::string shown_by;
    std::vector<std::string> hints;
    std::vector<Wrong> wrong;
    unsigned line = 0;
};

struct Exercise {
    struct File {
        std::string path, text;
    };
    std::string name, task;
    std::vector<std::string> hints;
    std::string picture;  ///< code that runs the kernel whose accesses `:picture` draws; may be empty
    File exercise, solution;
    std::vector<File> wrong;  ///< foreseen wrong submissions, by name
    grade::Checks checks;
    unsigned line = 0;

    /// The name of the student's file: "reverse.cu".
    std::string file_name() const { return name + ".cu"; }
};

using Step = std::variant<Text, Demonstration, Question, Exercise>;

struct Section {
    std::string title;
    std::vector<Step> steps;
    unsigned line = 0;
};

struct Lesson {
    std::string folder;  ///< its path
    std::string name;    ///< of the folder: "04_shared_memory"
    std::string path;    ///< of lesson.md
    std::string title;
    Header header;
    std::vector<Section> sections;  ///< the first is what stands before the first `##`, under the lesson's title
    std::string notes;              ///< Markdown under `## Notes`: remarks about the documents; no part of the walk
};

/// Reads a lesson's folder. Everything that is wrong with it goes to `problems`; it can be used if there is nothing.
Lesson read_lesson(const std::string& folder, std::vector<Diagnostic>& problems);

/// The session that a lesson's header asks for, on top of the caller's.
Result<worker::Settings> session_settings(const Lesson& lesson, worker::Settings settings, bool device_given);

/// What a foreseen wrong submission must be answered: the text after `// REPLY:` on its first line; nullopt: none.
std::optional<std::string> expected_reply(std::string_view wrong_submission);

/// The number that a text is: "24", "1e3", "0x10"; nullopt: none.
std::optional<double> number_of(std::string_view text);
/// True if a number is the question's, within its tolerance.
bool is_right(const Question& question, double number);

}  // namespace cudash::lesson
