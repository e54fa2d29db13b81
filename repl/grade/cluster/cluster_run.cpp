#include "repl/grade/cluster/cluster_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "repl/exit_codes.h"
#include "repl/grade/cluster/slurm.h"
#include "repl/grade/names.h"
#include "repl/grade/read_file.h"
#include "repl/json.h"
#include "repl/own_program.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr std::size_t usual_size = 10;        ///< submissions of a shard
constexpr unsigned most_usual_shards = 1000;  ///< Slurm's MaxArraySize is 1001 where nobody changed it
constexpr unsigned bar_width = 40;
constexpr std::size_t most_told_shards = 5;

/// The jobs' name: the same for the same folder, so that they are found again whatever happened to jobs.json.
std::string job_name(const ClassFolder& folder) {
    return "cudash-" + text_of(derived({}, folder.path())).substr(0, 12);
}

std::string place(const ClassFolder& folder, const std::string& name) {
    return folder.file("cluster/" + name);
}

std::string script(const std::string& about, const std::string& command) {
    return fmt::format("#!/bin/sh\n# Written by `cudash grade --on slurm`: {}.\nexec {}\n", about, command);
}

std::string program() {
    return shell_word(own_program().string());
}

/// "1-3,7" of the numbers that are set, from 1.
std::string ranges_of(const std::vector<char>& set) {
    std::string text;
    for (std::size_t i = 0; i < set.size();) {
        if (!set[i]) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < set.size() && set[end]) ++end;
        text += fmt::format("{}{}", text.empty() ? "" : ",", i + 1);
        if (end - i > 1) text += fmt::format("-{}", end);
        i = end;
    }
    return text;
}

/// The shards that have something left to do; 1 for those.
std::vector<char> open_shards(const ClassProgress& progress, unsigned count) {
    std::vector<char> open(count);
    for (unsigned k = 0; k < count; ++k) {
        const auto [first, last] = Shard{k + 1, count}.range(progress.is_done.size());
        for (std::size_t i = first; i < last; ++i)
            if (!progress.is_done[i] || !progress.has_mark[i]) open[k] = 1;
    }
    return open;
}

struct Submitted {
    unsigned shards = 0;
    std::string array, merger;
};

std::optional<Submitted> last_submission(const ClassFolder& folder) {
    std::string ignored;
    const auto text = read_file(place(folder, "jobs.json"), ignored);
    if (!text) return std::nullopt;
    const json read = parse_ordered_json(*text);
    Submitted last;
    if (!read.is_object()) return std::nullopt;
    try {
        last.shards = read.at("shards");
        last.array = read.at("array");
        last.merger = read.at("merger");
    } catch (const json::exception&) {
        return std::nullopt;
    }
    if (last.shards == 0 || last.shards > most_shards) return std::nullopt;
    return last;
}

int refuse(const view::Display& display, const Diagnostic& problem, int code) {
    display.messages(fmt::format("cudash: {}\n", problem.message));
    if (!problem.hint.empty()) display.messages(fmt::format("  hint: {}\n", problem.hint));
    return code;
}

/// Empty, or what can't be written.
std::string write_scripts(const ClassRun& run, unsigned shards) {
    std::error_code failed;
    fs::create_directories(place(run.folder, ""), failed);
    const ClassOwner& owner = run.owner;
    const std::string folder = shell_word(run.folder.path());
    std::string shard = fmt::format("{} grade {} {} --output {} --format {}{}", program(), shell_word(owner.assignment),
                                    shell_word(owner.submissions), folder, owner.format, owner.times ? " --times" : "");
    if (!owner.key.empty()) shard += " --key " + shell_word(owner.key);
    if (!owner.course.empty()) shard += " --course " + shell_word(owner.course);
    shard += fmt::format(" --shard \"$SLURM_ARRAY_TASK_ID/{}\" --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\"", shards);
    const std::pair<const char*, std::string> scripts[] = {
        {"shard.sh", script("one shard of a class", shard)},
        {"merge.sh", script("runs when all shards have ended", fmt::format("{} grade merge {}", program(), folder))}};
    for (const auto& [name, text] : scripts)
        if (const std::string why = shell::write_file(place(run.folder, name), text); !why.empty())
            return fmt::format("{} can't be written: {}", place(run.folder, name), why);
    return {};
}

