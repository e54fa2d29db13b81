#include "runtime_wrappers/virtual_gpu/devices/timing.h"

#include <array>

namespace cudash::virtual_gpu {
namespace {

struct Row {
    unsigned major, minor;  ///< from this compute capability on
    Timing timing;
};

// Newest first.
constexpr std::array rows = {
    Row{9, 0, {}},
    Row{8,
        6,
        {.lanes_double = 2,
         .lanes_tensor = 512,
         .l2_bytes = 2000,
         .latency_l1 = 33,
         .latency_l2 = 240,
         .latency_dram = 480}},
    Row{8,
        0,
        {.lanes_single = 64,
         .lanes_double = 32,
         .lanes_tensor = 1024,
         .l2_bytes = 4000,
         .latency_l1 = 33,
         .latency_l2 = 200,
         .latency_dram = 480}},
    Row{7,
        0,
        {.lanes_single = 64,
         .lanes_double = 32,
         .lanes_tensor = 512,
         .l2_bytes = 2100,
         .dram_share = 0.88,
         .latency_shared = 23,
         .latency_l1 = 28,
         .latency_l2 = 200,
         .latency_dram = 440}},
    Row{5,
        0,
        {.lanes_integer = 128,
         .lanes_double = 4,
         .lanes_special = 32,
         .l2_bytes = 500,
         .dram_share = 0.8,
         .latency_arithmetic = 6,
         .latency_shared = 24,
         .latency_l1 = 85,
         .latency_l2 = 210,
         .latency_dram = 370,
         .launch = 3500}},
    Row{3,
        0,
        {.schedulers = 6,
         .lanes_single = 192,
         .lanes_integer = 160,
         .lanes_double = 64,
         .lanes_special = 32,
         .l2_bytes = 350,
         .dram_share = 0.75,
         .latency_arithmetic = 9,
         .latency_shared = 33,
         .latency_l1 = 110,
         .latency_l2 = 200,
         .latency_dram = 350,
         .launch = 4500}},
    Row{2,
        0,
        {.schedulers = 2,
         .lanes_single = 32,
         .lanes_integer = 32,
         .lanes_double = 16,
         .lanes_special = 4,
         .lanes_memory = 16,
         .l2_bytes = 180,
         .dram_share = 0.75,
         .latency_arithmetic = 18,
         .latency_shared = 45,
         .latency_l1 = 90,
         .latency_l2 = 370,
         .latency_dram = 690,
         .launch = 5000}},
    Row{1,
        0,
        {.schedulers = 0.25,
         .lanes_single = 8,
         .lanes_integer = 8,
         .lanes_double = 1,
         .lanes_special = 2,
         .lanes_memory = 8,
         .l2_bytes = 1e9,
         .dram_share = 0.75,
         .latency_arithmetic = 24,
         .latency_shared = 38,
         .latency_l1 = 440,
         .latency_l2 = 440,
         .latency_dram = 440,
         .launch = 6000}},
};

}  // namespace

const Timing& timing_of(const Profile& profile) {
    for (const Row& row : rows)
        if (profile.cc_major > row.major || (profile.cc_major == row.major && profile.cc_minor >= row.minor))
            return row.timing;
    return rows.back().timing;
}

}  // namespace cudash::virtual_gpu
