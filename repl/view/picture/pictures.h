// Pictures of what the hardware sees: plain data, which a worker sends as it is, and how each is drawn as text. The
// text ends with a line end; svg.h draws the same data for pages.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace cudash::view {

struct Canvas;

/// A line of a kernel's source and what its instructions did.
struct SourceLine {
    unsigned number = 0;
    std::string text;
    double executed = 0;                    ///< instructions by warps
    double lanes = 0;                       ///< active, of 32; 0: nothing was executed
    double sectors = 0, ideal_sectors = 0;  ///< global memory
    double requests = 0;
    double wavefronts = 0, ideal_wavefronts = 0;  ///< shared memory
};
struct SourceListing {
    std::string title;  ///< "k<<<4, 256>>> on h200"
    std::string file;
    std::vector<SourceLine> lines;
    double elsewhere = 0;  ///< share of the instructions that are of no line, or of other files
};
/// What a listing does not show, as a sentence; empty: nothing.
std::string left_out(const SourceListing& listing);
std::string draw(const SourceListing& listing, const Canvas& canvas);

/// One access of a warp to shared memory, in the passes that the banks serve it in.
struct BankPicture {
    std::string title;  ///< "tile[threadIdx.x][j], 4-byte loads"
    unsigned banks = 32;
    unsigned bank_bytes = 4;
    struct Use {
        std::uint32_t lanes = 0;  ///< that the bank serves in this pass
        unsigned bank = 0, pass = 0;
    };
    std::vector<Use> uses;
    std::uint32_t active = 0;
    unsigned passes = 0, ideal_passes = 0;
};
std::string draw(const BankPicture& picture, const Canvas& canvas);

/// One access of a warp to global memory: which 32-byte sectors of which segments its lanes touch.
struct SectorPicture {
    std::string title;
    unsigned element_bytes = 4;
    struct Segment {
        std::uint64_t address = 0;
        std::array<std::uint32_t, 4> lanes{};  ///< that touch each sector, as a mask
    };
    std::vector<Segment> segments;  ///< by address
    unsigned sectors = 0, ideal_sectors = 0, transactions = 0;
    std::uint32_t active = 0;
};
std::string draw(const SectorPicture& picture, const Canvas& canvas);

/// What of a multiprocessor the blocks of a kernel take, and what runs out first.
struct ResidencyPicture {
    std::string title;
    unsigned blocks = 0, warps = 0, max_warps = 0, warps_per_block = 0;
    struct Resource {
        std::string name;
        std::uint64_t per_block = 0, available = 0;
        unsigned blocks = 0;  ///< that it alone would allow
        bool limits = false;
    };
    std::vector<Resource> resources;
    std::string note;  ///< where a number comes from; may be empty
};
std::string draw(const ResidencyPicture& picture, const Canvas& canvas);

/// Sectors asked of the partitions of device memory, by time.
struct PartitionPicture {
    std::string title;
    std::vector<std::vector<std::uint64_t>> slices;  ///< by time, then by partition
};
std::string draw(const PartitionPicture& picture, const Canvas& canvas);

/// What L2 held after each of several kernels. Bytes.
struct CachePicture {
    struct Moment {
        std::string kernel;
        std::uint64_t normal = 0, streaming = 0, persisting = 0;
        std::uint64_t window = 0, of_window = 0;  ///< the window's size, and how much of it was held
        double hit_share = 0;                     ///< of the sectors that the kernel asked for
    };
    std::uint64_t size = 0, set_aside = 0;
    std::vector<Moment> moments;  ///< in their order
};
std::string draw(const CachePicture& picture, const Canvas& canvas);

/// What streams did on the modelled clock. Nanoseconds.
struct TimelinePicture {
    struct Work {
        std::string stream, what;
        double begin = 0, end = 0;
    };
    std::vector<Work> works;
    std::uint64_t left_out = 0;  ///< earlier ones that are not kept
};
std::string draw(const TimelinePicture& picture, const Canvas& canvas);

/// Any of them.
using Picture = std::variant<SourceListing, BankPicture, SectorPicture, ResidencyPicture, PartitionPicture,
                             CachePicture, TimelinePicture>;
std::string draw(const Picture& picture, const Canvas& canvas);
/// Whether its numbers agree with each other and are in the range that drawing takes: a worker that runs a stranger's
/// code can send anything.
bool is_sound(const Picture& picture);

}  // namespace cudash::view
