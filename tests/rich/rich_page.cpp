// Writes every form that results have on pages, for tests/rich/run and for people to look at:
//
//     rich_page FOLDER       NAME.html (a fragment), NAME.svg, NAME.png each, and all.html with all of them
//     rich_page --heat N     the time and the size of a heat map of N x N floats
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "repl/session/base64.h"
#include "repl/view/array_difference.h"
#include "repl/view/array_views.h"
#include "repl/view/markup.h"
#include "repl/view/picture/page.h"
#include "repl/view/rich/forms.h"
#include "tests/unit/sample_pictures.h"

using namespace cudash;
using namespace cudash::view;

namespace {

/// What students write into strings: it must come out as text.
constexpr std::string_view hostile = "<script>alert(1)</script>\"&'\x01\xff\xed\xa0\x80 <img src=x onerror=alert(2)>";

template <class T>
Array array_of(std::vector<T> values, std::vector<std::uint64_t> extent, session::Scalar::Kind kind,
               std::uint32_t channels = 1) {
    Array array;
    array.element = {"T", sizeof(T) * channels, {}};
    for (std::uint32_t i = 0; i < channels; ++i)
        array.element.scalars.push_back({kind, sizeof(T), static_cast<std::uint32_t>(i * sizeof(T)), ""});
    array.extent = std::move(extent);
    array.stride.assign(array.extent.size(), array.element.bytes);
    for (std::size_t i = array.extent.size() - 1; i-- > 0;) array.stride[i] = array.stride[i + 1] * array.extent[i + 1];
    array.first.assign(array.extent.size(), 0);
    array.read = [values = std::move(values)](std::uint64_t offset, std::span<std::byte> to) {
        if (offset + to.size() > values.size() * sizeof(T)) return false;
        std::memcpy(to.data(), reinterpret_cast<const std::byte*>(values.data()) + offset, to.size());
        return true;
    };
    return array;
}

Array waves(std::uint64_t rows, std::uint64_t columns) {
    std::vector<float> values(rows * columns);
    for (std::uint64_t y = 0; y < rows; ++y)
        for (std::uint64_t x = 0; x < columns; ++x)
            values[y * columns + x] = std::sin(0.1f * static_cast<float>(x)) * std::cos(0.07f * static_cast<float>(y));
    return array_of(std::move(values), {rows, columns}, session::Scalar::Kind::floating);
}

/// Noise does not compress.
Array noise(std::uint64_t side) {
    std::vector<float> values(side * side);
    std::uint32_t state = 1;
    for (float& value : values) value = static_cast<float>(state = state * 1664525 + 1013904223);
    return array_of(std::move(values), {side, side}, session::Scalar::Kind::floating);
}

struct Sample {
    std::string name;
    Rich rich;
};

Rich of_array(const Array& array, std::string_view form, std::string_view title) {
    Rich rich{.plain = std::string(title)};
    for (const ArrayForm& each : array_forms())
        if (each.name == form && !each.add_forms(array, title, rich)) rich.plain = "can't be read";
    return rich;
}

Rich of_picture(const Picture& picture) {
    Rich rich{.plain = "a picture"};
    add_forms(picture, rich);
    return rich;
}

std::vector<Sample> arrays() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<int> counting(400);
    for (int i = 0; i < 400; ++i) counting[static_cast<std::size_t>(i)] = i * i;
    std::vector<unsigned char> colors;
    for (unsigned y = 0; y < 48; ++y)
        for (unsigned x = 0; x < 64; ++x)
            for (const unsigned c : {x * 4, y * 5, 128u}) colors.push_back(static_cast<unsigned char>(c));
    Array unwritten = array_of<float>({1, 2, 3, 4, 5, 6}, {2, 3}, session::Scalar::Kind::floating);
    unwritten.is_unwritten = [](std::uint64_t offset, std::uint64_t) { return offset == 8; };
    Rich plot{.plain = "curves"};
    (void)add_plot(waves(3, 300), "three rows", plot);
    return {
        {"numbers_line", of_array(array_of(counting, {400}, session::Scalar::Kind::signed_integer), "numbers",
                                  "int[400] in device memory (d, cell 2)")},
        {"numbers_plane", of_array(waves(64, 64), "numbers", "float[64][64] in device memory (d, cell 3)")},
        {"numbers_odd", of_array(array_of<float>({1, nan, -INFINITY, 0.25f}, {2, 2}, session::Scalar::Kind::floating),
                                 "numbers", "float[2][2] in host memory")},
        {"numbers_unwritten", of_array(unwritten, "numbers", "float[2][3] in device memory")},
        {"hex", of_array(array_of(counting, {400}, session::Scalar::Kind::signed_integer), "hex", "int[400]")},
        {"heat", of_array(waves(256, 384), "heat", "float[256][384] in device memory (d, cell 3)")},
        {"heat_small", of_array(array_of<float>({1, 2, 3, nan, 5, 6}, {2, 3}, session::Scalar::Kind::floating), "heat",
                                "float[2][3] in host memory")},
        {"image", of_array(array_of(colors, {48, 64}, session::Scalar::Kind::unsigned_integer, 3), "image",
                           "uchar3[48][64] in device memory (pixels)")},
        {"histogram", of_array(waves(100, 100), "histogram", "float[100][100] in device memory")},
        {"sparkline", of_array(array_of<float>({1, 4, 9, nan, 25, 36}, {6}, session::Scalar::Kind::floating), "spark",
                               "float[6] in host memory")},
        {"plot", plot},
    };
}

