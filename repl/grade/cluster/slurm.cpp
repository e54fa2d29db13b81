#include "repl/grade/cluster/slurm.h"

#include <fmt/format.h>

#include <charconv>

#include "repl/grade/cluster/process.h"

namespace cudash::grade::slurm {
namespace {

constexpr std::chrono::seconds patience{60};

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

/// What the command printed; or its own words about what is wrong.
Result<std::string> ask(const std::vector<std::string>& command) {
    auto ended = run_program(command, patience);
    if (!ended && ended.error().code == "no-program")
        return error("no-slurm", fmt::format("Slurm is not here: {}", ended.error().message),
                     "run this on a machine that can submit to Slurm; `--shard I/N` and `grade merge` work with any "
                     "other engine");
    if (!ended) return error("slurm", ended.error().message, "is slurmctld running? `scontrol ping` says");
    if (ended->code != 0)
        return error("slurm", fmt::format("{} says: {}", command.front(), trimmed(ended->errors)),
                     "what has been graded is kept; the same command goes on from there");
    return ended->out;
}

unsigned number_of(std::string_view text) {
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = std::min(text.find(at), text.size());
        parts.push_back(text.substr(0, end));
        if (end == text.size()) return parts;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

Result<std::string> submit(const Job& job) {
    // A node that dies gives its tasks back; what they had graded is kept.
    std::vector<std::string> command = {"sbatch",
                                        "--parsable",
                                        "--requeue",
                                        "--open-mode=append",
                                        "--job-name=" + job.name,
                                        "--output=" + job.log,
                                        fmt::format("--cpus-per-task={}", job.processors),
                                        fmt::format("--mem={}M", job.memory_mb)};
    if (!job.array.empty()) command.push_back("--array=" + job.array);
    // Whatever became of the shards: what is missing is for the merger to say.
    if (!job.after.empty()) command.push_back("--dependency=afterany:" + job.after);
    command.insert(command.end(), job.options.begin(), job.options.end());
    command.push_back(job.script);
    auto answer = ask(command);
    if (!answer) return answer.error();
    // "41", or "41;cluster".
    std::string number(split(trimmed(*answer), ';').front());
    if (number_of(number) == 0) return error("slurm", fmt::format("sbatch gave no job's number: {}", trimmed(*answer)));
    return number;
}

Result<std::vector<Task>> queue(const std::string& name) {
    const auto answer = ask({"squeue", "--me", "--noheader", "--array", "--name=" + name, "--format=%i|%T|%r"});
    if (!answer) return answer.error();
    std::vector<Task> tasks;
    for (const std::string_view line : split(*answer, '\n')) {
        const auto parts = split(line, '|');
        if (parts.size() != 3) continue;
        const auto numbers = split(parts[0], '_');
        tasks.push_back({std::string(numbers[0]), numbers.size() > 1 ? number_of(numbers[1]) : 0, std::string(parts[1]),
                         std::string(parts[2])});
    }
    return tasks;
}

Result<std::monostate> cancel(const std::vector<std::string>& jobs) {
    std::vector<std::string> command = {"scancel"};
    command.insert(command.end(), jobs.begin(), jobs.end());
    const auto answer = ask(command);
    if (!answer) return answer.error();
    return std::monostate();
}

}  // namespace cudash::grade::slurm
