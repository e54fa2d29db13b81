#include "repl/view/array_files.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace cudash::view {
namespace {

using session::Element;
using session::Scalar;

Diagnostic unreadable() {
    return error("bad-address", "the memory can't be read: it ends before, or was freed");
}

// --- .npy ("NumPy Enhancement Proposal 1", and numpy.lib.format) ---

constexpr std::string_view magic = "\x93NUMPY";

/// "<f4"; empty if NumPy has no such type.
std::string npy_type(const Scalar& scalar) {
    const char order = scalar.bytes == 1 ? '|' : '<';
    switch (scalar.kind) {
        case Scalar::Kind::floating:
            return fmt::format("<f{}", scalar.bytes);
        case Scalar::Kind::signed_integer:
            return fmt::format("{}i{}", order, scalar.bytes);
        case Scalar::Kind::unsigned_integer:
        case Scalar::Kind::character:
        case Scalar::Kind::pointer:
            return fmt::format("{}u{}", order, scalar.bytes);
        case Scalar::Kind::boolean:
            return "|b1";
        case Scalar::Kind::brain:
        case Scalar::Kind::opaque:
            break;
    }
    return {};
}

std::optional<Scalar> scalar_of(std::string_view type) {
    if (type.size() < 3 || type[0] == '>') return std::nullopt;
    Scalar scalar;
    std::from_chars(type.data() + 2, type.data() + type.size(), scalar.bytes);
    const bool integer_size = scalar.bytes == 1 || scalar.bytes == 2 || scalar.bytes == 4 || scalar.bytes == 8;
    switch (type[1]) {
        case 'f':
            scalar.kind = Scalar::Kind::floating;
            if (!integer_size || scalar.bytes == 1) return std::nullopt;
            return scalar;
        case 'i':
            scalar.kind = Scalar::Kind::signed_integer;
            break;
        case 'u':
            scalar.kind = Scalar::Kind::unsigned_integer;
            break;
        case 'b':
            scalar.kind = Scalar::Kind::boolean;
            break;
        default:
            return std::nullopt;
    }
    return integer_size ? std::optional(scalar) : std::nullopt;
}

/// All scalars alike and side by side: one more dimension, "(100, 3)". Else a structured type.
bool is_uniform(const Element& element) {
    std::uint32_t offset = 0;
    for (const Scalar& scalar : element.scalars) {
        if (scalar.kind != element.scalars[0].kind || scalar.bytes != element.scalars[0].bytes ||
            scalar.offset != offset)
            return false;
        offset += scalar.bytes;
    }
    return offset == element.bytes;
}

/// What follows `key` in the header's dictionary.
std::string_view entry_of(std::string_view header, std::string_view key) {
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos) return {};
    header.remove_prefix(at + key.size());
    header.remove_prefix(std::min(header.size(), header.find_first_not_of("': ")));
    return header;
}

Element element_of(const Scalar& scalar) {
    Element element;
    element.bytes = scalar.bytes;
    element.scalars.push_back(scalar);
    return element;
}

}  // namespace

std::optional<Diagnostic> write_npy(const Array& array, const Sink& sink) {
    const Element& element = array.element;
    std::string type;
    std::string shape;
    for (const std::uint64_t extent : array.extent) shape += fmt::format("{}, ", extent);
    const bool uniform = is_uniform(element);
    if (uniform && !element.scalars.empty()) {
        type = npy_type(element.scalars[0]);
        if (!type.empty()) type = fmt::format("'{}'", type);
        if (element.scalars.size() > 1) shape += fmt::format("{}, ", element.scalars.size());
    } else {
        std::uint64_t end = 0;
        for (const Scalar& scalar : element.scalars) {
            const std::string field = npy_type(scalar);
            if (field.empty() || scalar.offset < end) {
                type.clear();
                break;
            }
            if (scalar.offset > end) type += fmt::format("('', '|V{}'), ", scalar.offset - end);
            type += fmt::format("('{}', '{}'), ", scalar.name, field);
            end = scalar.offset + scalar.bytes;
        }
        if (!type.empty() && element.bytes > end) type += fmt::format("('', '|V{}'), ", element.bytes - end);
        if (!type.empty()) type = "[" + type.substr(0, type.size() - 2) + "]";
    }
    if (type.empty())
        return error("wrong-type", fmt::format("NumPy has no type for {}", element.type),
                     "show it as another type: `as unsigned short`, say");
    std::string header = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", type,
                                     array.extent.size() + (uniform && element.scalars.size() > 1) > 1
                                         ? shape.substr(0, shape.size() - 2)
                                         : shape.substr(0, shape.size() - 1));
    constexpr std::size_t before = 10, alignment = 64;
    header.append(alignment - (before + header.size() + 1) % alignment, ' ');
    header += '\n';
    std::string start(magic);
    start += '\1';
    start += '\0';
    start += static_cast<char>(header.size() & 0xff);
    start += static_cast<char>(header.size() >> 8);
    if (!sink(start + header)) return std::nullopt;
    std::vector<std::byte> row;
    for (std::uint64_t i = 0; i < array.rows(); ++i) {
        if (!array.read_row(i, 0, array.columns(), row)) return unreadable();
        if (!sink({reinterpret_cast<const char*>(row.data()), row.size()})) return std::nullopt;
    }
    return std::nullopt;
}

