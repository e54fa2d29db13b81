// A session whose output is kept instead of shown: for transcripts, and for lessons that are verified.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "repl/grade/compare.h"
#include "repl/shell/notebook.h"

namespace cudash::lesson {

/// What a piece of a document gave.
struct Given {
    grade::Lines lines;
    bool worker_lost = false;
};

class Recorder {
public:
    /// `width`: columns of the terminal that it stands for; 0: nothing is wrapped.
    explicit Recorder(worker::Settings settings, unsigned width = 0);

    /// Runs code as documents have it: cells, and commands on lines of their own.
    Given run(std::string_view code);
    /// The value of an expression in the session; nothing of it is kept or numbered. The error says why there is none.
    Result<session::Value> value_of(const std::string& expression);

    shell::Notebook& notebook() { return notebook_; }

private:
    std::string output_;
    shell::Notebook notebook_;
};

/// The differences between what was expected and given; empty: none. A worker that ends must be announced in the
/// expected output: "..." does not stand for that.
std::string differences_of(const grade::Lines& expected, const Given& given);

}  // namespace cudash::lesson
