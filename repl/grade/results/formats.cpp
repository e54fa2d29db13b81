#include "repl/grade/results/formats.h"

#include <array>

namespace cudash::grade {
namespace {

constexpr std::array all_formats = {
    Format{"text", "grade.txt", as_text, "for people"},
    Format{"json", "grade.json", as_json, "all that is known"},
    Format{"gradescope", "results.json", as_gradescope, "Gradescope autograders"},
    Format{"junit", "junit.xml", as_junit, "JUnit XML, read by most CI systems"},
    Format{"github", "result.txt", as_github, "the step output of GitHub Classroom graders"},
    Format{"check50", "check50.json", as_check50, "what check50 writes"},
    Format{"exercism", "results.json", as_exercism, "Exercism test runners, version 3"},
};

}  // namespace

std::span<const Format> formats() {
    return all_formats;
}

const Format* find_format(std::string_view name) {
    for (const Format& format : all_formats)
        if (format.name == name) return &format;
    return nullptr;
}

}  // namespace cudash::grade
