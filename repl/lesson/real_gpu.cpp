#include "repl/lesson/real_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

namespace cudash::lesson {
namespace {

struct Parts {
    grade::Lines printed;
    std::set<std::string> codes;  ///< of findings
};

/// A finding is a line "where: error[code]: message" and the indented lines after it.
Parts parts_of(const grade::Lines& lines) {
    static const std::regex finding(R"((?:.*: )?(?:error|warning|note)\[([a-z0-9-]+)\]: .*)");
    Parts parts;
    bool inside = false;
    for (const std::string& line : lines) {
        std::smatch match;
        if (std::regex_match(line, match, finding)) {
            parts.codes.insert(match[1]);
            inside = true;
        } else if (!inside || !line.starts_with("  ")) {
            inside = false;
            parts.printed.push_back(line);
        }
    }
    return parts;
}

/// Allocations of the virtual GPU begin at 0x200000000200; cells that a real GPU does not run have no number there.
std::string any_device(const std::string& line) {
    static const std::regex address("0x20000[0-9a-f]{7}"), cell("cell [0-9]+");
    return std::regex_replace(std::regex_replace(line, address, "[..]"), cell, "cell [..]");
}

grade::Lines as_lines(const std::set<std::string>& codes) {
    grade::Lines lines;
    for (const std::string& code : codes) lines.push_back(fmt::format("[{}]", code));
    return lines;
}

}  // namespace

std::string differences_on_gpu(const grade::Lines& expected, const Given& given) {
    Parts text = parts_of(expected), real = parts_of(given.lines);
    std::ranges::transform(text.printed, text.printed.begin(), any_device);
    std::string differences = differences_of(text.printed, {real.printed, given.worker_lost});
    // What only the virtual GPU's checkers find is missing on a real one.
    std::erase_if(text.codes,
                  [&](const std::string& code) { return !code.starts_with("cuda-") && !real.codes.contains(code); });
    if (text.codes != real.codes) differences += grade::diff(as_lines(text.codes), as_lines(real.codes));
    return differences;
}

}  // namespace cudash::lesson
