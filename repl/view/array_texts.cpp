#include "repl/view/array_texts.h"

#include <fmt/format.h>

#include <algorithm>

namespace cudash::view {
namespace {

constexpr std::uint64_t hex_bytes = 256;

}  // namespace

Elision elide(std::uint64_t count, std::uint64_t head, std::uint64_t tail, bool all) {
    if (all || count <= head + tail + 1) return {count, count};
    return {head, count - tail};
}

bool read_texts(const Array& array, std::uint64_t row, std::uint64_t from, std::uint64_t count,
                std::vector<std::string>& texts) {
    std::vector<std::byte> bytes;
    if (count > 0 && !array.read_row(row, from, count, bytes)) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
        const bool unwritten =
            array.is_unwritten && array.is_unwritten(array.offset(row, from + i), array.element.bytes);
        texts.push_back(unwritten ? "?" : text(array.element, bytes.data() + i * array.element.bytes));
    }
    return true;
}

bool read_hex(const Array& array, bool all, HexDump& dump) {
    std::vector<std::byte> bytes, row;
    const std::uint64_t total = array.count() * array.element.bytes;
    const std::uint64_t wanted = all ? total : std::min(total, hex_bytes);
    for (std::uint64_t i = 0; i < array.rows() && bytes.size() < wanted; ++i) {
        const std::uint64_t left = (wanted - bytes.size() + array.element.bytes - 1) / array.element.bytes;
        if (!array.read_row(i, 0, std::min(array.columns(), left), row)) return false;
        bytes.insert(bytes.end(), row.begin(), row.end());
    }
    bytes.resize(std::min<std::size_t>(bytes.size(), wanted));
    for (std::size_t i = 0; i < bytes.size(); i += 16) {
        HexDump::Line line{.offset = i, .digits = {}, .letters = {}};
        for (std::size_t j = i; j < i + 16; ++j) {
            if (j % 8 == 0) line.digits += ' ';
            if (j >= bytes.size()) {
                line.digits += "   ";
                continue;
            }
            const auto value = static_cast<unsigned char>(bytes[j]);
            line.digits += fmt::format(" {:02x}", value);
            line.letters += value < 0x20 || value >= 0x7f ? '.' : static_cast<char>(value);
        }
        dump.lines.push_back(std::move(line));
    }
    dump.left_out = total - wanted;
    return true;
}

}  // namespace cudash::view
