// Occupancy against NVIDIA's own calculator, cuda_occupancy.h, which knows compute capability 3.0 and later.
#include <cuda_occupancy.h>
#include <doctest/doctest.h>

#include "runtime_wrappers/virtual_gpu/model/occupancy.h"

using namespace cudash::virtual_gpu;

TEST_CASE("occupancy: as cuda_occupancy.h has it, in every combination") {
    unsigned combinations = 0;
    for (const Profile& p : profiles()) {
        if (p.cc_major < 3) continue;
        CAPTURE(p.name);
        cudaOccDeviceProp properties;
        properties.computeMajor = static_cast<int>(p.cc_major);
        properties.computeMinor = static_cast<int>(p.cc_minor);
        properties.maxThreadsPerBlock = static_cast<int>(p.max_threads_per_block);
        properties.maxThreadsPerMultiprocessor = static_cast<int>(p.max_threads_per_multiprocessor);
        properties.regsPerBlock = static_cast<int>(p.registers_per_block);
        properties.regsPerMultiprocessor = static_cast<int>(p.registers_per_multiprocessor);
        properties.warpSize = 32;
        properties.sharedMemPerBlock = p.shared_per_block;
        properties.sharedMemPerMultiprocessor = p.shared_per_multiprocessor;
        properties.numSms = static_cast<int>(p.multiprocessors);
        properties.sharedMemPerBlockOptin = p.shared_per_block_optin;
        properties.reservedSharedMemPerBlock = p.shared_reserved_per_block;
        cudaOccDeviceState state;
        state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
        for (unsigned threads :
             {1u, 31u, 32u, 33u, 64u, 96u, 128u, 160u, 192u, 256u, 257u, 384u, 512u, 768u, 1000u, 1024u})
            for (unsigned registers :
                 {1u, 16u, 17u, 24u, 32u, 33u, 40u, 48u, 63u, 64u, 65u, 96u, 128u, 168u, 254u, 255u})
                for (unsigned shared :
                     {0u, 1u, 127u, 1024u, 2049u, 5000u, 12288u, 16384u, 32768u, 49152u, 65536u, 98304u, 232448u}) {
                    if (shared > p.shared_per_block_optin) continue;
                    cudaOccFuncAttributes attributes;
                    attributes.maxThreadsPerBlock = static_cast<int>(p.max_threads_per_block);
                    attributes.numRegs = static_cast<int>(registers);
                    attributes.sharedSizeBytes = 0;
                    attributes.maxDynamicSharedSizeBytes = p.shared_per_block_optin;
                    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
                    cudaOccResult expected;
                    REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &attributes, &state,
                                                                    static_cast<int>(threads),
                                                                    shared) == CUDA_OCC_SUCCESS);
                    const Occupancy found =
                        occupancy(p, {.threads = threads, .registers_per_thread = registers, .dynamic_shared = shared});
                    CAPTURE(threads);
                    CAPTURE(registers);
                    CAPTURE(shared);
                    CHECK(static_cast<int>(found.blocks) == expected.activeBlocksPerMultiprocessor);
                    ++combinations;
                }
    }
    CHECK(combinations > 2000);
}

TEST_CASE("occupancy: device D of the textbook, in full") {
    const Profile& d = *find_profile("textbook-d");
    const auto of = [&](unsigned threads, unsigned registers, std::uint64_t shared = 0) {
        return occupancy(d, {.threads = threads, .registers_per_thread = registers, .static_shared = shared});
    };
    // "To support 1,536 threads, each thread can use only 16,384 / 1,536 = 10 registers."
    CHECK(of(512, 10).warps * 32 == 1536);
    CHECK(of(512, 10).limit == OccupancyLimit::threads);
    // 11 registers: "the next lower number of threads would be 1,024".
    CHECK(of(512, 11).warps * 32 == 1024);
    CHECK(of(512, 11).limit == OccupancyLimit::registers);
    CHECK(of(256, 11).warps * 32 == 1280);
    // 8 blocks at 2 KB each; 5 KB: no more than three.
    CHECK(of(128, 8, 2048).blocks == 8);
    CHECK(of(128, 8, 2048).limit == OccupancyLimit::blocks);
    CHECK(of(128, 8, 5 * 1024).blocks == 3);
    CHECK(of(128, 8, 5 * 1024).limit == OccupancyLimit::shared_memory);
    // Two tiles of 16 x 16 floats: 2 KB, 256 threads: 6 blocks, 12 KB.
    const Occupancy tiles = of(16 * 16, 10, 2 * 16 * 16 * 4);
    CHECK(tiles.blocks == 6);
    CHECK(tiles.limit == OccupancyLimit::threads);
    CHECK(tiles.by_shared == 8);
    CHECK(tiles.blocks * allocated_shared(d, 2048) == 12 * 1024);
}

TEST_CASE("occupancy 2.x: registers come in units of 64 a warp, at some counts of 128") {
    const Profile& p = *find_profile("c2050");
    CHECK(allocated_registers(p, 32, 20) == 2 * 640);  // both halves of the register file
    CHECK(allocated_registers(p, 32, 21) == 2 * 768);
    CHECK(allocated_registers(p, 32, 23) == 2 * 768);
    CHECK(occupancy(p, {.threads = 192, .registers_per_thread = 20}).blocks == 8);
    CHECK(occupancy(p, {.threads = 1024, .registers_per_thread = 32}).blocks == 1);
    CHECK(occupancy(p, {.threads = 1024, .registers_per_thread = 33}).blocks == 0);
    CHECK(occupancy(p, {.threads = 1024, .registers_per_thread = 64}).blocks == 0);
}
