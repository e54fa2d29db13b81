// The submissions in a class's folder, and how one is read: by nobody's links, and from plain files alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::grade {

/// One entry of a class's folder: a .cu file, or a folder with one .cu file in it, however deep.
struct Entry {
    std::string name;  ///< as it is shown (names.h); no two entries have the same
    std::string path;  ///< of the file, from the class's folder
    /// Why there is nothing to grade: a sentence for the student. Such an entry is in the result, too.
    std::string refusal;
    /// Of a folder whose assignment takes several: its .cu files and headers, from the class's folder. Empty: `path`.
    std::vector<std::string> files{};

    /// The name under which it is graded.
    std::string file_name() const;
};

/// Whether a folder may hold several .cu files and headers, which are one submission then.
enum class Files { one, several };

/// All entries but hidden ones that hold no .cu file, by name. nullopt with why: the folder can't be read.
std::optional<std::vector<Entry>> find_submissions(const std::string& folder, std::string& why,
                                                   Files files = Files::one);

/// Whether its suffix is that of CUDA source, in capitals or not.
bool has_source_suffix(std::string_view name);

struct ReadSubmission {
    std::optional<std::string> text;  ///< without a byte order mark
    std::string refusal;              ///< what is wrong with the submission: a sentence; empty: nothing
    std::string failure;              ///< why the grader can't read it; empty: it can
};
/// Reads `path`, from `folder`. No part of the path behind `folder` may be a symbolic link.
ReadSubmission read_submission(const std::string& folder, const std::string& path);

/// Reads an entry that is not refused.
ReadSubmission read_entry(const std::string& folder, const Entry& entry);

}  // namespace cudash::grade
