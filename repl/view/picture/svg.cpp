#include "repl/view/picture/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "repl/view/markup.h"
#include "repl/view/picture/canvas.h"
#include "repl/view/picture/page.h"

namespace cudash::view {
namespace {

PageCell ratio_cell(double actual, double ideal) {
    if (ideal <= 0) return {};
    const double ratio = actual / ideal;
    return {fmt::format("{:.1f}x", ratio), ratio >= 2 ? "n bad" : ratio > 1.05 ? "n fair" : "n"};
}

}  // namespace

std::string html(const SourceListing& listing) {
    std::string text = fmt::format("<p><code>{}</code></p>\n", escaped(listing.title));
    if (listing.lines.empty()) return text + "<p>no line of it was executed</p>\n";
    text += "<div class=\"wide\"><table>\n<tr>";
    for (const PageCell& heading :
         PageRow{{"line", "n"}, {"work"}, {"sectors", "n"}, {"wavefronts", "n"}, {"lanes", "n"}, {listing.file}})
        text += cell_html(heading, "th");
    text += "</tr>\n";
    double most = 1;
    for (const SourceLine& line : listing.lines) most = std::max(most, line.executed);
    for (const SourceLine& line : listing.lines) {
        Figure bar(100, 12);
        bar.box(0, 0, 100 * line.executed / most, 12, Ink::blue, fmt::format("{:.0f} instructions", line.executed));
        text += "<tr>" + cell_html({fmt::format("{}", line.number), "n quiet"}) + "<td>" +
                (line.executed > 0 ? bar.inline_svg() : "") + "</td>" +
                cell_html(ratio_cell(line.sectors, line.ideal_sectors)) +
                cell_html(ratio_cell(line.wavefronts, line.ideal_wavefronts)) +
                cell_html({line.lanes > 0 ? fmt::format("{:.0f}", line.lanes) : "",
                           line.lanes > 0 && line.lanes < 24 ? "n fair" : "n"}) +
                cell_html({line.text, "code"}) + "</tr>\n";
    }
    text += "</table></div>\n";
    const std::string missing = left_out(listing);
    if (!missing.empty()) text += "<p>" + missing + ".</p>\n";
    return text +
           "<p class=\"quiet\">work: instructions of warps; sectors, wavefronts: times what would be ideal; lanes: "
           "active of 32</p>\n";
}

Figure figure(const BankPicture& picture) {
    constexpr unsigned cell = 18, most_rows = 33;
    const unsigned rows = std::min(picture.passes, most_rows);
    Figure drawing(70 + cell * picture.banks, 20 + cell * rows);
    for (unsigned bank = 0; bank < picture.banks; ++bank) drawing.text(72 + cell * bank, 12, fmt::format("{}", bank));
    for (unsigned pass = 0; pass < rows; ++pass) {
        drawing.text(2, 32 + cell * pass, fmt::format("pass {}", pass + 1));
        for (unsigned bank = 0; bank < picture.banks; ++bank)
            drawing.box(70 + cell * bank, 20 + cell * pass, cell - 2, cell - 2, Ink::pale);
    }
    for (const BankPicture::Use& use : picture.uses) {
        if (use.pass >= rows) continue;
        std::string lanes;
        for (unsigned lane = 0; lane < 32; ++lane)
            if (use.lanes >> lane & 1) lanes += fmt::format(" {}", lane);
        drawing.box(70 + cell * use.bank, 20 + cell * use.pass, cell - 2, cell - 2,
                    use.pass == 0 ? Ink::good : Ink::bad, "lanes" + lanes);
    }
    drawing.set_caption(fmt::format("{}: {} passes, {} would be ideal{}", picture.title, picture.passes,
                                    picture.ideal_passes, picture.passes > rows ? " (the first 33 are shown)" : ""));
    return drawing;
}

Figure figure(const SectorPicture& picture) {
    constexpr unsigned row = 18, most_rows = 32;
    const std::size_t rows = std::min<std::size_t>(picture.segments.size(), most_rows);
    Figure drawing(620, 6 + row * static_cast<double>(rows));
    for (std::size_t i = 0; i < rows; ++i) {
        const auto& segment = picture.segments[i];
        drawing.text(2, 15 + row * static_cast<double>(i), fmt::format("{:#x}", segment.address));
        for (unsigned sector = 0; sector < 4; ++sector) {
            const std::uint32_t lanes = segment.lanes[sector];
            std::string names;
            for (unsigned lane = 0; lane < 32; ++lane)
                if (lanes >> lane & 1) names += fmt::format(" {}", lane);
            drawing.box(120 + 122 * sector, 3 + row * static_cast<double>(i), 120, row - 3,
                        lanes ? Ink::soft : Ink::pale);
            if (lanes) {
                const double used = std::min(1.0, std::popcount(lanes) * picture.element_bytes / 32.0);
                drawing.box(120 + 122 * sector, 3 + row * static_cast<double>(i), 120 * used, row - 3, Ink::blue,
                            "lanes" + names);
            }
        }
    }
    drawing.set_caption(fmt::format("{}: {} sectors, {} would be ideal{}", picture.title, picture.sectors,
                                    picture.ideal_sectors,
                                    rows < picture.segments.size() ? " (the first 32 segments are shown)" : ""));
    return drawing;
}

Figure figure(const ResidencyPicture& picture) {
    Figure drawing(700, 30 + 24 * static_cast<double>(picture.resources.size()));
    const double a_warp = 660.0 / std::max(1u, picture.max_warps);
    drawing.box(0, 2, 660, 18, Ink::pale);
    for (unsigned block = 0; block < picture.blocks; ++block)
        drawing.box(a_warp * block * picture.warps_per_block, 2, a_warp * picture.warps_per_block - 1, 18,
                    block % 2 ? Ink::blue : Ink::good, fmt::format("block {}", block));
    double y = 30;
    for (const auto& each : picture.resources) {
        drawing.text(0, y + 12, each.name);
        drawing.box(110, y, 400, 16, Ink::pale);
        const double used =
            each.available ? static_cast<double>(each.per_block * picture.blocks) / static_cast<double>(each.available)
                           : 0;
        drawing.box(110, y, 400 * std::min(1.0, used), 16, each.limits ? Ink::bad : Ink::blue);
        drawing.text(516, y + 12, fmt::format("{} of {}", each.per_block * picture.blocks, each.available));
        y += 24;
    }
    drawing.set_caption(fmt::format("{} of {} warps of a multiprocessor: {} blocks. {}", picture.warps,
                                    picture.max_warps, picture.blocks, picture.note));
    return drawing;
}

Figure figure(const PartitionPicture& picture) {
    if (picture.slices.empty()) return {};
    const std::size_t partitions = picture.slices.front().size();
    std::uint64_t most = 0;
    for (const auto& slice : picture.slices) most = std::max(most, std::ranges::max(slice));
    if (most == 0) return {};
    const double width = 560.0 / static_cast<double>(picture.slices.size());
    Figure drawing(660, 14 * static_cast<double>(partitions));
    for (std::size_t p = 0; p < partitions; ++p) {
        drawing.text(0, 14 * static_cast<double>(p) + 11, fmt::format("partition {}", p));
        for (std::size_t i = 0; i < picture.slices.size(); ++i) {
            const double load = static_cast<double>(picture.slices[i][p]) / static_cast<double>(most);
            drawing.box(90 + width * static_cast<double>(i), 14 * static_cast<double>(p), width - 0.5, 12,
                        fmt::format("rgb({:.0f},{:.0f},{:.0f})", 235 - 40 * load, 235 - 195 * load, 240 - 200 * load),
                        fmt::format("{} sectors", picture.slices[i][p]));
        }
    }
    drawing.set_caption(picture.title + ": sectors asked of each partition of device memory; time goes to the right");
    return drawing;
}

Figure figure(const CachePicture& picture) {
    if (picture.size == 0 || picture.moments.empty()) return {};
    double most = 1;
    for (const auto& each : picture.moments)
        most = std::max(most, static_cast<double>(each.normal + each.streaming + each.persisting));
    Figure drawing(760, 20 * static_cast<double>(picture.moments.size()));
    double y = 0;
    for (const auto& each : picture.moments) {
        drawing.text(0, y + 13, fitted(each.kernel, 24));
        double x = 170;
        const std::pair<std::uint64_t, Ink> parts[] = {
            {each.persisting, Ink::good}, {each.normal, Ink::blue}, {each.streaming, Ink::warm}};
        for (const auto& [bytes, ink] : parts) {
            const double width = 420 * static_cast<double>(bytes) / most;
            if (bytes) drawing.box(x, y + 2, width, 15, ink, bytes_as_text(static_cast<double>(bytes)));
            x += width;
        }
        drawing.text(600, y + 13, fmt::format("hits {:.0f} %", 100 * each.hit_share));
        y += 20;
    }
    drawing.set_caption(fmt::format(
        "L2 ({}, {} set aside) after each kernel: green persisting, blue normal, yellow streaming",
        bytes_as_text(static_cast<double>(picture.size)), bytes_as_text(static_cast<double>(picture.set_aside))));
    return drawing;
}

Figure figure(const TimelinePicture& picture) {
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
    constexpr Ink inks[] = {Ink::blue, Ink::good, Ink::bad, Ink::violet, Ink::orange, Ink::teal, Ink::quiet};
    const double span = std::max(1.0, last - first);
    Figure drawing(860, 24 * static_cast<double>(streams.size()));
    for (const auto& work : picture.works) {
        const auto row = static_cast<double>(std::ranges::find(streams, work.stream) - streams.begin());
        drawing.box(130 + 720 * (work.begin - first) / span, 24 * row + 2, 720 * (work.end - work.begin) / span, 20,
                    inks[kinds[work.what] % std::size(inks)],
                    fmt::format("{}: {:.2f} us", work.what, (work.end - work.begin) / 1000));
    }
    for (std::size_t i = 0; i < streams.size(); ++i) drawing.text(0, 24 * static_cast<double>(i) + 16, streams[i]);
    drawing.set_caption(
        fmt::format("streams: {:.1f} us on the modeled clock{}", span / 1000,
                    picture.left_out ? fmt::format("; {} earlier operations are not kept", picture.left_out) : ""));
    return drawing;
}

}  // namespace cudash::view
