// Differential fuzzing: random kernels on one device against another. The head of `usage` says how.
#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>

#include "tests/fuzz/differential/assembler.h"
#include "tests/fuzz/differential/device.h"
#include "tests/fuzz/differential/modules.h"
#include "tests/fuzz/differential/outcome.h"
#include "tests/fuzz/differential/record.h"
#include "tests/fuzz/differential/shrink.h"

using namespace cudash;
using namespace cudash::fuzz;

namespace {

constexpr std::string_view usage =
    R"(kernel_fuzz --record FILE [--device gpu|virtual] [--count N] [--seed S]
    runs N random kernels (1000) from seed S (1) and writes one line for each: seed, hash of its module's PTX, hash of
    its results; or a comment that says why there are none. --record-part and --from N: what it starts itself with
kernel_fuzz --compare FILE [--device gpu|virtual] [--every N] [--open FILE]
    runs the kernels of a record again, or those of every Nth module, and holds the results against it; the seeds in
    the other file are known to differ, and must
kernel_fuzz --check [--device gpu|virtual] [--count N] [--seed S]
    gpu: the virtual GPU against the real one. virtual: what NVRTC makes with optimisation against what it makes without,
    one host thread against several. A kernel that differs is made smaller and printed with the first difference
kernel_fuzz --show SEED
    prints a kernel
kernel_fuzz --assemble SEED [--count N] [--plain]
    writes a CUBIN of N kernels to standard output, for the other modes; plain: the assembler does not optimise
The last line counts.
)";

struct Options {
    enum class Mode { none, record, record_part, compare, check, show, assemble } mode = Mode::none;
    std::string file, open_file, device = "virtual";
    std::uint64_t count = 1000, seed = 1, every = 1, from = 0;
    Assembly assembly = Assembly::optimised;
};

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    const auto number = [](std::string_view text, std::uint64_t& value) {
        return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
    };
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--check" || name == "--record-part") {
            options.mode = name == "--check" ? Options::Mode::check : Options::Mode::record_part;
            continue;
        }
        if (name == "--plain") {
            options.assembly = Assembly::plain;
            continue;
        }
        if (i + 1 == argc) return std::nullopt;
        const std::string_view value = argv[++i];
        if (name == "--record" || name == "--compare") {
            options.mode = name == "--record" ? Options::Mode::record : Options::Mode::compare;
            options.file = value;
        } else if (name == "--show" || name == "--assemble") {
            options.mode = name == "--show" ? Options::Mode::show : Options::Mode::assemble;
            if (!number(value, options.seed)) return std::nullopt;
        } else if (name == "--open") {
            options.open_file = value;
        } else if (name == "--device" && (value == "gpu" || value == "virtual")) {
            options.device = value;
        } else if (!(name == "--count" && number(value, options.count)) &&
                   !(name == "--seed" && number(value, options.seed)) &&
                   !(name == "--from" && number(value, options.from)) &&
                   !(name == "--every" && number(value, options.every) && options.every > 0)) {
            return std::nullopt;
        }
    }
    if (options.mode == Options::Mode::none) return std::nullopt;
    return options;
}

Result<std::unique_ptr<Device>> open(const std::string& name) {
    return name == "gpu" ? open_real_device() : open_virtual_device(0);
}

std::vector<std::uint64_t> seeds_of_batches(const Options& options) {
    std::vector<std::uint64_t> first;
    for (std::uint64_t i = 0; i < options.count; i += kernels_per_batch) first.push_back(options.seed + i);
    return first;
}

Target target_for(const Device& device) {
    return device.takes_cubin() ? Target::cubin : Target::ptx;
}

/// Compiles, runs and hands each kernel's results, or why there are none, to `take`.
template <class Take>
void run_all(Device& device, std::vector<std::uint64_t> first_seeds, Take take) {
    Batches batches(std::move(first_seeds), target_for(device));
    while (!batches.done()) {
        const Batch batch = batches.next();
        const std::string ptx_hash = batch.ptx ? hash_of_ptx((*batch.ptx)->code) : std::string();
        for (const Piece& piece : batch.pieces) {
            Result<std::unique_ptr<Loaded>> module = error("fuzz", "not loaded");
            if (batch.ptx && piece.code) {
                module = device.load(*piece.code);
            } else {
                module = batch.ptx ? piece.code.error() : batch.ptx.error();
            }
            for (const Kernel& kernel : std::span(batch.kernels).subspan(piece.first, piece.count))
                take(kernel, ptx_hash, module ? (*module)->run(kernel) : Result<Words>(module.error()));
        }
    }
}

int compare(const Options& options, Device& device) {
    struct Recorded {
        std::string ptx, results;
    };
    std::map<std::uint64_t, Recorded> recorded;
    std::ifstream file(options.file);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::uint64_t seed;
        Recorded entry;
        if (words >> seed >> entry.ptx >> entry.results) recorded.emplace(seed, entry);
    }
    if (recorded.empty()) {
        fmt::print(stderr, "{} holds no record\n", options.file);
        return 2;
    }
    std::set<std::uint64_t> open;
    std::ifstream open_file(options.open_file);
    for (std::string line; std::getline(open_file, line);) {
        std::uint64_t seed;
        if (std::istringstream(line) >> seed) open.insert(seed);
    }
    std::vector<std::uint64_t> first;
    for (std::uint64_t seed = recorded.begin()->first, i = 0; seed <= recorded.rbegin()->first;
         seed += kernels_per_batch, ++i)
        if (i % options.every == 0) first.push_back(seed);
    std::uint64_t passed = 0, different = 0, other_ptx = 0;
    run_all(device, first, [&](const Kernel& kernel, const std::string& ptx, const auto& results) {
        const auto expected = recorded.find(kernel.seed);
        if (expected == recorded.end()) return;
        other_ptx += ptx != expected->second.ptx;
        const bool same = results && hash_of(*results) == expected->second.results;
        if (same != open.contains(kernel.seed)) {
            ++passed;
            return;
        }
        ++different;
        fmt::print(stderr, "seed {}: {}\n", kernel.seed,
                   same      ? "the recorded results, though it is listed as open"
                   : results ? "other results than recorded; kernel_fuzz --show prints the kernel"
                             : describe(results.error()));
    });
    if (other_ptx > 0) fmt::print("{} kernels have other PTX than when they were recorded\n", other_ptx);
    fmt::print("{} passed, {} failed\n", passed, different);
    return different == 0 ? 0 : 1;
}

