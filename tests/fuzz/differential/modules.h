// Compiles random kernels in batches, ahead of their use, on all cores.
#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime_wrappers/nvrtc/compiler.h"
#include "tests/fuzz/differential/kernel.h"

namespace cudash::fuzz {

/// Whether NVRTC optimises: what it makes of a kernel differs much, what the kernel computes may not.
enum class Optimisation { full, none };

/// What a module is compiled to: PTX for compute_90, or what NVRTC's assembler makes of the same PTX for GPUs of that
/// capability, with its optimisations or without.
enum class Target { ptx, cubin, plain_cubin };

/// These kernels as one module.
Result<std::shared_ptr<const nvrtc::Artifact>> compile(const std::vector<Kernel>& kernels,
                                                       Optimisation optimisation = Optimisation::full,
                                                       Target target = Target::ptx);

/// Tells one PTX from another; comments, which name builds of the compiler, don't count.
std::string hash_of_ptx(std::string_view ptx);

/// Some neighbours of a batch, and the module to load for them: PTX, or a CUBIN.
struct Piece {
    std::size_t first = 0, count = 0;
    Result<std::string> code;
    std::optional<Result<std::string>> plain;  ///< the CUBIN that was not optimised, if asked for
};

struct Batch {
    std::vector<Kernel> kernels;
    Result<std::shared_ptr<const nvrtc::Artifact>> ptx;
    /// One, or one for each kernel where they could not be assembled together.
    std::vector<Piece> pieces;
};

constexpr std::uint64_t kernels_per_batch = 10;

/// Hands out batches in the order of `first_seeds`, compiled on other threads.
class Batches {
public:
    /// `twice`: CUBINs also without the assembler's optimisations.
    Batches(std::vector<std::uint64_t> first_seeds, Target target, bool twice = false);
    bool done() const { return pending_.empty(); }
    Batch next();

private:
    void start();
    Target target_;
    bool twice_;
    std::deque<std::uint64_t> waiting_;
    std::deque<std::future<Batch>> pending_;
};

}  // namespace cudash::fuzz