std::vector<Sample> pictures() {
    return {
        {"banks", of_picture(testing::banks(2))},
        {"banks_32_ways", of_picture(testing::banks(32))},
        {"sectors", of_picture(testing::sectors(8))},
        {"source", of_picture(testing::listing())},
        {"residency", of_picture(testing::residency())},
        {"partitions", of_picture(testing::partitions(false))},
        {"l2", of_picture(testing::cache())},
        {"timeline", of_picture(testing::timeline())},
        {"memory",
         {.plain = "a map",
          .svg = memory_map_svg({{0x200000000000, 4096, "device"},
                                 {0x200000001000, 8192, "device"},
                                 {0x200000004000, 2048, "managed"},
                                 {0x7f0000000000, 65536, "pinned"}})}},
    };
}

std::vector<Sample> texts() {
    const SourceLines lines = [](std::string_view, unsigned number) -> std::optional<std::string> {
        static const std::vector<std::string> code = {"__global__ void k(int* p) {", "    int i = threadIdx.x;",
                                                      "    p[i] = i < 3 ? i : \"<b>&\"[0];", "}"};
        return number >= 1 && number <= code.size() ? std::optional(code[number - 1]) : std::nullopt;
    };
    Diagnostic finding = error("oob-write", "4-byte write past the end of `p`, at byte 16 of 16", "compare `i` with n");
    finding.where = {"cell 3", 3, 5};
    finding.thread = ThreadSpot{"k", {0, 0, 0}, {4, 0, 0}};
    finding.notes.push_back({"p (cell 1 line 1): 16 bytes of device memory", {"cell 1", 1, 0}});
    Diagnostic foul = finding;
    foul.message = foul.hint = foul.thread->kernel = foul.where.file = std::string(hostile);
    session::DebugStop stop;
    stop.why = "breakpoint 1 at cell 3:3";
    stop.function = "k";
    stop.where = {"cell 3", 3, 5};
    stop.thread = {5, 0, 0};
    stop.lane = 5;
    stop.moment = 120;
    stop.lanes = "aaaaaaaaddddddddbbbbffffnnnnnnnn";
    stop.kind = "breakpoint";
    stop.breakpoint = 1;
    session::DebugLanes lanes{"i", "int", {}, stop.lanes, 5};
    for (int lane = 0; lane < 32; ++lane) lanes.values.push_back(lane < 16 ? fmt::format("{}", lane) : "");
    const Array a = array_of<float>({1, 2, 3, 4}, {4}, session::Scalar::Kind::floating);
    const Array b = array_of<float>({1, 2.5f, 3, 4}, {4}, session::Scalar::Kind::floating);
    const session::Table table{{"kernel", "registers", "shared bytes"},
                               {{"k", "12", "0"}, {"reduce<256>", "32", "1024"}}};
    const session::Table foul_table{{std::string(hostile)}, {{std::string(hostile)}}};
    return {
        {"table", {.plain = "a table", .html = html(table, "2 kernels\n")}},
        {"table_hostile", {.plain = "a table", .html = html(foul_table, hostile)}},
        {"table_empty", {.plain = "none", .html = html(session::Table{{"kernel"}, {}})}},
        {"finding", {.plain = "a finding", .html = html(finding, lines)}},
        {"finding_hostile", {.plain = "a finding", .html = html(foul, lines)}},
        {"stop", {.plain = "a stop", .html = html(stop, lines)}},
        {"lanes", {.plain = "lanes", .html = html(lanes)}},
        {"difference", {.plain = "a difference", .html = html(*compare(a, b, 0), "")}},
        {"plot_hostile", of_array(waves(1, 50), "spark", hostile)},
    };
}

void write(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

int write_all(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>All "
        "forms</title><style>body{margin:1em}"
        "@media (prefers-color-scheme:dark){body{background:#18181b;color:#e4e4e7}}</style></head><body>\n";
    for (const auto& samples : {pictures(), arrays(), texts()})
        for (const Sample& sample : samples) {
            if (!sample.rich.html.empty()) write(folder / (sample.name + ".html"), sample.rich.html);
            if (!sample.rich.svg.empty()) write(folder / (sample.name + ".svg"), sample.rich.svg);
            if (!sample.rich.png.empty()) write(folder / (sample.name + ".png"), sample.rich.png);
            page += fmt::format("<h3>{}</h3>\n{}{}", sample.name, sample.rich.html, sample.rich.svg);
        }
    write(folder / "all.html", page + "</body></html>\n");
    return 0;
}

int time_heat(std::uint64_t side) {
    const Array array = noise(side);
    const auto begin = std::chrono::steady_clock::now();
    const Rich rich = of_array(array, "heat", "noise");
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    const std::size_t bytes = rich.svg.size() + session::to_base64(std::as_bytes(std::span(rich.png))).size();
    fmt::print("{:.0f} ms, {} bytes of SVG and of PNG in base64\n", taken.count(), bytes);
    return bytes < 200'000 && !rich.png.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--heat") == 0) return time_heat(std::strtoull(argv[2], nullptr, 10));
    if (argc == 2) return write_all(argv[1]);
    std::fputs("usage: rich_page FOLDER | --heat N\n", stderr);
    return 2;
}
