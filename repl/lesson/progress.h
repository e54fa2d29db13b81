// What a student has done in a lesson so far: kept in a file, saved at each step.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::lesson {

/// Of a question or an exercise.
struct ItemProgress {
    enum class State : std::uint8_t { open, solved, skipped };
    State state = State::open;
    unsigned tries = 0, hints = 0;
    bool right = false;  ///< an exercise whose results are right, though it may not be solved well yet
};

struct ItemState {
    std::string_view stored;  ///< in the file
    std::string_view shown;   ///< to the student
};
/// In the order of ItemProgress::State.
inline constexpr std::array item_states = {ItemState{"open", "open"}, ItemState{"solved", "done"},
                                           ItemState{"skipped", "skipped"}};

/// Something that the student did, in the order in which it was done.
struct Action {
    enum class Kind : std::uint8_t {
        demonstration,  ///< ran a cell of the lesson
        cell,           ///< typed one
        answer,
        check,
        hint,
        skip,
        solution
    };
    Kind kind = Kind::cell;
    std::string section;
    std::string item;    ///< the question's or exercise's name
    std::string text;    ///< code, or the answer
    std::string result;  ///< what came of it
    bool ok = false;     ///< of code: it is part of the session
};

struct Progress {
    std::size_t section = 0, step = 0;  ///< the next one
    bool finished = false;
    std::map<std::string, ItemProgress> items;
    std::vector<Action> actions;
};

struct LoadedProgress {
    Progress progress;
    bool found = false;
    bool keep = true;                   ///< false: it must not be written over
    std::optional<Diagnostic> problem;  ///< the file was unusable and set aside under another name, or can't be read
};
/// A file that is missing is not a problem.
LoadedProgress load_progress(const std::string& path);

/// The same for who only looks: nothing is set aside.
Result<Progress> peek_progress(const std::string& path);

/// All or nothing: the file is as before, or as it should be. The error says why it is not saved.
std::optional<Diagnostic> save_progress(const std::string& path, const Progress& progress);

/// Writes a file so that it has either its old or its new contents, whatever happens; makes its folder.
std::optional<Diagnostic> write_atomically(const std::string& path, const std::string& text);

/// The first of "PATH.1.SUFFIX", "PATH.2.SUFFIX", ... that is not there yet.
std::string free_name(const std::string& path, const std::string& suffix);

}  // namespace cudash::lesson
