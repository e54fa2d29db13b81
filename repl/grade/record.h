// A grade and what it was made of, as a class's folder keeps it.
#pragma once

#include <optional>
#include <string>

#include "repl/grade/grade.h"

namespace cudash::grade {

struct Record {
    Grade grade;
    std::string fingerprint;  ///< of the submission, and of the student's own inputs
};

/// nullopt: that is not a record, or only a part of one.
std::optional<Record> from_record(const std::string& text);
std::string to_record(const Grade& grade, const std::string& fingerprint);

/// The record in a file; nullopt: there is none, or it is not whole.
std::optional<Record> read_record(const std::string& path);

}  // namespace cudash::grade
