// Where calls land of functions that no cell has defined: each function has a place of its own, so that a call can be
// told from another and the message names what is missing.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace cudash::session {

class UndefinedFunctions {
public:
    UndefinedFunctions() = default;
    ~UndefinedFunctions();
    UndefinedFunctions(const UndefinedFunctions&) = delete;
    UndefinedFunctions& operator=(const UndefinedFunctions&) = delete;

    /// The address of code that traps.
    const void* place_for(const std::string& symbol);
    /// The function that was called and so trapped, once; empty if none was.
    static std::string take_called();

private:
    std::vector<void*> pages_;
    std::size_t used_ = 0;             ///< of the last page
    std::deque<std::string> symbols_;  ///< where code points to them
};

}  // namespace cudash::session
