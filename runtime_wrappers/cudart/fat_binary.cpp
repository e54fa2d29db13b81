#include "runtime_wrappers/cudart/fat_binary.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <set>

namespace cudash::cudart {
namespace {

/// The container's head: magic, version, its own size and that of all entries.
struct Head {
    std::uint32_t magic;
    std::uint16_t version, head_size;
    std::uint64_t size;
};
static_assert(sizeof(Head) == 16);

/// The head of an entry. Its code follows after `head_size` bytes.
struct EntryHead {
    std::uint16_t kind, version;
    std::uint32_t head_size;
    std::uint64_t padded_size;      ///< of what follows
    std::uint32_t compressed_size;  ///< 0: not compressed
    std::uint32_t options_offset;   ///< of the options for ptxas
    std::uint16_t minor, major;     ///< of PTX: its version
    std::uint32_t arch;
    std::uint32_t name_offset, name_size;
    std::uint64_t flags;
    std::uint64_t reserved;
    std::uint64_t size;  ///< without compression; 0: not compressed
};
static_assert(sizeof(EntryHead) == 64);

constexpr std::uint16_t known_version = 1;
constexpr std::uint16_t kind_ptx = 1, kind_machine_code = 2;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_other_compression = 0x1000;
constexpr std::uint64_t most_code = 1u << 30;  ///< bytes of one PTX text: what is larger is a damaged size

Diagnostic damaged(std::string what) {
    return error("damaged-fat-binary", "the device code in the program is damaged: " + std::move(what),
                 "build the program again");
}

FatBinaryEntry::Compression compression_of(const EntryHead& head) {
    using Compression = FatBinaryEntry::Compression;
    if (head.flags & flag_zstd) return Compression::zstd;
    if (head.flags & flag_lz4) return Compression::lz4;
    if (head.flags & flag_other_compression) return Compression::unknown;
    return head.compressed_size == 0 ? Compression::none : Compression::unknown;
}

FatBinaryEntry::Kind kind_of(const EntryHead& head) {
    if (head.kind == kind_ptx) return FatBinaryEntry::Kind::ptx;
    return head.kind == kind_machine_code ? FatBinaryEntry::Kind::machine_code : FatBinaryEntry::Kind::other;
}

Result<std::string> text_of(const FatBinaryEntry& entry) {
    using Compression = FatBinaryEntry::Compression;
    if (entry.size > most_code) return damaged(fmt::format("PTX of {} bytes", entry.size));
    std::string text(entry.size, '\0');
    switch (entry.compression) {
        case Compression::none:
            std::memcpy(text.data(), entry.stored.data(), text.size());
            break;
        case Compression::lz4: {
            const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(entry.stored.data()), text.data(),
                                                 static_cast<int>(entry.stored.size()), static_cast<int>(text.size()));
            if (size != static_cast<int>(text.size())) return damaged("its PTX can't be decompressed (LZ4)");
            break;
        }
        case Compression::zstd: {
            const std::size_t size =
                ZSTD_decompress(text.data(), text.size(), entry.stored.data(), entry.stored.size());
            if (ZSTD_isError(size) || size != text.size()) return damaged("its PTX can't be decompressed (Zstandard)");
            break;
        }
        case Compression::unknown:
            return error("unknown-compression",
                         "the device code in the program is compressed in a way that cudash doesn't know",
                         "build the program with nvcc --compress-mode=none");
    }
    // The text ends at its first zero, if it has one.
    text.erase(std::min(text.find('\0'), text.size()));
    if (text.find(".version") == std::string::npos) return damaged("its PTX has no .version line");
    return text;
}

Diagnostic no_ptx(std::span<const FatBinaryEntry> entries, unsigned arch) {
    std::set<unsigned> archs;
    for (const FatBinaryEntry& entry : entries)
        if (entry.kind == FatBinaryEntry::Kind::machine_code) archs.insert(entry.arch);
    if (archs.empty()) return error("no-device-code", "the program's fat binary holds no device code");
    std::string list;
    for (const unsigned each : archs) list += fmt::format("{}sm_{}", list.empty() ? "" : ", ", each);
    return error(
        "no-ptx",
        fmt::format("the program holds machine code of real GPUs only ({}); the virtual GPU executes PTX", list),
        fmt::format("build it with PTX too: nvcc -gencode arch=compute_{0},code=compute_{0}, nvcc "
                    "-arch=sm_{0}, or CMAKE_CUDA_ARCHITECTURES={0}",
                    arch));
}

}  // namespace

Result<std::vector<FatBinaryEntry>> read_fat_binary(std::span<const std::byte> bytes) {
    Head head{};
    if (bytes.size() < sizeof head) return damaged("it ends too early");
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.magic != fat_binary_magic) return damaged("it does not begin as a fat binary does");
    if (head.version != known_version)
        return error("unknown-fat-binary",
                     fmt::format("the program's fat binary has version {}, which cudash doesn't know", head.version),
                     "build the program with nvcc of toolkit 12 or 13");
    if (head.head_size < sizeof head || head.head_size > bytes.size() || head.size > bytes.size() - head.head_size)
        return damaged("it ends too early");
    bytes = bytes.subspan(head.head_size, head.size);

    std::vector<FatBinaryEntry> entries;
    while (!bytes.empty()) {
        EntryHead entry{};
        if (bytes.size() < sizeof entry) return damaged("an entry ends too early");
        std::memcpy(&entry, bytes.data(), sizeof entry);
        if (entry.head_size < sizeof entry || entry.head_size > bytes.size() ||
            entry.padded_size > bytes.size() - entry.head_size)
            return damaged("an entry ends too early");
        FatBinaryEntry& found = entries.emplace_back();
        found.kind = kind_of(entry);
        found.arch = entry.arch;
        found.compression = compression_of(entry);
        found.stored = bytes.subspan(entry.head_size, entry.padded_size);
        found.size = entry.padded_size;
        if (found.compression != FatBinaryEntry::Compression::none) {
            if (entry.compressed_size > found.stored.size()) return damaged("an entry ends too early");
            found.stored = found.stored.first(entry.compressed_size);
            found.size = entry.size;
        }
        bytes = bytes.subspan(entry.head_size + entry.padded_size);
    }
    return entries;
}

Result<std::string> best_ptx(std::span<const FatBinaryEntry> entries, unsigned arch) {
    const FatBinaryEntry* best = nullptr;
    const auto is_better = [&](const FatBinaryEntry& entry) {
        if (!best) return true;
        const bool fits = entry.arch <= arch, best_fits = best->arch <= arch;
        if (fits != best_fits) return fits;
        return fits ? entry.arch > best->arch : entry.arch < best->arch;
    };
    for (const FatBinaryEntry& entry : entries)
        if (entry.kind == FatBinaryEntry::Kind::ptx && is_better(entry)) best = &entry;
    if (!best) return no_ptx(entries, arch);
    return text_of(*best);
}

}  // namespace cudash::cudart
