#include "tests/fuzz/differential/record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <span>
#include <sstream>

#include "runtime_wrappers/nvrtc/compiler.h"
#include "tests/fuzz/differential/modules.h"
#include "tests/fuzz/differential/outcome.h"
#include "tests/fuzz/differential/own_process.h"

namespace cudash::fuzz {
namespace {

std::string header(const Device& device) {
    const auto version = nvrtc::version();
    char date[11] = {};
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    return fmt::format("device: {}\ndriver: {}\nnvrtc: {}.{}\ndate: {}\nkernels: seed, PTX, results\n\n", device.name(),
                       device.driver(), version ? version->first : 0, version ? version->second : 0, date);
}

std::string without(const Kernel& kernel, const std::string& reason) {
    return fmt::format("# seed {}: {}", kernel.seed, reason.substr(0, reason.find('\n')));
}

/// How long one kernel may take; then a signal ends its process.
constexpr unsigned most_seconds = 20;

/// One module's kernels. False: the device can't be used any more.
bool record_piece(Device& device, const Batch& batch, const Piece& piece, std::uint64_t from) {
    Result<std::unique_ptr<Loaded>> module = error("fuzz", "not loaded"), plain = error("fuzz", "not loaded");
    if (piece.code) module = device.load(*piece.code);
    if (piece.plain && *piece.plain) plain = device.load(**piece.plain);
    for (const Kernel& kernel : std::span(batch.kernels).subspan(piece.first, piece.count)) {
        if (kernel.seed < from) continue;
        if (!module) {
            const Diagnostic& why = piece.code ? module.error() : piece.code.error();
            fmt::print("{}\n", without(kernel, describe(why)));
            continue;
        }
        std::fflush(stdout);  // what is known by now, if it does not come back
        alarm(most_seconds);
        const Result<Words> results = (*module)->run(kernel);
        const Result<Words> again = results && plain ? (*plain)->run(kernel) : results;
        alarm(0);
        if (!results || !again) {
            fmt::print("{}\n", without(kernel, describe(results ? again.error() : results.error())));
            return false;
        }
        if (*results != *again) {
            fmt::print("{}\n", without(kernel, "other results where the assembler does not optimise"));
        } else {
            fmt::print("{} {} {}\n", kernel.seed, hash_of_ptx((*batch.ptx)->code), hash_of(*results));
        }
    }
    return true;
}

/// The seed that a line of a record is about.
std::uint64_t seed_of(const std::string& line) {
    std::uint64_t seed = 0;
    std::istringstream(line.starts_with("# seed ") ? line.substr(7) : line) >> seed;
    return seed;
}

}  // namespace

int record_part(Device& device, const RecordRange& range) {
    std::vector<std::uint64_t> first;
    for (std::uint64_t i = 0; i < range.count; i += kernels_per_batch)
        if (range.first + i + kernels_per_batch > range.from) first.push_back(range.first + i);
    Batches batches(std::move(first), device.takes_cubin() ? Target::cubin : Target::ptx, device.takes_cubin());
    while (!batches.done()) {
        const Batch batch = batches.next();
        for (const Piece& piece : batch.pieces)
            if (!record_piece(device, batch, piece, range.from)) return 1;
    }
    return 0;
}

int record(const std::string& path, const std::string& device_name, const Device& device, const RecordRange& range) {
    std::ofstream file(path);
    file << header(device);
    std::uint64_t passed = 0, lost = 0;
    const auto take = [&](const std::string& line) {
        file << line << '\n' << std::flush;
        if (line.starts_with('#')) fmt::print(stderr, "{}\n", line);
        ++(line.starts_with('#') ? lost : passed);
    };
    for (std::uint64_t next = range.first; next < range.first + range.count;) {
        const auto part = run_self({"--record-part", "--device", device_name, "--seed", std::to_string(range.first),
                                    "--count", std::to_string(range.count), "--from", std::to_string(next)});
        if (!part) {
            fmt::print(stderr, "{}\n", describe(part.error()));
            return 2;
        }
        const std::uint64_t begun = next;
        std::istringstream lines(part->output);
        for (std::string line; std::getline(lines, line);) {
            take(line);
            next = seed_of(line) + 1;
        }
        if (part->signal == 0 && part->exit_code == 0) break;
        if (part->signal == 0 && next > begun) continue;
        take(fmt::format("# seed {}: {}", next,
                         part->signal == SIGALRM ? fmt::format("did not end within {} s", most_seconds)
                         : part->signal != 0     ? fmt::format("its process ended with signal {}", part->signal)
                                                 : fmt::format("its process ended with code {}", part->exit_code)));
        ++next;
    }
    if (!file.flush()) {
        fmt::print(stderr, "{} can't be written\n", path);
        return 2;
    }
    fmt::print("{} passed, {} failed\n", passed, lost);
    return lost == 0 ? 0 : 1;
}

}  // namespace cudash::fuzz
