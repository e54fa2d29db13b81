// Instructions on the virtual GPU and on a real one. Modes, see usage below; tests/hardware/run uses those for CI.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>
#include <span>

#include "tests/hardware/coverage.h"
#include "tests/hardware/kernel_text.h"
#include "tests/hardware/oracle_device.h"
#include "tests/hardware/recording.h"

namespace cudash::oracle {
namespace {

constexpr std::string_view usage =
    "instruction_oracle --record FILE [--device gpu|virtual] [CASE...]   runs cases and writes what came out\n"
    "instruction_oracle --compare FILE [CASE...]               the virtual GPU against a recording\n"
    "instruction_oracle --unrecorded FILE                      cases that a recording lacks\n"
    "instruction_oracle --show CASE...                         inputs and results on the virtual GPU\n"
    "instruction_oracle --refusals                             that each case is executed or refused as it says\n"
    "instruction_oracle --coverage                             types and modifiers of the table without a case\n"
    "instruction_oracle --page FILE [--recording FILE]         the coverage page to standard output, or checks FILE\n"
    "instruction_oracle --ptx                                  the cases' PTX, each as a module, for ptxas\n"
    "CASE is a name or its beginning with a *.\n";

std::vector<std::size_t> every_case() {
    std::vector<std::size_t> indices(all_cases().size());
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
}

bool matches(const std::string& name, const std::string& pattern) {
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}
std::vector<std::size_t> cases_named(std::span<const std::string> patterns) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < all_cases().size(); ++i)
        for (const std::string& pattern : patterns)
            if (matches(all_cases()[i].name, pattern)) {
                chosen.push_back(i);
                break;
            }
    return chosen;
}

/// By index of the case; those not asked for stay refused.
Outcomes run_virtually(std::span<const std::size_t> cases) {
    Outcomes outcomes(all_cases().size());
    for (CaseOutcome& outcome : outcomes) outcome.state = CaseOutcome::State::refused;
    auto device = make_virtual_device();
    run_cases(*device, cases, false,
              [&](std::size_t index, CaseOutcome outcome) { outcomes[index] = std::move(outcome); });
    return outcomes;
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[32];
    gmtime_r(&now, &parts);
    std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
    return text;
}

int record(const std::string& path, bool on_gpu, std::span<const std::string> patterns) {
    std::vector<std::size_t> cases = patterns.empty() ? every_case() : cases_named(patterns);
    std::erase_if(cases, [](std::size_t index) { return !all_cases()[index].runs_on_hardware; });
    const Outcomes ours = run_virtually(cases);
    Outcomes theirs(all_cases().size());
    std::size_t done = 0;
    const DeviceMaker make = [on_gpu]() -> Result<std::unique_ptr<OracleDevice>> {
        if (on_gpu) return make_real_device();
        return make_virtual_device();
    };
    auto about = run_cases_apart(make, cases, [&](std::size_t index, CaseOutcome outcome) {
        theirs[index] = std::move(outcome);
        if (++done % 500 == 0) std::fputs(fmt::format("{} of {} cases\n", done, cases.size()).c_str(), stderr);
    });
    if (!about) {
        std::fputs(fmt::format("{}\n", about.error().message).c_str(), stderr);
        return 2;
    }
    std::ofstream file(path);
    file << *about << "date: " << today() << "\n\n";
    std::size_t counts[3] = {}, different = 0;
    for (std::size_t index : cases) {
        const InstructionCase& test = all_cases()[index];
        RecordedCase one = recorded(test, theirs[index]);
        one.known = differing_words(test, theirs[index], ours[index], 12);
        ++counts[static_cast<std::size_t>(one.state)];
        if (!test.must_be_refused) different += !differences(test, ours[index], one, 0).empty();
        file << line_of(test, one) << known_line(test, one);
    }
    file.close();
    std::fputs(fmt::format("{} cases ran, {} were refused, {} failed; the virtual GPU differs in {}\n", counts[0],
                           counts[1], counts[2], different)
                   .c_str(),
               stdout);
    return file ? 0 : 2;
}

int compare(const std::string& path, std::span<const std::string> patterns) {
    auto recording = read_recording(path);
    if (!recording) {
        std::fputs((recording.error().message + "\n").c_str(), stderr);
        return 2;
    }
    const std::vector<std::size_t> cases = patterns.empty() ? every_case() : cases_named(patterns);
    const Outcomes outcomes = run_virtually(cases);
    std::size_t good = 0, bad = 0, missing = 0;
    for (std::size_t index : cases) {
        const InstructionCase& test = all_cases()[index];
        // The cases that the virtual GPU refuses are checked as such.
        if (test.must_be_refused && outcomes[index].state == CaseOutcome::State::refused) continue;
        auto found = recording->cases.find(test.name);
        if (found == recording->cases.end()) {
            ++missing;
            continue;
        }
        const std::string report = differences(test, outcomes[index], found->second, patterns.empty() ? 4 : 256);
        ++(report.empty() ? good : bad);
        if (!report.empty()) std::fputs(fmt::format("{}: {}", test.name, report).c_str(), stdout);
    }
    std::set<std::string, std::less<>> names;
    for (const InstructionCase& test : all_cases()) names.insert(test.name);
    std::size_t stale = 0;
    for (const auto& [name, one] : recording->cases) stale += !names.contains(name);
    if (missing || stale)
        std::fputs(
            fmt::format("  {} cases are not recorded, {} recorded ones are no cases now\n", missing, stale).c_str(),
            stdout);
    std::fputs(fmt::format("{} passed, {} failed\n", good, bad).c_str(), stdout);
    return bad == 0 ? 0 : 1;
}

