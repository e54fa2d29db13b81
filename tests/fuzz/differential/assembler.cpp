#include "tests/fuzz/differential/assembler.h"

#include <fmt/format.h>

#include <cstdio>

#include "tests/fuzz/differential/modules.h"
#include "tests/fuzz/differential/own_process.h"

namespace cudash::fuzz {

Result<std::string> assemble_apart(std::uint64_t first_seed, std::uint64_t count, Assembly assembly) {
    std::vector<std::string> arguments{"--assemble", std::to_string(first_seed), "--count", std::to_string(count)};
    if (assembly == Assembly::plain) arguments.push_back("--plain");
    Result<Ended> ended = run_self(std::move(arguments));
    if (!ended) return ended.error();
    if (ended->signal != 0) return error("fuzz", fmt::format("the assembler crashed with signal {}", ended->signal));
    if (ended->exit_code != 0) return error("fuzz", ended->output);
    return std::move(ended->output);
}

int assemble(std::uint64_t first_seed, std::uint64_t count, Assembly assembly) {
    std::vector<Kernel> kernels;
    for (std::uint64_t i = 0; i < count; ++i) kernels.push_back(generate(first_seed + i));
    const auto made =
        compile(kernels, Optimisation::full, assembly == Assembly::plain ? Target::plain_cubin : Target::cubin);
    const std::string& text = made ? (*made)->code : made.error().message;
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && made ? 0 : 1;
}

}  // namespace cudash::fuzz
