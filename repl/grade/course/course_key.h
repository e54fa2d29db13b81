// The key of a course: a secret of the instructor's, from which every student's own inputs are made.
#pragma once

#include <string>
#include <string_view>

#include "repl/grade/keyed_hash.h"
#include "runtime_wrappers/result.h"

namespace cudash::grade {

/// 256 bits; both halves are keys of their own, so that a student's inputs are secret as long as one of them is.
class CourseKey {
public:
    CourseKey(const Key& first, const Key& second) : first_(first), second_(second) {}
    /// Reads a key file. The error: it is lost, no key, or can be read by others.
    static Result<CourseKey> read(const std::string& path);
    /// Makes a new one that its owner alone can read. The error: there is a file already, or it can't be written.
    static Result<CourseKey> make(const std::string& path);

    /// Which key it is, to be told from others: 12 hexadecimal digits that say nothing of the key.
    std::string id() const;
    /// The seed of one student's inputs to one assignment. It tells nothing of the key, nor of another's seed.
    Key seed_of(const Key& assignment, std::string_view student) const;

private:
    Key of(std::string_view text) const;

    Key first_, second_;
};

}  // namespace cudash::grade
