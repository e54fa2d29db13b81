// Slurm, by its own commands: it queues, places, limits and restarts; nothing of that is done here.
#pragma once

#include <string>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::grade::slurm {

/// A job array and the job that waits for it.
struct Job {
    std::string script;     ///< path
    std::string name, log;  ///< %a in `log` is the array's index
    std::string array;      ///< "1-20", "3,7"; empty: one job
    std::string after;      ///< the job whose end it waits for; empty: none
    unsigned processors = 1;
    std::uint64_t memory_mb = 0;
    std::vector<std::string> options;  ///< of the user's, as sbatch has them
};

/// The job's number. The error has Slurm's own words.
Result<std::string> submit(const Job& job);

/// One task that waits or runs.
struct Task {
    std::string job;     ///< "41"
    unsigned index = 0;  ///< in the array; 0: none
    std::string state;   ///< "PENDING", "RUNNING", ...
    std::string reason;  ///< why it waits: "Resources"
};

/// This user's tasks of that name, of those that have not ended. The error: Slurm is not there, or does not answer.
Result<std::vector<Task>> queue(const std::string& name);

/// Ends the jobs, whether they wait or run.
Result<std::monostate> cancel(const std::vector<std::string>& jobs);

}  // namespace cudash::grade::slurm
