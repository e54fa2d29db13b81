// Data of pictures, as profiles have it: for the tests of their text and of their forms on pages.
#pragma once

#include <algorithm>
#include <vector>

#include "repl/view/picture/pictures.h"

namespace cudash::testing {

inline view::SourceListing listing() {
    view::SourceListing made{"column<<<1, (32,32)>>> on h200", "column.cu", {}};
    made.lines.push_back({.number = 8, .text = "__global__ void column(float* d) {", .executed = 32, .lanes = 32});
    made.lines.push_back({.number = 9, .text = "    __shared__ float tile[32][32];"});
    made.lines.push_back({.number = 10,
                          .text = "    tile[threadIdx.y][threadIdx.x] = d[threadIdx.y * 32 + threadIdx.x];",
                          .executed = 320,
                          .lanes = 32,
                          .sectors = 128,
                          .ideal_sectors = 128,
                          .requests = 32,
                          .wavefronts = 32,
                          .ideal_wavefronts = 32});
    made.lines.push_back({.number = 11,
                          .text = "    if (threadIdx.x % 4 == 0) d[threadIdx.x * 8] = tile[threadIdx.x][threadIdx.y];",
                          .executed = 96,
                          .lanes = 8,
                          .sectors = 256,
                          .ideal_sectors = 32,
                          .requests = 32,
                          .wavefronts = 1024,
                          .ideal_wavefronts = 32});
    made.elsewhere = 0.125;
    return made;
}

/// Lane l reads word l * stride.
inline view::BankPicture banks(unsigned stride) {
    view::BankPicture picture;
    picture.title = "column line 11: shared load of 4 bytes a lane, warp 0 of block 0, on h200";
    picture.active = ~0u;
    picture.ideal_passes = 1;
    std::vector<unsigned> used(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned bank = lane * stride % 32;
        picture.uses.push_back({1u << lane, bank, used[bank]});
        picture.passes = std::max(picture.passes, ++used[bank]);
    }
    return picture;
}

inline view::SectorPicture sectors(unsigned stride) {
    view::SectorPicture picture;
    picture.title = "strided line 2: global load of 4 bytes a lane, warp 1 of block 0, on h200";
    picture.active = ~0u;
    picture.ideal_sectors = 4;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const std::uint64_t at = 0x200000000000 + lane * stride * 4;
        if (picture.segments.empty() || picture.segments.back().address != at / 128 * 128)
            picture.segments.push_back({at / 128 * 128, {}});
        std::uint32_t& lanes = picture.segments.back().lanes[at % 128 / 32];
        picture.sectors += lanes == 0;
        lanes |= 1u << lane;
    }
    picture.transactions = picture.sectors;
    return picture;
}

inline view::ResidencyPicture residency() {
    view::ResidencyPicture picture{.title = "k<<<64, 256>>> on textbook-d",
                                   .blocks = 3,
                                   .warps = 24,
                                   .max_warps = 48,
                                   .warps_per_block = 8,
                                   .resources = {},
                                   .note = {}};
    picture.resources = {{"threads", 256, 1536, 6, false},
                         {"blocks", 1, 8, 8, false},
                         {"registers", 2560, 16384, 6, false},
                         {"shared bytes", 5120, 16384, 3, true}};
    picture.note = "10 registers a thread, as ptxas counts them";
    return picture;
}

inline view::PartitionPicture partitions(bool diagonal) {
    view::PartitionPicture picture{diagonal ? "transpose, diagonal" : "transpose, Cartesian", {}};
    for (unsigned slice = 0; slice < 24; ++slice) {
        picture.slices.emplace_back(8);
        for (unsigned p = 0; p < 8; ++p) picture.slices.back()[p] = diagonal ? 16 : p == slice / 3 ? 128 : 0;
    }
    return picture;
}

inline view::CachePicture cache() {
    view::CachePicture picture{.size = 60u << 20, .set_aside = 16384, .moments = {}};
    picture.moments.push_back({"touch", 0, 0, 16384, 32768, 16384, 0});
    picture.moments.push_back({"touch", 8192, 4096, 16384, 32768, 16384, 0.5});
    picture.moments.push_back({"stream_through_a_lot", 1 << 20, 1 << 18, 16384, 0, 0, 0.125});
    return picture;
}

inline view::TimelinePicture timeline() {
    view::TimelinePicture picture;
    picture.works = {{"stream 1", "copy to the device", 0, 20000},
                     {"stream 2", "copy to the device", 20000, 40000},
                     {"stream 1", "add", 20000, 32000},
                     {"stream 2", "add", 40000, 52000},
                     {"stream 1", "copy to the host", 32000, 47000}};
    picture.left_out = 3;
    return picture;
}

}  // namespace cudash::testing
