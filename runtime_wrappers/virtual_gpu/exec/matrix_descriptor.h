// Operands of wgmma in shared memory: what their descriptors say (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared
// Memory Layout").
#pragma once

#include <cstdint>

namespace cudash::virtual_gpu {

/// Of an operand's line, a row of a or a column of b: 16 elements of .f16, 8 of .tf32, 32 of 8 bits, 256 of one.
inline constexpr unsigned line_bytes = 32;

class MatrixDescriptor {
public:
    explicit MatrixDescriptor(std::uint64_t bits)
        : start_(field(bits)),
          leading_(field(bits >> 16)),
          stride_(field(bits >> 32)),
          base_(static_cast<std::uint32_t>(bits >> 49 & 7)) {
        constexpr std::uint32_t widths[4] = {1, 8, 4, 2};  // no swizzling, 128 bytes, 64, 32
        width_ = widths[bits >> 62];
    }

    /// Where 16 bytes of a line begin: the first or the second half of them. Lines of 8 follow each other by the
    /// stride; without swizzling their halves are the leading offset apart.
    std::uint32_t half_of_line(unsigned line, unsigned half) const {
        const std::uint32_t apart = width_ == 1 ? leading_ : 16;
        return swizzled(line / 8 * stride_ + line % 8 * 16 * width_ + half * apart);
    }
    /// Where the elements number `k` of 8 lines lie together, if the operand is transposed.
    std::uint32_t across_lines(unsigned lines, unsigned k) const {
        if (width_ == 1) return swizzled(lines * stride_ + k / 8 * leading_ + k % 8 * 16);
        return swizzled(lines / width_ * leading_ + lines % width_ * 16 + k / 8 * stride_ + k % 8 * 16 * width_);
    }

private:
    static std::uint32_t field(std::uint64_t bits) { return static_cast<std::uint32_t>(bits & 0x3FFF) << 4; }
    /// Which of the 16-byte pieces of a row changes places with which is told by the bits of the address above.
    std::uint32_t swizzled(std::uint32_t offset) const {
        const std::uint32_t address = start_ + offset;
        return address ^ (((address >> 7) - base_) & (width_ - 1)) << 4;
    }

    std::uint32_t start_, leading_, stride_, base_;
    std::uint32_t width_;  ///< of a swizzled row, in pieces of 16 bytes
};

}  // namespace cudash::virtual_gpu
