// Runs kernels of a PTX text on the virtual GPU, for tests.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/tiers.h"
#include "runtime_wrappers/virtual_gpu/jit/generator.h"

namespace cudash::virtual_gpu::testing {

inline std::string read_text(const std::string& path) {
    std::ifstream file(std::string(CUDASH_SOURCE_DIR) + "/" + path);
    REQUIRE_MESSAGE(file.good(), path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class Gpu {
public:
    explicit Gpu(std::string_view ptx) : memory(AddressSpace::create(std::uint64_t{1} << 30)) {
        REQUIRE(memory);
        auto loaded = load_module(ptx, *memory, profile);
        if (!loaded) FAIL(loaded.error().message);
        module = *loaded;
        executor = Executor::create(*memory, create_code_generator, tier_policy());  // CUDASH_KERNELS
        limits.timeout = std::chrono::seconds(30);
    }

    /// Zero-filled device memory of `count` elements.
    template <class T>
    std::pair<Address, std::span<T>> array(std::size_t count, std::string origin = "a test") {
        auto made = memory->allocate(count * sizeof(T), 512, MemoryKind::device, std::move(origin));
        REQUIRE(made);
        return {made->begin, {reinterpret_cast<T*>(memory->pointer(made->begin, made->size)), count}};
    }

    template <class... Arguments>
    LaunchOutcome launch(std::string_view kernel, Dim3 grid, Dim3 block, std::uint32_t shared, bool cooperative,
                         Arguments... arguments) {
        std::vector<std::byte> parameters;
        [[maybe_unused]] auto add = [&](auto value) {
            parameters.resize((parameters.size() + sizeof value - 1) / sizeof value * sizeof value);
            parameters.resize(parameters.size() + sizeof value);
            std::memcpy(&parameters[parameters.size() - sizeof value], &value, sizeof value);
        };
        (add(arguments), ...);
        printed.clear();
        DeviceOutput output;
        output.print = output.print_error = [&](std::string_view text) { printed += text; };
        return executor->run({module, kernel, grid, block, shared, parameters, cooperative}, profile, limits, output);
    }
    /// One that must succeed.
    template <class... Arguments>
    void run(std::string_view kernel, unsigned grid, unsigned block, Arguments... arguments) {
        LaunchOutcome outcome = launch(kernel, {grid, 1, 1}, {block, 1, 1}, 0, false, arguments...);
        INFO(kernel, ": ", outcome.diagnostics.empty() ? std::string() : outcome.diagnostics.front().message);
        REQUIRE(outcome.status == LaunchStatus::ok);
    }

    Profile profile = unnamed_profile();
    std::unique_ptr<AddressSpace> memory;
    std::shared_ptr<LoadedModule> module;
    std::unique_ptr<Executor> executor;
    ExecutorLimits limits;
    std::string printed;
};

}  // namespace cudash::virtual_gpu::testing
