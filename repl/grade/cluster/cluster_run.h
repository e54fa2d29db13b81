// A class on a cluster: a job array of its shards, and a job that merges what they have written. The folder of results
// has what is needed to go on, to watch and to cancel:
//
//     cluster/jobs.json    the last submission
//     cluster/shard.sh, merge.sh, *.log
#pragma once

#include "repl/grade/class_setup.h"

namespace cudash::grade {

struct ClusterRun {
    unsigned shards = 0;               ///< 0: as many as make sense
    std::vector<std::string> options;  ///< of the user's, for the engine
};

/// Submits the shards that have something left to do. Submissions that wait or run are not submitted again. Returns the
/// exit code.
int submit_class(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run,
                 const ClusterRun& cluster, const view::Display& display);

/// How far a class is, on a cluster or not. 0: everything is graded; 1: not yet.
int show_status(const ClassSetup& setup, const view::Display& display);

int cancel_class(const ClassSetup& setup, const view::Display& display);

}  // namespace cudash::grade
