#include "repl/view/picture/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "repl/view/markup.h"

namespace cudash::view {
namespace {

constexpr std::string_view style = R"(<style>
body{font:14px system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222;background:#fff}
table{border-collapse:collapse;margin:.5em 0}td,th{padding:.15em .6em;text-align:left;border-bottom:1px solid #ddd}
td.n,th.n{text-align:right}code,td.code{font-family:ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
h2{margin-top:2em;border-top:2px solid #888;padding-top:.5em}.bad{color:#b00020;font-weight:bold}.fair{color:#9a6700}
svg{display:block;margin:.5em 0;max-width:100%;height:auto}figcaption{color:#555}figure{margin:1em 0}
</style>)";

class Svg {
public:
    Svg(double width, double height) : width_(width), height_(height) {}
    void box(double x, double y, double width, double height, std::string_view fill, std::string_view title = {}) {
        body_ += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}">)", x, y,
                             std::max(width, 0.5), height, fill);
        if (!title.empty()) body_ += "<title>" + escaped(title) + "</title>";
        body_ += "</rect>";
    }
    void text(double x, double y, std::string_view text) {
        body_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" font-size="11">{}</text>)", x, y, escaped(text));
    }
    std::string done(std::string_view caption) const {
        return fmt::format(
                   R"(<figure><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0f} {:.0f}" width="{:.0f}" height="{:.0f}" role="img">{}</svg><figcaption>{}</figcaption></figure>)",
                   width_, height_, width_, height_, body_, escaped(caption)) +
               "\n";
    }

private:
    double width_, height_;
    std::string body_;
};

constexpr std::string_view green = "#2e7d32", blue = "#1565c0", red = "#c62828", yellow = "#f9a825", pale = "#e0e0e0";

std::string ratio_cell(double actual, double ideal) {
    if (ideal <= 0) return "<td></td>";
    const double ratio = actual / ideal;
    return fmt::format(R"(<td class="n {}">{:.1f}x</td>)", ratio >= 2 ? "bad" : ratio > 1.05 ? "fair" : "", ratio);
}

std::string svg(const SourceListing& listing) {
    std::string text = fmt::format(
        "<p><code>{}</code></p>\n<table><tr><th class=n>line</th><th>work</th><th class=n>sectors"
        "</th><th class=n>wavefronts</th><th class=n>lanes</th><th>{}</th></tr>\n",
        escaped(listing.title), escaped(listing.file));
    double most = 1;
    for (const SourceLine& line : listing.lines) most = std::max(most, line.executed);
    for (const SourceLine& line : listing.lines) {
        text += fmt::format(
            R"(<tr><td class=n>{}</td><td><svg width="100" height="12" viewBox="0 0 100 12"><rect width="{:.1f}" height="12" fill="{}"/></svg></td>)",
            line.number, 100 * line.executed / most, blue);
        text += ratio_cell(line.sectors, line.ideal_sectors) + ratio_cell(line.wavefronts, line.ideal_wavefronts);
        text += line.lanes > 0 ? fmt::format("<td class=n>{:.0f}</td>", line.lanes) : std::string("<td></td>");
        text += "<td class=code>" + escaped(line.text) + "</td></tr>\n";
    }
    text += "</table>\n";
    const std::string missing = left_out(listing);
    return missing.empty() ? text : text + "<p>" + missing + ".</p>\n";
}

std::string svg(const BankPicture& picture) {
    constexpr unsigned cell = 18, most_rows = 33;
    const unsigned rows = std::min(picture.passes, most_rows);
    Svg drawing(70 + cell * picture.banks, 20 + cell * rows);
    for (unsigned bank = 0; bank < picture.banks; ++bank) drawing.text(72 + cell * bank, 12, fmt::format("{}", bank));
    for (unsigned pass = 0; pass < rows; ++pass) {
        drawing.text(2, 32 + cell * pass, fmt::format("pass {}", pass + 1));
        for (unsigned bank = 0; bank < picture.banks; ++bank)
            drawing.box(70 + cell * bank, 20 + cell * pass, cell - 2, cell - 2, pale);
    }
    for (const BankPicture::Use& use : picture.uses) {
        if (use.pass >= rows) continue;
        std::string lanes;
        for (unsigned lane = 0; lane < 32; ++lane)
            if (use.lanes >> lane & 1) lanes += fmt::format(" {}", lane);
        drawing.box(70 + cell * use.bank, 20 + cell * use.pass, cell - 2, cell - 2, use.pass == 0 ? green : red,
                    "lanes" + lanes);
    }
    return drawing.done(fmt::format("{}: {} passes, {} would be ideal{}", picture.title, picture.passes,
                                    picture.ideal_passes, picture.passes > rows ? " (the first 33 are shown)" : ""));
}

std::string svg(const SectorPicture& picture) {
    constexpr unsigned row = 18, most_rows = 32;
    const std::size_t rows = std::min<std::size_t>(picture.segments.size(), most_rows);
    Svg drawing(620, 6 + row * static_cast<double>(rows));
    for (std::size_t i = 0; i < rows; ++i) {
        const auto& segment = picture.segments[i];
        drawing.text(2, 15 + row * static_cast<double>(i), fmt::format("{:#x}", segment.address));
        for (unsigned sector = 0; sector < 4; ++sector) {
            const std::uint32_t lanes = segment.lanes[sector];
            std::string names;
            for (unsigned lane = 0; lane < 32; ++lane)
                if (lanes >> lane & 1) names += fmt::format(" {}", lane);
            drawing.box(120 + 122 * sector, 3 + row * static_cast<double>(i), 120, row - 3, lanes ? "#bbdefb" : pale);
            if (lanes) {
                const double used = std::min(1.0, std::popcount(lanes) * picture.element_bytes / 32.0);
                drawing.box(120 + 122 * sector, 3 + row * static_cast<double>(i), 120 * used, row - 3, blue,
                            "lanes" + names);
            }
        }
    }
    return drawing.done(fmt::format("{}: {} sectors, {} would be ideal{}", picture.title, picture.sectors,
                                    picture.ideal_sectors,
                                    rows < picture.segments.size() ? " (the first 32 segments are shown)" : ""));
}

std::string svg(const ResidencyPicture& picture) {
    Svg drawing(700, 30 + 24 * static_cast<double>(picture.resources.size()));
    const double a_warp = 660.0 / std::max(1u, picture.max_warps);
    drawing.box(0, 2, 660, 18, pale);
    for (unsigned block = 0; block < picture.blocks; ++block)
        drawing.box(a_warp * block * picture.warps_per_block, 2, a_warp * picture.warps_per_block - 1, 18,
                    block % 2 ? blue : green, fmt::format("block {}", block));
    double y = 30;
    for (const auto& each : picture.resources) {
        drawing.text(0, y + 12, each.name);
        drawing.box(110, y, 400, 16, pale);
        const double used =
            each.available ? static_cast<double>(each.per_block * picture.blocks) / static_cast<double>(each.available)
                           : 0;
        drawing.box(110, y, 400 * std::min(1.0, used), 16, each.limits ? red : blue);
        drawing.text(516, y + 12, fmt::format("{} of {}", each.per_block * picture.blocks, each.available));
        y += 24;
    }
    return drawing.done(fmt::format("{} of {} warps of a multiprocessor: {} blocks. {}", picture.warps,
                                    picture.max_warps, picture.blocks, picture.note));
}

std::string svg(const PartitionPicture& picture) {
    if (picture.slices.empty()) return {};
    const std::size_t partitions = picture.slices.front().size();
    std::uint64_t most = 0;
    for (const auto& slice : picture.slices) most = std::max(most, std::ranges::max(slice));
    if (most == 0) return {};
    const double width = 560.0 / static_cast<double>(picture.slices.size());
    Svg drawing(660, 14 * static_cast<double>(partitions));
    for (std::size_t p = 0; p < partitions; ++p) {
        drawing.text(0, 14 * static_cast<double>(p) + 11, fmt::format("partition {}", p));
        for (std::size_t i = 0; i < picture.slices.size(); ++i) {
            const double load = static_cast<double>(picture.slices[i][p]) / static_cast<double>(most);
            drawing.box(90 + width * static_cast<double>(i), 14 * static_cast<double>(p), width - 0.5, 12,
                        fmt::format("rgb({:.0f},{:.0f},{:.0f})", 235 - 40 * load, 235 - 195 * load, 240 - 200 * load),
                        fmt::format("{} sectors", picture.slices[i][p]));
        }
    }
    return drawing.done(picture.title + ": sectors asked of each partition of device memory; time goes to the right");
}

std::string svg(const CachePicture& picture) {
    if (picture.size == 0 || picture.moments.empty()) return {};
    double most = 1;
    for (const auto& each : picture.moments)
        most = std::max(most, static_cast<double>(each.normal + each.streaming + each.persisting));
    Svg drawing(760, 20 * static_cast<double>(picture.moments.size()));
    double y = 0;
    for (const auto& each : picture.moments) {
        drawing.text(0, y + 13, each.kernel.substr(0, 24));
        double x = 170;
        const std::pair<std::uint64_t, std::string_view> parts[] = {
            {each.persisting, green}, {each.normal, blue}, {each.streaming, yellow}};
        for (const auto& [bytes, colour] : parts) {
            const double width = 420 * static_cast<double>(bytes) / most;
            if (bytes) drawing.box(x, y + 2, width, 15, colour, bytes_as_text(static_cast<double>(bytes)));
            x += width;
        }
        drawing.text(600, y + 13, fmt::format("hits {:.0f} %", 100 * each.hit_share));
        y += 20;
    }
    return drawing.done(fmt::format(
        "L2 ({}, {} set aside) after each kernel: green persisting, blue normal, yellow streaming",
        bytes_as_text(static_cast<double>(picture.size)), bytes_as_text(static_cast<double>(picture.set_aside))));
}

std::string svg(const TimelinePicture& picture) {
    if (picture.works.empty()) return {};
    std::vector<std::string> streams;
    std::map<std::string, std::size_t> kinds;
    double first = picture.works.front().begin, last = 0;
    for (const auto& work : picture.works) {
        if (std::ranges::find(streams, work.stream) == streams.end()) streams.push_back(work.stream);
        kinds.try_emplace(work.what, kinds.size());
        first = std::min(first, work.begin);
        last = std::max(last, work.end);
    }
    constexpr std::string_view colours[] = {"#1565c0", "#2e7d32", "#c62828", "#6a1b9a",
                                            "#ef6c00", "#00838f", "#5d4037"};
    const double span = std::max(1.0, last - first);
    Svg drawing(860, 24 * static_cast<double>(streams.size()));
    for (const auto& work : picture.works) {
        const auto row = static_cast<double>(std::ranges::find(streams, work.stream) - streams.begin());
        drawing.box(130 + 720 * (work.begin - first) / span, 24 * row + 2, 720 * (work.end - work.begin) / span, 20,
                    colours[kinds[work.what] % std::size(colours)],
                    fmt::format("{}: {:.2f} us", work.what, (work.end - work.begin) / 1000));
    }
    for (std::size_t i = 0; i < streams.size(); ++i) drawing.text(0, 24 * static_cast<double>(i) + 16, streams[i]);
    return drawing.done(
        fmt::format("streams: {:.1f} us on the modeled clock{}", span / 1000,
                    picture.left_out ? fmt::format("; {} earlier operations are not kept", picture.left_out) : ""));
}

}  // namespace

std::string html(const Report& report) {
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                       escaped(report.title) + "</title>\n" + std::string(style) + "</head><body>\n<h1>" +
                       escaped(report.title) + "</h1>\n";
    for (const std::string& note : report.notes) text += "<p>" + escaped(note) + "</p>\n";
    if (!report.rows.empty()) {
        text += "<table id=launches><tr>";
        for (const std::string& column : report.columns) text += "<th>" + escaped(column) + "</th>";
        text += "</tr>\n";
        for (const auto& row : report.rows) {
            text += "<tr>";
            for (const std::string& cell : row) text += "<td>" + escaped(cell) + "</td>";
            text += "</tr>\n";
        }
        text += "</table>\n";
    }
    text += svg(report.timeline) + svg(report.cache);
    for (const LaunchReport& launch : report.launches) {
        text += "<section class=launch><h2>" + escaped(launch.source.title) + "</h2>\n<table>";
        for (const auto& [name, value] : launch.facts)
            text += "<tr><td>" + escaped(name) + "</td><td>" + escaped(value) + "</td></tr>";
        text += "</table>\n" + svg(launch.source) + svg(launch.residency);
        for (const auto& each : launch.banks) text += svg(each);
        for (const auto& each : launch.sectors) text += svg(each);
        text += svg(launch.partitions) + "</section>\n";
    }
    return text + "</body></html>\n";
}

}  // namespace cudash::view