/// Two ways to run the same kernel.
struct Side {
    Device& device;
    Optimisation optimisation;
    std::string name;

    Result<Words> run(const Kernel& kernel) const {
        const auto ptx = compile({kernel}, optimisation);
        if (!ptx) return ptx.error();
        auto module = device.load((*ptx)->code);
        if (!module) return module.error();
        return (*module)->run(kernel);
    }
};

bool differ(const Result<Words>& left, const Result<Words>& right) {
    return !left || !right || *left != *right;
}

void explain(const Kernel& kernel, const Side& left, const Side& right) {
    const Kernel small = shrink(kernel, [&](const Kernel& candidate) {
        const auto a = left.run(candidate), b = right.run(candidate);
        // A cut that makes both fail is no smaller case of a difference.
        return (a || b) && differ(a, b);
    });
    fmt::print(stderr, "seed {}, grid ({}, {}, {}), block ({}, {}, {}):\n{}", small.seed, small.grid.x, small.grid.y,
               small.grid.z, small.block.x, small.block.y, small.block.z, render(small));
    const auto a = left.run(small), b = right.run(small);
    for (const auto& [side, result] : {std::pair(&left, &a), std::pair(&right, &b)})
        if (!*result) fmt::print(stderr, "{}: {}\n", side->name, describe(result->error()));
    if (!a || !b) return;
    for (std::size_t i = 0; i < a->size(); ++i) {
        if ((*a)[i] == (*b)[i]) continue;
        const std::size_t results = small.threads() * results_per_thread;
        const std::string where =
            i < results ? fmt::format("word {} of thread {}", i % results_per_thread, i / results_per_thread)
                        : fmt::format("word {} of the totals", i - results);
        fmt::print(stderr, "{}: {} {:#018x}, {} {:#018x}\n", where, left.name, (*a)[i], right.name, (*b)[i]);
        return;
    }
}

int check(const Options& options, Device& device) {
    auto other = open_virtual_device(options.device == "gpu" ? 0 : 1);
    if (!other) {
        fmt::print(stderr, "{}\n", describe(other.error()));
        return 2;
    }
    const bool real = options.device == "gpu";
    const Side left{device, Optimisation::full, real ? "gpu" : "optimised"};
    const Side right{**other, real ? Optimisation::full : Optimisation::none, real ? "virtual" : "not optimised"};
    std::uint64_t passed = 0, different = 0;
    Batches batches(seeds_of_batches(options), target_for(device));
    while (!batches.done()) {
        const Batch batch = batches.next();
        const auto other_ptx = compile(batch.kernels, right.optimisation);
        if (!other_ptx) {
            fmt::print(stderr, "seeds from {}: {}\n", batch.kernels.front().seed, describe(other_ptx.error()));
            return 1;
        }
        const auto right_module = (*other)->load((*other_ptx)->code);
        for (const Piece& piece : batch.pieces) {
            Result<std::unique_ptr<Loaded>> left_module = error("fuzz", "not loaded");
            if (piece.code) left_module = device.load(*piece.code);
            const Diagnostic* failed = !piece.code     ? &piece.code.error()
                                       : !left_module  ? &left_module.error()
                                       : !right_module ? &right_module.error()
                                                       : nullptr;
            if (failed) {
                fmt::print(stderr, "seeds from {}: {}\n", batch.kernels[piece.first].seed, describe(*failed));
                different += piece.count;
                continue;
            }
            for (const Kernel& kernel : std::span(batch.kernels).subspan(piece.first, piece.count)) {
                if (!differ((*left_module)->run(kernel), (*right_module)->run(kernel))) {
                    ++passed;
                } else {
                    if (different++ < 3) explain(kernel, left, right);
                    fmt::print(stderr, "seed {} differs\n", kernel.seed);
                }
            }
        }
    }
    fmt::print("{} passed, {} failed\n", passed, different);
    return different == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::optional<Options> options = parse(argc, argv);
    if (!options) {
        std::cerr << usage;
        return 2;
    }
    if (options->mode == Options::Mode::show) {
        const Kernel kernel = generate(options->seed);
        std::cout << prelude() << render(kernel);
        fmt::print("// grid ({}, {}, {}), block ({}, {}, {})\n", kernel.grid.x, kernel.grid.y, kernel.grid.z,
                   kernel.block.x, kernel.block.y, kernel.block.z);
        return 0;
    }
    if (options->mode == Options::Mode::assemble) return assemble(options->seed, options->count, options->assembly);
    auto device = open(options->device);
    if (!device) {
        fmt::print(stderr, "{}\n", describe(device.error()));
        return 2;
    }
    switch (options->mode) {
        case Options::Mode::record:
            return record(options->file, options->device, **device, {options->seed, options->count});
        case Options::Mode::record_part:
            return record_part(**device, {options->seed, options->count, options->from});
        case Options::Mode::compare:
            return compare(*options, **device);
        default:
            return check(*options, **device);
    }
}