std::string bar(std::size_t done, std::size_t all) {
    const std::size_t full = all ? done * bar_width / all : bar_width;
    return "[" + std::string(full, '#') + std::string(bar_width - full, '.') + "]";
}

/// "3 run, 12 wait (Resources)".
std::string states_of(const std::vector<slurm::Task>& tasks) {
    std::map<std::string, std::size_t> counts;
    for (const slurm::Task& task : tasks) {
        std::string state = task.state;
        std::ranges::transform(state, state.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (task.state == "PENDING" && task.reason != "None") state += fmt::format(" ({})", task.reason);
        ++counts[state];
    }
    std::string text;
    for (const auto& [state, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
    return text;
}

/// The last line that a shard wrote.
std::string last_line(const std::string& path) {
    std::string ignored;
    const auto text = read_file(path, ignored);
    if (!text) return "it wrote nothing";
    std::string_view rest = *text;
    while (rest.ends_with('\n')) rest.remove_suffix(1);
    const std::size_t line = rest.rfind('\n');
    return rest.empty() ? "it wrote nothing" : std::string(rest.substr(line == std::string_view::npos ? 0 : line + 1));
}

}  // namespace

int submit_class(const Grader& grader, const std::vector<Entry>& entries, const ClassRun& run,
                 const ClusterRun& cluster, const view::Display& display) {
    const auto tasks = slurm::queue(job_name(run.folder));
    if (!tasks) return refuse(display, tasks.error(), exit_codes::unavailable);
    const std::string word = shell_word(run.folder.path());
    if (!tasks->empty()) {
        display.messages(
            fmt::format("cudash: this class is in Slurm's queue already: {}\n  hint: `cudash grade status {}` "
                        "shows how far it is; `cudash grade cancel {}` takes it back\n",
                        states_of(*tasks), word, word));
        return exit_codes::unavailable;
    }
    if (const std::string problem = run.folder.make(); !problem.empty())
        return refuse(display, error("unwritable", problem), exit_codes::cannot_create);
    // Held until the jobs are in the queue: nobody else submits the same, and no local run is under way.
    const auto lock = run.folder.lock(ClassFolder::Use::alone);
    if (!lock) return refuse(display, lock.error(), exit_codes::cannot_create);
    if (const auto problem = run.folder.take(run.owner)) return refuse(display, *problem, exit_codes::cannot_create);
    const unsigned usual = static_cast<unsigned>(
        std::clamp<std::size_t>((entries.size() + usual_size - 1) / usual_size, 1, most_usual_shards));
    const unsigned shards =
        static_cast<unsigned>(std::min<std::size_t>(cluster.shards ? cluster.shards : usual, entries.size()));
    const std::vector<char> open = open_shards(progress_of(grader, entries, run), shards);
    if (const std::string problem = write_scripts(run, shards); !problem.empty())
        return refuse(display, error("unwritable", problem), exit_codes::cannot_create);
    slurm::Job job;
    job.name = job_name(run.folder);
    job.processors = run.jobs;
    // Each submission has a worker, and one that starts; the grader itself takes less than 100 MB.
    job.memory_mb = run.jobs * 2 * (grader.assignment().checks.memory_bytes >> 20) + 128;
    job.options = cluster.options;
    Submitted submitted{shards, "", ""};
    job.array = ranges_of(open);
    if (!job.array.empty()) {
        job.script = place(run.folder, "shard.sh");
        job.log = place(run.folder, "shard-%a.log");
        const auto number = slurm::submit(job);
        if (!number) return refuse(display, number.error(), exit_codes::unavailable);
        submitted.array = *number;
    }
    slurm::Job merger = job;
    merger.script = place(run.folder, "merge.sh");
    merger.log = place(run.folder, "merge.log");
    merger.array.clear();
    merger.after = submitted.array;
    merger.processors = 1;
    const auto number = slurm::submit(merger);
    if (!number) {
        // Shards without their merger are half a submission.
        if (!submitted.array.empty()) (void)slurm::cancel({submitted.array});
        return refuse(display, number.error(), exit_codes::unavailable);
    }
    submitted.merger = *number;
    const json out = {{"shards", shards}, {"array", submitted.array}, {"merger", submitted.merger}};
    if (const std::string why = shell::write_file(place(run.folder, "jobs.json"), json_text(out) + "\n"); !why.empty())
        display.messages(fmt::format("cudash: {} can't be written: {}\n", place(run.folder, "jobs.json"), why));
    const auto count = std::ranges::count(open, 1);
    display.results(fmt::format(
        "{} submissions in {} shards: {} submitted as job {}, merged by job {}\n"
        "  cudash grade status {}\n  cudash grade cancel {}\n",
        entries.size(), shards, count, submitted.array.empty() ? "-" : submitted.array, submitted.merger, word, word));
    return 0;
}

int show_status(const ClassSetup& setup, const view::Display& display) {
    const ClassRun& run = setup.run;
    const ClassProgress progress = progress_of(*setup.grader, setup.entries, run);
    const std::size_t all = setup.entries.size();
    std::error_code ignored;
    const bool has_summary = fs::exists(run.folder.file("summary.csv"), ignored);
    display.results(fmt::format(
        "{}\n{} {} of {} graded{}\n", shown_name(setup.grader->assignment().name), bar(progress.done, all),
        progress.done, all, progress.without_mark ? fmt::format(", {} without a mark", progress.without_mark) : ""));
    if (const auto owner = run.folder.owner(); owner && owner->made_by != run.owner.made_by)
        display.results(
            fmt::format("The assignment, or cudash itself, has changed since; `cudash grade again {}` shows what "
                        "that changes.\n",
                        shell_word(run.folder.path())));
    const bool is_done = progress.done == all && has_summary;
    const auto last = last_submission(run.folder);
    if (!last) {
        if (!is_done) display.results("Not on a cluster; the command that began it goes on from here.\n");
        return is_done ? 0 : 1;
    }
    const auto tasks = slurm::queue(job_name(run.folder));
    if (!tasks) {
        display.messages(fmt::format("cudash: {}\n  hint: {}\n", tasks.error().message, tasks.error().hint));
        return is_done ? 0 : 1;
    }
    if (!tasks->empty()) display.results(fmt::format("Slurm: {}\n", states_of(*tasks)));
    std::set<unsigned> queued;
    for (const slurm::Task& task : *tasks) queued.insert(task.index);
    std::size_t failed = 0;
    const std::vector<char> open = open_shards(progress, last->shards);
    for (unsigned k = 1; k <= last->shards; ++k) {
        if (!open[k - 1] || queued.contains(k)) continue;
        if (++failed <= most_told_shards)
            display.results(fmt::format("shard {} of {} ended before it was done: {}\n", k, last->shards,
                                        last_line(place(run.folder, fmt::format("shard-{}.log", k)))));
    }
    if (failed > most_told_shards) display.results(fmt::format("... and {} more\n", failed - most_told_shards));
    if (tasks->empty() && !is_done)
        display.results(fmt::format(
            "Nothing is in Slurm's queue. Go on with\n  cudash grade {} {} --output {} --on slurm\n",
            shell_word(run.owner.assignment), shell_word(run.owner.submissions), shell_word(run.folder.path())));
    return is_done && tasks->empty() ? 0 : 1;
}

int cancel_class(const ClassSetup& setup, const view::Display& display) {
    const auto tasks = slurm::queue(job_name(setup.run.folder));
    if (!tasks) return refuse(display, tasks.error(), exit_codes::unavailable);
    std::set<std::string> jobs;
    for (const slurm::Task& task : *tasks) jobs.insert(task.job);
    if (jobs.empty()) {
        display.results("Nothing of this class is in Slurm's queue.\n");
        return 0;
    }
    if (const auto done = slurm::cancel({jobs.begin(), jobs.end()}); !done)
        return refuse(display, done.error(), exit_codes::unavailable);
    display.results(
        fmt::format("Canceled {} tasks. What they have graded is kept: the same command with `--on slurm` goes on "
                    "from there.\n",
                    tasks->size()));
    return 0;
}

}  // namespace cudash::grade
