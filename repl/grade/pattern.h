// A regular expression of an assignment's author, looked for in what strangers hand in. PCRE2: std::regex calls itself
// for each character of a repeated group, and RE2 has no lookahead, which says that something is missing from a text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime_wrappers/result.h"

struct pcre2_real_code_8;

namespace cudash::grade {

class Pattern {
public:
    /// The error's message says what is wrong, and where.
    static Result<Pattern> read(const std::string& text);
    /// Somewhere in the text. Text on which the search would take too long (10 million steps: nested repetitions)
    /// counts as one without it; steps are counted, so that the answer is the same on every machine.
    bool is_in(std::string_view text) const;

private:
    struct Free {
        void operator()(pcre2_real_code_8* code) const;
    };
    explicit Pattern(pcre2_real_code_8* code) : code_(code, Free()) {}

    std::shared_ptr<pcre2_real_code_8> code_;
};

}  // namespace cudash::grade
