// clang 19 crashes on some texts that are wrong, most of all where a session has rejected others before. Such a text is
// compiled in a copy of the process first: the copy falls, and the session goes on without the text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// In the copy: tells the session what clang says, as it says it.
class TrialReport {
public:
    explicit TrialReport(int file) : file_(file) {}
    /// What was said before is taken back: the text is read again.
    void again() const;
    void said(const Diagnostic& diagnostic) const;

private:
    int file_;
};

/// What clang said before it fell over `compile`, and that it did; nullopt: it did not, or nobody knows.
std::optional<std::vector<Diagnostic>> fall_in_copy(const std::function<void(const TrialReport&)>& compile,
                                                    std::string_view cell);

}  // namespace cudash::session
