#include "repl/grade/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "repl/grade/constructs.h"
#include "repl/grade/data_reader.h"
#include "repl/grade/toml_text.h"
#include "runtime_wrappers/api/function.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/explanations.h"
#include "runtime_wrappers/virtual_gpu/check/checkers.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/profile/metrics.h"

namespace cudash::grade {
namespace {

constexpr double longest_timeout = 600, longest_all_time = 86400;

void check_metric(const Check& check, const TomlTable& table) {
    if (check.metric.empty()) {
        for (const char* key : {"kernel", "at_least", "at_most", "equals"})
            if (table.has(key)) table.problem(key, fmt::format("`{}` belongs to a `metric`", key));
        return;
    }
    std::vector<std::string_view> names;
    for (const auto& metric : virtual_gpu::metrics()) names.push_back(metric.name);
    for (const auto& metric : virtual_gpu::launch_metrics()) names.push_back(metric.name);
    if (std::ranges::find(names, check.metric) == names.end())
        table.problem("metric", fmt::format("there is no metric {}", check.metric),
                      hint_among(check.metric, names, ":profile metrics lists them"));
    if (check.kernel.empty()) table.problem("metric", "a `metric` needs the name of its `kernel`");
    if (!check.at_least && !check.at_most && !check.equals && !check.of_solution && !check.least_of_solution)
        table.problem("metric", "a `metric` needs `at_least`, `at_most` or `equals`");
}

void check_calls(std::string_view key, const std::vector<std::string>& calls, const TomlTable& table) {
    for (const std::string& call : calls) {
        const auto functions = api::functions();
        if (std::ranges::any_of(functions, [&](const auto& row) { return row.name == call; })) continue;
        std::vector<std::string_view> names;
        for (const auto& row : functions) names.push_back(row.name);
        table.problem(key, fmt::format("the CUDA runtime has no function {}", call), hint_among(call, names));
    }
}

constexpr double most_points = 1e6, most_runs = 20;

void read_program(TomlTable& table, Check& check) {
    for (TomlTable& run : table.tables("run")) {
        check.run.emplace();
        check.run->arguments = run.texts("arguments").value_or(std::vector<std::string>());
        check.run->input = run.text("input").value_or("");
        check.run->device = run.text("device").value_or("");
        if (const auto device = api::parse_device(check.run->device.empty() ? "auto" : check.run->device); !device)
            run.problem("device", device.error().message, device.error().hint);
        run.finish();
    }
    if (table.flag("as_solution").value_or(false))
        check.as_solution = Tolerance{table.number("relative").value_or(0), table.number("absolute").value_or(0)};
}

/// The keys that only assignments have.
void read_assignment_keys(TomlTable& table, Check& check) {
    for (TomlTable& input : table.tables("input")) check.inputs.push_back(read_input(input));
    for (TomlTable& result : table.tables("result")) check.results.push_back(read_result(result));
    check.runs = static_cast<unsigned>(std::clamp(table.number("runs").value_or(1), 1.0, most_runs));
    check.partial = table.flag("partial").value_or(false);
    check.of_solution = table.number("of_solution");
    check.least_of_solution = table.number("least_of_solution");
    check.warnings = table.flag("warnings");
    if (check.warnings.value_or(false)) table.problem("warnings", "`warnings` can only be false: there may be none");
    check.task = table.text("task").value_or("");
    read_constructs(table, check.constructs);
    check.leaderboard = table.text("leaderboard").value_or("");
    check_calls("only_calls", check.constructs.only_calls.value_or(std::vector<std::string>()), table);
    read_program(table, check);
    if (const auto name = table.text("visibility")) {
        const auto found = std::ranges::find(visibility_names, *name);
        if (found == visibility_names.end())
            table.problem("visibility", fmt::format("there is no visibility {}", *name),
                          hint_among(*name, {visibility_names.begin(), visibility_names.end()},
                                     "visible, after_due_date, after_published or hidden"));
        else
            check.visibility = static_cast<Visibility>(found - visibility_names.begin());
    }
    if (!check.leaderboard.empty() && (check.metric.empty() || check.visibility != Visibility::visible))
        table.problem("leaderboard", "`leaderboard` needs a `metric` of a visible check");
    if ((!check.inputs.empty() || !check.results.empty()) && !check.cell)
        table.problem({}, "inputs and results need the `cell` that uses them");
    if (check.as_solution && !check.cell && !check.run)
        table.problem("as_solution", "`as_solution` needs a `cell` or a `run` that prints");
    if (check.run && check.cell) table.problem("run", "a check has a `cell` or a `run`, not both");
    if (check.constructs.kernel_decides && !check.cell && !check.run)
        table.problem("kernel_decides", "`kernel_decides` needs a `cell` or a `run` whose result it is about");
    if (check.partial && check.results.empty()) table.problem("partial", "`partial` needs a [[check.result]]");
    if (check.points > most_points) table.problem("points", "so many points are a mistake");
}

Check read_check(TomlTable& table, bool assignment) {
    Check check;
    check.line = table.line();
    check.name = table.required_text("name");
    check.cell = table.text("cell");
    check.output = table.text("output");
    check.means = table.text("means").value_or("");
    check.fresh = table.flag("fresh").value_or(false);
    check.points = table.number("points").value_or(1);
    check.needs = table.texts("needs").value_or(std::vector<std::string>());
    check.why = table.text("why").value_or("");
    check.findings = table.texts("findings");
    if (check.findings)
        for (std::string& code : *check.findings) code = std::string(code_today(code));
    check.kernel = table.text("kernel").value_or("");
    check.metric = table.text("metric").value_or("");
    check.at_least = table.number("at_least");
    check.at_most = table.number("at_most");
    check.equals = table.number("equals");
    check.calls = table.texts("calls").value_or(std::vector<std::string>());
    check.calls_not = table.texts("calls_not").value_or(std::vector<std::string>());
    check.leaks = table.flag("leaks");
    if (assignment) read_assignment_keys(table, check);
    table.finish();

    if (check.points < 0) table.problem("points", "`points` can't be below 0");
    if (check.output && !check.cell && !check.run) table.problem("output", "`output` needs the `cell` that prints it");
    if (!check.means.empty() && !check.output) table.problem("means", "`means` needs the `output` that it explains");
    if (check.fresh && !check.cell) table.problem("fresh", "`fresh` needs a `cell` to run");
    if (check.leaks.value_or(false)) table.problem("leaks", "`leaks` can only be false: nothing may be left");
    check_metric(check, table);
    check_calls("calls", check.calls, table);
    check_calls("calls_not", check.calls_not, table);
    const bool demands = check.cell || check.run || check.findings || !check.metric.empty() || !check.calls.empty() ||
                         !check.calls_not.empty() || check.leaks || check.warnings || check.constructs.any();
    if (demands && check.name == compiles)
        table.problem({}, "the check \"compiles\" asks only that", "give what else it demands to a check of its own");
    if (!demands && check.name != compiles)
        table.problem({}, fmt::format("the check \"{}\" checks nothing", check.name),
                      "give it a `cell`, `findings`, a `metric`, `calls`, `calls_not` or `leaks`");
    return check;
}

std::optional<Pattern> read_pattern(TomlTable& table, std::string_view key) {
    const auto text = table.text(key);
    if (!text) return std::nullopt;
    auto pattern = Pattern::read(*text);
    if (pattern) return std::move(*pattern);
    table.problem(key, fmt::format("can't read the regular expression `{}`: {}", key, pattern.error().message),
                  "it is one of Perl's, as in PCRE2; in '...' backslashes stand for themselves");
    return std::nullopt;
}

Rubric read_rubric(TomlTable& table) {
    Rubric part;
    part.name = table.required_text("name");
    part.about = table.text("about").value_or("");
    part.points = table.number("points").value_or(0);
    if (part.points <= 0 || part.points > most_points) table.problem("points", "`points` must be above 0");
    table.finish();
    return part;
}

Reply read_reply(TomlTable& table) {
    Reply reply;
    reply.line = table.line();
    reply.finding = std::string(code_today(table.text("finding").value_or("")));
    reply.error = table.text("error").value_or("");
    reply.failed = table.text("failed").value_or("");
    reply.output = read_pattern(table, "output");
    reply.source = read_pattern(table, "source");
    reply.say = table.required_text("say");
    table.finish();
    if (!table.has("finding") && !table.has("error") && !table.has("failed") && !table.has("output") &&
        !table.has("source"))
        table.problem({}, "the reply does not say when it is given",
                      "give it `finding`, `error`, `output`, `source` or `failed`");
    return reply;
}

/// Names that checks and replies use must be those of checks, for `needs` of earlier ones.
void check_names(const Checks& checks, const TomlOrigin& origin) {
    std::set<std::string_view> before = {compiles};
    std::vector<std::string_view> all = {compiles};
    for (const Check& check : checks.checks) {
        for (const std::string& need : check.needs)
            if (!before.contains(need))
                origin.problem(
                    check.line, fmt::format("no check before this one is called \"{}\"", need),
                    hint_among(need, {before.begin(), before.end()}, "`needs` names checks that stand above"));
        if (!before.insert(check.name).second && (check.name != compiles || std::ranges::count(all, compiles) > 1))
            origin.problem(check.line, fmt::format("two checks are called \"{}\"", check.name));
        all.push_back(check.name);
    }
    for (const Rubric& part : checks.rubric)
        if (!before.insert(part.name).second)
            origin.problem(1, fmt::format("the [[rubric]] \"{}\" has the name of something else", part.name));
    for (const Reply& reply : checks.replies)
        if (!reply.failed.empty() && !before.contains(reply.failed))
            origin.problem(reply.line, fmt::format("no check is called \"{}\"", reply.failed),
                           hint_among(reply.failed, all));
}

/// The first reply that fits is given: one that asks for no more than a later one leaves nothing to it.
void check_order_of_replies(const Checks& checks, const TomlOrigin& origin) {
    const auto leaves_nothing = [](const Reply& first, const Reply& later) {
        const auto covers = [](const std::string& wanted, const std::string& other) {
            return wanted.empty() || wanted == other;
        };
        return !first.output && !first.source && covers(first.finding, later.finding) &&
               covers(first.error, later.error) && covers(first.failed, later.failed);
    };
    for (auto later = checks.replies.begin(); later != checks.replies.end(); ++later) {
        const auto first = std::find_if(checks.replies.begin(), later,
                                        [&](const Reply& reply) { return leaves_nothing(reply, *later); });
        if (first != later)
            origin.problem(
                later->line,
                fmt::format("this reply is never given: the one at line {} fits whenever this one does", first->line),
                "put the special replies before the general ones");
    }
}

/// Students see some random inputs. From a short seed, or from a guessed one, they would have the hidden ones, too.
void read_seed(TomlTable& root, Checks& checks) {
    const bool is_random = std::ranges::any_of(checks.checks, [](const Check& check) {
        return std::ranges::any_of(check.inputs, [](const Input& input) { return input.random.has_value(); });
    });
    const auto digits = root.typed("seed");
    const auto key = digits ? key_of(*digits) : std::nullopt;
    if (key)
        checks.seed = *key;
    else if (digits || is_random)
        root.problem("seed", "random inputs need a `seed` of 32 hexadecimal digits that nobody can guess",
                     fmt::format("here is one: seed = \"{}\"", text_of(random_key())));
}

void read_head(TomlTable& root, Checks& checks) {
    checks.title = root.required_text("title");
    const std::string kind = root.required_text("kind");
    if (kind == "device")
        checks.kind = SubmissionKind::device;
    else if (kind == "program")
        checks.kind = SubmissionKind::program;
    else if (!kind.empty())
        root.problem("kind", fmt::format("there is no kind {}", kind), "device: kernels alone; program: with main");
    checks.kernels = root.text("kernels").value_or("");
    checks.trusted = root.flag("trusted").value_or(false);
    checks.own_inputs = root.flag("own_inputs").value_or(false);
    if (const std::string files = root.text("files").value_or("one"); files == "several")
        checks.several_files = true;
    else if (files != "one")
        root.problem("files", fmt::format("`files` is one or several, not {}", files));
    read_seed(root, checks);
    checks.all_time = root.number("all_time").value_or(0);
    if (checks.all_time < 0 || checks.all_time > longest_all_time)
        root.problem("all_time", fmt::format("`all_time` is in seconds, at most {}", longest_all_time));
    const double megabytes = root.number("memory").value_or(400);
    if (megabytes < 256 || megabytes > 65536) root.problem("memory", "`memory` is in MB, from 256 to 65536");
    checks.memory_bytes = static_cast<std::uint64_t>(std::clamp(megabytes, 256.0, 65536.0)) << 20;
}

/// A whole program runs in the process that would have to tell on it.
bool asks_the_process(const Check& check) {
    return check.findings || !check.metric.empty() || !check.calls.empty() || !check.calls_not.empty() || check.leaks ||
           check.warnings || check.constructs.are_executed();
}

/// Device code keeps what it has seen, in memory of the device: a check that shows what came must not run behind a
/// hidden one in the same worker.
void check_order(const Checks& checks, const TomlOrigin& origin) {
    const Check* hidden = nullptr;
    for (const Check& check : checks.checks) {
        if (!check.cell) continue;
        if (check.visibility != Visibility::visible)
            hidden = &check;
        else if (hidden && !check.fresh)
            origin.problem(
                check.line,
                fmt::format("the visible check \"{}\" runs its cell after the hidden check \"{}\": device code "
                            "could keep hidden numbers and show them here",
                            check.name, hidden->name),
                "move it above the hidden one, or give it `fresh = true`");
    }
}

void check_kind(const Checks& checks, const TomlOrigin& origin) {
    if (checks.kind == SubmissionKind::device && checks.kernels.empty())
        origin.problem(1, "an assignment of device code declares its `kernels`",
                       "kernels = '__global__ void reverse(int* data, int n) {}'");
    for (const Check& check : checks.checks) {
        if (checks.kind == SubmissionKind::program && check.cell)
            origin.problem(check.line, "whole programs are run, and know no cells", "give the check a `run`");
        const bool of_main =
            check.findings || !check.metric.empty() || !check.calls.empty() || !check.calls_not.empty() || check.leaks;
        if (checks.kind == SubmissionKind::program && !check.run && !check.cell && of_main)
            origin.problem(check.line, fmt::format("the check \"{}\" runs nothing: main has not run", check.name),
                           "give the check a `run`");
        if (checks.kind == SubmissionKind::device && check.run)
            origin.problem(check.line, "device code has no main to run", "give the check a `cell`");
        if (checks.kind == SubmissionKind::program && !checks.trusted && check.points > 0 && asks_the_process(check))
            origin.problem(
                check.line,
                fmt::format("points for \"{}\" can be forged: a whole program's own process tells it", check.name),
                "make it a device assignment, give it 0 points, or set `trusted = true` for a class that you trust");
    }
}

Checks parse(std::string path, std::string_view text, std::vector<Diagnostic>& problems, bool assignment) {
    Checks checks;
    checks.path = path;
    const TomlOrigin origin{std::move(path), 1, &problems, assignment ? "bad-assignment" : "bad-lesson"};
    const auto parsed = parse_toml(text, origin);
    if (!parsed) return checks;
    TomlTable root(*parsed, origin);
    checks.setup = root.text("setup").value_or("");
    checks.harness = root.text("harness").value_or("");
    checks.device = root.text("device").value_or(checks.device);
    checks.checkers = root.text("checkers").value_or(checks.checkers);
    checks.timeout = root.number("timeout").value_or(checks.timeout);
    for (TomlTable& table : root.tables("check")) checks.checks.push_back(read_check(table, assignment));
    for (TomlTable& table : root.tables("reply")) checks.replies.push_back(read_reply(table));
    if (assignment) {
        for (TomlTable& table : root.tables("rubric")) checks.rubric.push_back(read_rubric(table));
        read_head(root, checks);
    }
    root.finish();

    if (!(checks.timeout > 0 && checks.timeout <= longest_timeout))
        root.problem("timeout", fmt::format("`timeout` is in seconds, above 0 and at most {}", longest_timeout));
    if (const auto selection = virtual_gpu::parse_selection(checks.checkers); !selection)
        root.problem("checkers", selection.error().message, selection.error().hint);
    if (!root.has("check")) root.problem({}, "there is no [[check]]");
    check_names(checks, origin);
    check_order_of_replies(checks, origin);
    if (assignment) check_kind(checks, origin);
    if (assignment) check_order(checks, origin);
    return checks;
}

}  // namespace

double all_time(const Checks& checks) {
    if (checks.all_time > 0) return checks.all_time;
    unsigned cells = 2;  // the submission's own, and one more
    for (const Check& check : checks.checks) cells += check.runs;
    return checks.timeout * cells;
}

Checks parse_checks(std::string path, std::string_view text, std::vector<Diagnostic>& problems) {
    return parse(std::move(path), text, problems, false);
}

Checks parse_assignment(std::string path, std::string_view text, std::vector<Diagnostic>& problems) {
    return parse(std::move(path), text, problems, true);
}

}  // namespace cudash::grade
