// What a check demands of a step besides its results: each a function that is true if the demand is met, and says what
// is wrong in `result` otherwise.
#pragma once

#include <string>
#include <string_view>

#include "repl/grade/check_runner.h"
#include "repl/grade/submission_worker.h"

namespace cudash::grade {

bool demand_output(const Check& check, const SubmissionWorker::Step& step, CheckResult& result);
bool demand_findings(const Check& check, const SubmissionWorker& worker, CheckResult& result);
bool demand_metric(const Check& check, SubmissionWorker& worker, const RunSettings& settings, CheckResult& result);
bool demand_calls(const Check& check, SubmissionWorker& worker, CheckResult& result);
bool demand_no_leaks(const Check& check, SubmissionWorker& worker, CheckResult& result);
bool demand_no_warnings(const Check& check, const SubmissionWorker& worker, CheckResult& result);

/// Only the virtual GPU can tell.
bool needs_virtual(const Check& check);
/// It runs code, or asks the process that ran it; what the compiler said is known without.
bool needs_process(const Check& check);

/// The first lines of what was printed.
std::string shortened(std::string_view text);

}  // namespace cudash::grade
