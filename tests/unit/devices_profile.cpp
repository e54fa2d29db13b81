// Device profiles, device selection and the occupancy rules.
#include <doctest/doctest.h>

#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/model/occupancy.h"

using namespace cudash;
using namespace cudash::virtual_gpu;

TEST_CASE("profiles are found by name and the first is the default") {
    CHECK(profiles().front().name == "h200");
    CHECK(find_profile("tesla-c1060")->max_threads_per_block == 512);
    CHECK(find_profile("h100x") == nullptr);
    for (const Profile& profile : profiles()) {
        CAPTURE(profile.name);
        CHECK(profile.max_threads_per_multiprocessor % 32 == 0);
        CHECK(profile.shared_per_block <= profile.shared_per_block_optin);
        CHECK(profile.shared_per_block_optin <= profile.shared_per_multiprocessor);
        CHECK(profile.nvrtc_arch >= 75);
        CHECK(profile.global_memory > 0);
    }
}

TEST_CASE("device selections") {
    CHECK(api::parse_device("auto")->backend == api::DeviceSelection::Backend::automatic);
    CHECK(api::parse_device("gpu")->index == 0);
    CHECK(api::parse_device("gpu:2")->index == 2);
    CHECK(api::parse_device("virtual")->profile.empty());
    CHECK(api::parse_device("virtual:a100")->profile == "a100");
    CHECK(api::parse_device("virtual:h200x2")->count == 2);
    CHECK(api::parse_device("virtual:h200x2")->profile == "h200");
    // A profile whose own name holds an x.
    CHECK(api::parse_device("virtual:rtx3090")->count == 1);
    CHECK(api::parse_device("virtual:rtx3090x4")->count == 4);
    CHECK(api::parse_device("virtual:gtx980")->profile == "gtx980");
}

TEST_CASE("a wrong device selection is answered with the nearest right one") {
    const auto message = [](std::string_view text) { return api::parse_device(text).error().message; };
    CHECK(message("virtual:h20") == "unknown profile 'h20'; did you mean 'h200'?");
    CHECK(message("virtul") == "unknown device 'virtul'; did you mean 'virtual'?");
    CHECK(api::parse_device("a100")->profile == "a100");
    CHECK(message("virtual:zebra") == "unknown profile 'zebra'");
    CHECK(message("gpu:x") == "expected the number of a GPU, got 'x'");
    CHECK(message("virtual:h200x0") == "expected a number of devices from 1 to 16, got '0'");
    CHECK(api::parse_device("nonsense").error().hint.find("virtual:textbook-d") != std::string::npos);
}

TEST_CASE("occupancy: values that cuda_occupancy.h gives for compute capability 9.0") {
    const Profile& p = *find_profile("h200");
    const auto blocks = [&](unsigned threads, unsigned registers, std::uint64_t dynamic) {
        return occupancy(p, {.threads = threads, .registers_per_thread = registers, .dynamic_shared = dynamic}).blocks;
    };
    CHECK(blocks(256, 33, 0) == 6);
    CHECK(blocks(256, 16, 227 * 1024) == 1);
    CHECK(blocks(257, 255, 0) == 0);
    CHECK(blocks(32, 4, 0) == 32);
    CHECK(blocks(1024, 10, 0) == 2);
    CHECK(blocks(256, 10, 49152) == 4);
    CHECK(blocks(1025, 10, 0) == 0);
    CHECK(blocks(0, 10, 0) == 0);
}

TEST_CASE("occupancy: the textbook exercise of device D") {
    const Profile& d = *find_profile("textbook-d");
    const auto of = [&](unsigned threads, unsigned registers, std::uint64_t shared) {
        return occupancy(d, {.threads = threads, .registers_per_thread = registers, .static_shared = shared});
    };
    // 10 registers a thread: 3 blocks of 512 threads; 11 registers: one block less.
    CHECK(of(512, 10, 0).blocks == 3);
    CHECK(of(512, 11, 0).blocks == 2);
    CHECK(of(512, 11, 0).limit == OccupancyLimit::registers);
    // 5 KB a block: 3 blocks; 2 KB for two 16 x 16 tiles: 6 blocks, limited by threads.
    CHECK(of(256, 8, 5 * 1024).blocks == 3);
    CHECK(of(256, 8, 5 * 1024).limit == OccupancyLimit::shared_memory);
    CHECK(of(256, 8, 2 * 1024).blocks == 6);
    CHECK(of(256, 8, 2 * 1024).limit == OccupancyLimit::threads);
}

TEST_CASE("occupancy: compute capability 1.x hands registers out by the block") {
    const Profile& p = *find_profile("tesla-c1060");
    // 256 threads of 16 registers: 8 warps, 4096 registers.
    CHECK(allocated_registers(p, 256, 16) == 4096);
    CHECK(occupancy(p, {.threads = 256, .registers_per_thread = 16}).blocks == 4);
    CHECK(occupancy(p, {.threads = 256, .registers_per_thread = 17}).blocks == 3);
    CHECK(occupancy(p, {.threads = 1024, .registers_per_thread = 4}).blocks == 0);
}
