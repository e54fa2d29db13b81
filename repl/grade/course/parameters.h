// parameters.toml of an assignment: numbers and words of the task that differ from student to student.
//
//     radius = [1, 2, 3]
//     n = { from = 1000, to = 9000, step = 7 }
//
// `{{radius}}` in assignment.toml and assignment.md is the student's own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "repl/grade/keyed_hash.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::grade {

struct Parameter {
    std::string name;
    std::vector<std::string> listed;  ///< the values that it may have; empty: a range
    long long from = 0, to = 0, step = 1;
    /// The one of `key`'s.
    std::string value(const Key& key) const;
};

/// What is wrong goes to `problems`.
std::vector<Parameter> parse_parameters(const std::string& path, std::string_view text,
                                        std::vector<Diagnostic>& problems);

using ParameterValues = std::map<std::string, std::string>;
ParameterValues values_of(const std::vector<Parameter>& parameters, const Key& seed);

/// `text` with values in the place of `{{name}}`. A name that is not a parameter's goes to `problems`.
std::string filled_in(std::string_view text, const ParameterValues& values, const std::string& path,
                      std::vector<Diagnostic>& problems);

}  // namespace cudash::grade
