// A random CUDA kernel as a tree of statements: what the generator makes, the device runs and the shrinker cuts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::fuzz {

/// A statement: text alone, or arms of `head { body }`, as if and else have.
struct Statement {
    struct Arm {
        std::string head;
        std::vector<Statement> body;
    };
    std::string text;
    std::vector<Arm> arms;
};

/// A kernel with its own device functions, and the configuration that it is launched with.
struct Kernel {
    std::uint64_t seed = 0;
    std::string functions;
    std::vector<Statement> body;
    Dim3 grid, block;

    std::string name() const { return "fuzz_" + std::to_string(seed); }
    std::size_t threads() const { return std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z; }
};

/// The same seed gives the same kernel everywhere. Its result depends on nothing that CUDA leaves open: no data races,
/// no undefined behaviour of C++, only operations whose result the PTX ISA defines to the bit, NaN payloads excepted,
/// which are made canonical before they can show.
Kernel generate(std::uint64_t seed);

/// The text of one kernel, and what must stand once before the kernels of a module.
std::string render(const Kernel& kernel);
std::string_view prelude();

/// What a kernel is launched with: fuzz_S(const unsigned* in, unsigned long long* out, void* totals, Parameters).
struct Parameters {
    std::uint8_t byte = 0;
    double number = 0;
    std::uint16_t halves[3] = {};
    std::uint32_t words[5] = {};
};

constexpr std::size_t input_words = 4096;
constexpr std::size_t results_per_thread = 4;  ///< 64-bit words
constexpr std::size_t total_words = 16;        ///< 64-bit words that atomics of all blocks work on

std::vector<std::uint32_t> inputs(const Kernel& kernel);
std::vector<std::uint64_t> first_totals();
Parameters parameters(const Kernel& kernel);

}  // namespace cudash::fuzz
