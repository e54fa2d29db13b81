// Fat binaries: what nvcc puts into a program, one container with the device code of a file for several devices.
//
// NVIDIA does not document the format. What is read here was looked at in programs of nvcc 12 and 13, and the fields
// that nothing here needs are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::cudart {

struct FatBinaryEntry {
    enum class Kind : std::uint8_t { ptx, machine_code, other };
    enum class Compression : std::uint8_t { none, lz4, zstd, unknown };
    Kind kind = Kind::other;
    unsigned arch = 0;  ///< 75 of compute_75 and of sm_75
    Compression compression = Compression::none;
    std::span<const std::byte> stored;  ///< as it lies in the container
    std::uint64_t size = 0;             ///< in bytes, without compression
};

/// What begins a container, in memory.
inline constexpr std::uint32_t fat_binary_magic = 0xba55ed50;

/// The entries of the container at the beginning of `bytes`. The error says what is damaged.
Result<std::vector<FatBinaryEntry>> read_fat_binary(std::span<const std::byte> bytes);

/// The PTX that the driver of a device of compute capability `arch` would take, as text: the newest that is not newer
/// than the device; where there is none, the oldest of those that are, because the virtual GPU runs these too. The
/// error says what there is, and which option of nvcc adds PTX.
Result<std::string> best_ptx(std::span<const FatBinaryEntry> entries, unsigned arch);

}  // namespace cudash::cudart
