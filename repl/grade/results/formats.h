// The forms in which a grade is written, one for each platform that reads it. Each is a pure function of the grade.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "repl/grade/grade.h"

namespace cudash::grade {

struct FormatOptions {
    bool times = false;  ///< how long it took, too: then no two results are the same
};

std::string as_text(const Grade& grade, const FormatOptions& options);
std::string as_json(const Grade& grade, const FormatOptions& options);
/// results.json of a Gradescope autograder.
std::string as_gradescope(const Grade& grade, const FormatOptions& options);
/// One <testsuite>; points are its properties.
std::string as_junit(const Grade& grade, const FormatOptions& options);
/// The `result` output of a GitHub Classroom grader step: base64 of JSON.
std::string as_github(const Grade& grade, const FormatOptions& options);
std::string as_check50(const Grade& grade, const FormatOptions& options);
/// results.json of an Exercism test runner, version 3.
std::string as_exercism(const Grade& grade, const FormatOptions& options);

struct Format {
    std::string_view name;
    std::string_view file;  ///< the usual name of such a file
    std::string (*write)(const Grade& grade, const FormatOptions& options);
    std::string_view about;
};

std::span<const Format> formats();
const Format* find_format(std::string_view name);

}  // namespace cudash::grade
