// What a check demands of the code itself: constructs that must be there, or may not. Each is asked of the text and of
// what was executed, so that neither a macro nor code that never runs is enough.
#pragma once

#include "repl/grade/check_runner.h"
#include "repl/grade/toml_text.h"
#include "repl/session/code_use.h"

namespace cudash::grade {

class SubmissionWorker;

void read_constructs(TomlTable& table, Constructs& constructs);

/// All but `kernel_decides`, which needs another run.
/// `uses`: of the text, if that could be read.
bool demand_constructs(const Check& check, const Checks& checks, const std::string& text,
                       const std::optional<session::CodeUses>& uses, SubmissionWorker& worker, CheckResult& result);

}  // namespace cudash::grade
