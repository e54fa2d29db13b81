#include "tests/fuzz/differential/modules.h"

#include <algorithm>
#include <thread>

#include "tests/fuzz/differential/assembler.h"
#include "tests/fuzz/differential/record_hash.h"

namespace cudash::fuzz {

Result<std::shared_ptr<const nvrtc::Artifact>> compile(const std::vector<Kernel>& kernels, Optimisation optimisation,
                                                       Target target) {
    nvrtc::Request request;
    request.name = "kernels.cu";
    request.real = target != Target::ptx;
    request.source = prelude();
    for (const Kernel& kernel : kernels) request.source += render(kernel);
    // Without fused operations of the compiler's choice: PTX leaves it open whether mul and add without a rounding
    // modifier are fused further.
    request.options = {"-fmad=false", "-w"};
    if (optimisation == Optimisation::none) request.options.push_back("-G");
    if (target == Target::plain_cubin) request.options.push_back("--ptxas-options=-O0");
    return nvrtc::compile(request);
}

std::string hash_of_ptx(std::string_view ptx) {
    RecordHash hash;
    while (!ptx.empty()) {
        const std::size_t end = std::min(ptx.find('\n'), ptx.size() - 1);
        const std::string_view line = ptx.substr(0, end + 1);
        if (!line.starts_with("//")) hash.add(line);
        ptx.remove_prefix(end + 1);
    }
    return hash.text().substr(0, 16);
}

Batches::Batches(std::vector<std::uint64_t> first_seeds, Target target, bool twice)
    : target_(target), twice_(twice), waiting_(first_seeds.begin(), first_seeds.end()) {
    const unsigned ahead = std::max(1u, std::thread::hardware_concurrency()) + 1;
    for (unsigned i = 0; i < ahead; ++i) start();
}

namespace {

Piece assembled(std::uint64_t first_seed, std::size_t first, std::size_t count, bool twice) {
    Piece piece{first, count, assemble_apart(first_seed + first, count, Assembly::optimised), std::nullopt};
    if (twice && piece.code) piece.plain = assemble_apart(first_seed + first, count, Assembly::plain);
    return piece;
}

std::vector<Piece> assembled(std::uint64_t first_seed, bool twice) {
    std::vector<Piece> pieces;
    pieces.push_back(assembled(first_seed, 0, kernels_per_batch, twice));
    if (pieces.front().code && (!pieces.front().plain || *pieces.front().plain)) return pieces;
    pieces.clear();
    for (std::size_t i = 0; i < kernels_per_batch; ++i) pieces.push_back(assembled(first_seed, i, 1, twice));
    return pieces;
}

}  // namespace

void Batches::start() {
    if (waiting_.empty()) return;
    const std::uint64_t first = waiting_.front();
    waiting_.pop_front();
    pending_.push_back(std::async(std::launch::async, [first, target = target_, twice = twice_] {
        std::vector<Kernel> kernels;
        for (std::uint64_t i = 0; i < kernels_per_batch; ++i) kernels.push_back(generate(first + i));
        auto ptx = compile(kernels);
        std::vector<Piece> pieces;
        if (target == Target::cubin) {
            pieces = assembled(first, twice);
        } else {
            pieces.push_back({0, kernels.size(), ptx ? Result<std::string>((*ptx)->code) : ptx.error(), std::nullopt});
        }
        return Batch{std::move(kernels), std::move(ptx), std::move(pieces)};
    }));
}

Batch Batches::next() {
    Batch batch = pending_.front().get();
    pending_.pop_front();
    start();
    return batch;
}

}  // namespace cudash::fuzz