int list_unrecorded(const std::string& path) {
    auto recording = read_recording(path);
    if (!recording) {
        std::fputs((recording.error().message + "\n").c_str(), stderr);
        return 2;
    }
    std::size_t missing = 0;
    for (const InstructionCase& test : all_cases()) {
        if (!test.runs_on_hardware || recording->cases.contains(test.name)) continue;
        ++missing;
        std::fputs((test.name + "\n").c_str(), stdout);
    }
    std::fputs(missing == 0 ? "1 passed, 0 failed\n" : "0 passed, 1 failed\n", stdout);
    return missing == 0 ? 0 : 1;
}

int show(std::span<const std::string> patterns) {
    const std::vector<std::size_t> cases = cases_named(patterns);
    const Outcomes outcomes = run_virtually(cases);
    for (std::size_t index : cases) {
        const InstructionCase& test = all_cases()[index];
        std::fputs(fmt::format("{}\n{}\n", test.name, test.code).c_str(), stdout);
        RecordedCase nothing = recorded(test, outcomes[index]);
        // No hash has 25 bits: every chunk differs, and is shown.
        nothing.hashes.assign(1, 0x1000000);
        std::fputs(outcomes[index].state == CaseOutcome::State::ran
                       ? differences(test, outcomes[index], nothing, 4096).c_str()
                       : (outcomes[index].reason + "\n").c_str(),
                   stdout);
    }
    return cases.empty() ? 2 : 0;
}

int check_refusals() {
    const Outcomes outcomes = run_virtually(every_case());
    std::size_t good = 0, bad = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const InstructionCase& test = all_cases()[i];
        const bool refused = outcomes[i].state == CaseOutcome::State::refused;
        // A refusal says the instruction's name.
        const std::string head = test.name.substr(0, test.name.find_first_of(" "));
        const bool right =
            refused == test.must_be_refused && (!refused || outcomes[i].reason.find(head) != std::string::npos);
        ++(right ? good : bad);
        if (!right)
            std::fputs(fmt::format("{} (line {}): {}\n", test.name, test.line,
                                   refused ? outcomes[i].reason : "it was not refused")
                           .c_str(),
                       stdout);
    }
    std::fputs(fmt::format("{} passed, {} failed\n", good, bad).c_str(), stdout);
    return bad == 0 ? 0 : 1;
}

int check_coverage() {
    const std::vector<std::string> holes = uncovered(run_virtually(every_case()));
    for (const std::string& hole : holes) std::fputs((hole + "\n").c_str(), stdout);
    std::fputs(holes.empty() ? "1 passed, 0 failed\n" : "0 passed, 1 failed\n", stdout);
    return holes.empty() ? 0 : 1;
}

int page(const std::string& check, const std::string& recording_path) {
    const Outcomes outcomes = run_virtually(every_case());
    std::set<std::string> verified;
    Recording recording;
    if (!recording_path.empty()) {
        auto read = read_recording(recording_path);
        if (!read) {
            std::fputs((read.error().message + "\n").c_str(), stderr);
            return 2;
        }
        recording = std::move(*read);
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const InstructionCase& test = all_cases()[i];
            auto found = recording.cases.find(test.name);
            if (found != recording.cases.end() && outcomes[i].state != CaseOutcome::State::refused &&
                differences(test, outcomes[i], found->second, 0).empty())
                verified.insert(test.name);
        }
    }
    const std::string text = coverage_page(outcomes, recording_path.empty() ? nullptr : &recording, verified);
    if (check == "-") {
        std::fputs(text.c_str(), stdout);
        return 0;
    }
    std::ifstream file(check);
    const bool same = std::string(std::istreambuf_iterator<char>(file), {}) == text;
    std::fputs(same ? "1 passed, 0 failed\n"
                    : (check + " is out of date: tests/hardware/run --write BUILD_DIR\n0 passed, 1 failed\n").c_str(),
               stdout);
    return same ? 0 : 1;
}

int print_ptx() {
    const std::vector<std::size_t> cases = every_case();
    std::vector<std::size_t> wanted;
    for (std::size_t index : cases)
        if (all_cases()[index].runs_on_hardware) wanted.push_back(index);
    std::fputs(module_text(wanted).c_str(), stdout);
    return 0;
}

int run(std::span<const std::string> arguments) {
    auto value_of = [&](std::string_view option) {
        for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
            if (arguments[i] == option) return arguments[i + 1];
        return std::string();
    };
    const std::string mode = arguments.empty() ? std::string() : arguments[0];
    if (mode == "--record" && arguments.size() >= 2) {
        const std::string device = value_of("--device");
        return record(arguments[1], device != "virtual", arguments.subspan(device.empty() ? 2 : 4));
    }
    if (mode == "--compare" && arguments.size() >= 2) return compare(arguments[1], arguments.subspan(2));
    if (mode == "--unrecorded" && arguments.size() >= 2) return list_unrecorded(arguments[1]);
    if (mode == "--show" && arguments.size() >= 2) return show(arguments.subspan(1));
    if (mode == "--refusals") return check_refusals();
    if (mode == "--coverage") return check_coverage();
    if (mode == "--page" && arguments.size() >= 2) return page(arguments[1], value_of("--recording"));
    if (mode == "--ptx") return print_ptx();
    std::fputs(std::string(usage).c_str(), stderr);
    return 2;
}

}  // namespace
}  // namespace cudash::oracle

int main(int count, char** arguments) {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    return cudash::oracle::run(words);
}