Result<Loaded> read_npy(std::string_view file) {
    const auto bad = [](std::string_view why) {
        return error("bad-file", fmt::format("it is no .npy file that cudash reads: {}", why),
                     "numpy.save writes one; plain numbers, little-endian, in C's order");
    };
    if (!file.starts_with(magic) || file.size() < 12) return bad("it does not begin as one");
    const bool long_header = file[6] >= 2;
    const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(file[i])}; };
    std::size_t size = byte(8) | byte(9) << 8;
    if (long_header) size |= byte(10) << 16 | byte(11) << 24;
    const std::size_t data = (long_header ? 12 : 10) + size;
    if (data > file.size()) return bad("its header is cut off");
    const std::string_view header = file.substr(data - size, size);
    Loaded loaded;
    const std::string_view type = entry_of(header, "'descr'");
    const auto scalar = scalar_of(type.substr(0, type.find('\'')));
    if (!scalar) return bad("of its type");
    if (entry_of(header, "'fortran_order'").starts_with("True")) return bad("it is in Fortran's order");
    loaded.element = element_of(*scalar);
    std::string_view shape = entry_of(header, "'shape'");
    shape = shape.substr(0, shape.find(')'));
    std::uint64_t count = 1;
    while (!shape.empty()) {
        const std::size_t digits = shape.find_first_of("0123456789");
        if (digits == std::string_view::npos) break;
        shape.remove_prefix(digits);
        std::uint64_t extent = 0;
        const auto end = std::from_chars(shape.data(), shape.data() + shape.size(), extent).ptr;
        shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
        loaded.extent.push_back(extent);
        if (extent != 0 && count > file.size() / extent) return bad("it is shorter than its shape says");
        count *= extent;
    }
    if (loaded.extent.empty()) loaded.extent.push_back(1);
    if (file.size() - data < count * scalar->bytes) return bad("it is shorter than its shape says");
    loaded.bytes = file.substr(data, count * scalar->bytes);
    return loaded;
}

// --- .csv ---

std::optional<Diagnostic> write_csv(const Array& array, const Sink& sink) {
    std::vector<std::byte> row;
    for (std::uint64_t i = 0; i < array.rows(); ++i) {
        if (!array.read_row(i, 0, array.columns(), row)) return unreadable();
        std::string line;
        for (std::uint64_t j = 0; j < array.columns(); ++j)
            for (const Scalar& scalar : array.element.scalars) {
                const std::byte* at = row.data() + j * array.element.bytes;
                if (!line.empty()) line += ',';
                // All digits that it takes to read the same number again.
                if (scalar.kind == Scalar::Kind::floating && scalar.bytes == 8)
                    line += fmt::format("{}", number(scalar, at));
                else if (scalar.kind == Scalar::Kind::floating || scalar.kind == Scalar::Kind::brain)
                    line += fmt::format("{}", static_cast<float>(number(scalar, at)));
                else if (scalar.kind == Scalar::Kind::character)
                    line += fmt::format("{}", number(scalar, at));
                else
                    line += text(scalar, at);
            }
        if (!sink(line + "\n")) return std::nullopt;
    }
    return std::nullopt;
}

Result<Loaded> read_csv(std::string_view file) {
    Loaded loaded;
    loaded.element = element_of({Scalar::Kind::floating, 8, 0, {}});
    std::uint64_t rows = 0, columns = 0, line_number = 0;
    while (!file.empty()) {
        const std::size_t end = file.find('\n');
        std::string line(file.substr(0, end));
        file.remove_prefix(end == std::string_view::npos ? file.size() : end + 1);
        ++line_number;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        std::uint64_t here = 0;
        const char* at = line.c_str();
        while (true) {
            char* after = nullptr;
            double value = std::strtod(at, &after);
            if (after == at && line.compare(static_cast<std::size_t>(at - line.c_str()), 4, "true") == 0)
                value = 1, after = const_cast<char*>(at) + 4;
            else if (after == at && line.compare(static_cast<std::size_t>(at - line.c_str()), 5, "false") == 0)
                after = const_cast<char*>(at) + 5;
            if (after == at)
                return error("bad-file", fmt::format("line {} holds something that is not a number: {}", line_number,
                                                     std::string_view(at).substr(0, 20)));
            loaded.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
            ++here;
            at = after + std::strspn(after, " \t\r");
            if (*at == ',' || *at == ';') ++at;
            if (*at == '\0') break;
        }
        if (rows == 0) columns = here;
        if (here != columns)
            return error("bad-file",
                         fmt::format("line {} has {} numbers, the first has {}", line_number, here, columns));
        ++rows;
    }
    if (rows == 0) return error("bad-file", "it holds no numbers");
    loaded.extent = {rows, columns};
    if (rows == 1 || columns == 1) loaded.extent = {rows * columns};
    return loaded;
}

std::span<const ArrayFile> array_files() {
    static constexpr std::array files = {
        ArrayFile{".npy", write_npy, read_npy},
        ArrayFile{".csv", write_csv, read_csv},
        ArrayFile{".png", write_png, read_png},
    };
    return files;
}

bool convert(const Loaded& loaded, std::uint64_t index, const Element& element, std::byte* to) {
    const std::size_t parts = element.scalars.size();
    const Scalar& from = loaded.element.scalars.front();
    for (std::size_t i = 0; i < parts; ++i) {
        const auto* at =
            reinterpret_cast<const std::byte*>(loaded.bytes.data()) + (index * parts + i) * loaded.element.bytes;
        const Scalar& scalar = element.scalars[i];
        const bool integers = from.kind != Scalar::Kind::floating && scalar.kind != Scalar::Kind::floating;
        if (integers && from.bytes == scalar.bytes)
            std::memcpy(to + scalar.offset, at, scalar.bytes);
        else if (!store(scalar, number(from, at), to))
            return false;
    }
    return parts > 0;
}

}  // namespace cudash::view
