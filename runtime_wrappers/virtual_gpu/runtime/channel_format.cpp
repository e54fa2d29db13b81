#include "runtime_wrappers/virtual_gpu/runtime/channel_format.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// Kinds from `first` on count channels of 1, 2 and 4, in rows of 8 and then 16 bits.
TexelFormat normalized_format(cudaChannelFormatKind kind, cudaChannelFormatKind first, ChannelKind channel) {
    const int index = kind - first;
    return {.kind = channel,
            .channels = static_cast<std::uint8_t>(1 << index % 3),
            .channel_bytes = static_cast<std::uint8_t>(index < 3 ? 1 : 2),
            .normalized = true};
}

std::optional<ChannelKind> channel_kind(cudaChannelFormatKind kind) {
    switch (kind) {
        case cudaChannelFormatKindSigned:
            return ChannelKind::signed_integer;
        case cudaChannelFormatKindUnsigned:
            return ChannelKind::unsigned_integer;
        case cudaChannelFormatKindFloat:
            return ChannelKind::floating;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<TexelFormat> texel_format(const cudaChannelFormatDesc& desc) {
    if (desc.f >= cudaChannelFormatKindUnsignedNormalized8X1 && desc.f <= cudaChannelFormatKindUnsignedNormalized16X4)
        return normalized_format(desc.f, cudaChannelFormatKindUnsignedNormalized8X1, ChannelKind::unsigned_integer);
    if (desc.f >= cudaChannelFormatKindSignedNormalized8X1 && desc.f <= cudaChannelFormatKindSignedNormalized16X4)
        return normalized_format(desc.f, cudaChannelFormatKindSignedNormalized8X1, ChannelKind::signed_integer);
    const auto kind = channel_kind(desc.f);
    const int bits[] = {desc.x, desc.y, desc.z, desc.w};
    unsigned channels = 0;
    while (channels < 4 && bits[channels] != 0) ++channels;
    for (unsigned c = 0; c < 4; ++c)
        if (bits[c] != (c < channels ? bits[0] : 0)) return std::nullopt;
    const bool wide_enough = *bits == 16 || *bits == 32 || (*bits == 8 && kind != ChannelKind::floating);
    if (!kind || !wide_enough || channels == 0 || channels == 3) return std::nullopt;
    return TexelFormat{.kind = *kind,
                       .channels = static_cast<std::uint8_t>(channels),
                       .channel_bytes = static_cast<std::uint8_t>(*bits / 8)};
}

std::optional<TexelFormat> texel_format(cudaResourceViewFormat format) {
    struct Row {
        ChannelKind kind;
        std::uint8_t channel_bytes;
    };
    // Each in 1, 2 and 4 channels, in the order of the enumerators.
    constexpr Row rows[] = {
        {ChannelKind::unsigned_integer, 1}, {ChannelKind::signed_integer, 1},   {ChannelKind::unsigned_integer, 2},
        {ChannelKind::signed_integer, 2},   {ChannelKind::unsigned_integer, 4}, {ChannelKind::signed_integer, 4},
        {ChannelKind::floating, 2},         {ChannelKind::floating, 4},
    };
    static_assert(cudaResViewFormatFloat4 - cudaResViewFormatUnsignedChar1 + 1 == 3 * std::size(rows));
    if (format < cudaResViewFormatUnsignedChar1 || format > cudaResViewFormatFloat4) return std::nullopt;
    const int index = format - cudaResViewFormatUnsignedChar1;
    const Row& row = rows[index / 3];
    return TexelFormat{
        .kind = row.kind, .channels = static_cast<std::uint8_t>(1 << index % 3), .channel_bytes = row.channel_bytes};
}

bool is_compressed(cudaChannelFormatKind kind) {
    return kind == cudaChannelFormatKindNV12 || (kind >= cudaChannelFormatKindUnsignedBlockCompressed1 &&
                                                 kind <= cudaChannelFormatKindUnsignedNormalized1010102);
}

}  // namespace cudash::virtual_gpu::runtime
