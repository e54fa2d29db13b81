// Proves that an assignment grades as its author says: each stored submission gets exactly its expected result.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/grade/results/formats.h"
#include "repl/view/display.h"
#include "repl/worker/client.h"

namespace cudash::grade {

/// What a stored submission says of itself in the comment lines that it begins with.
struct Expectation {
    std::optional<double> points;     ///< `// POINTS: 3.5`
    std::vector<std::string> failed;  ///< `// FAILS: name of a test`, one line each: all that fail, in their order
    std::string reply, reason;  ///< `// REPLY: part of it`, `// SAYS: part of what is told about the first failure`
    bool is_attack = false;     ///< `// ATTACK: what it tries`: it prints LEAK where it gets through
    std::string problem;        ///< a line that can't be read, or whose word is not known
};
Expectation read_expectation(const std::string& text, std::string_view path);

/// The kinds of stored submissions, which are folders of submissions/.
std::vector<std::string> submission_kinds();

struct Verification {
    worker::Settings worker;
    unsigned jobs = 1;
    std::vector<std::string> without{};  ///< layers of the sandbox that are left out, to test the others
    std::string output{};                ///< a folder for the results of stored submissions; empty: they are not kept
    const Format* format = nullptr;      ///< of these results
};

/// `folders`: of assignments. The last line counts. Returns the exit code.
int verify_assignments(const std::vector<std::string>& folders, const Verification& how, const view::Display& display);

}  // namespace cudash::grade
