// One access of a warp: to the banks of shared memory, to the sectors of global memory.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "repl/view/picture/canvas.h"
#include "repl/view/picture/pictures.h"

namespace cudash::view {
namespace {

/// "0-3,8".
std::string ranges(std::uint32_t mask) {
    std::string text;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        unsigned last = lane;
        while (last < 31 && (mask >> (last + 1) & 1)) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ",", lane);
        if (last > lane) text += fmt::format("-{}", last);
        lane = last;
    }
    return text;
}

}  // namespace

std::string draw(const BankPicture& picture, const Canvas& canvas) {
    std::string text = fitted(picture.title, canvas.columns()) + "\n";
    if (picture.active == 0) return text + "no lane took part\n";
    // By bank: the lanes of each pass. One column a bank, one row a pass.
    std::vector<std::vector<std::uint32_t>> served(picture.passes, std::vector<std::uint32_t>(picture.banks));
    for (const BankPicture::Use& use : picture.uses)
        if (use.pass < picture.passes) served[use.pass][use.bank % picture.banks] |= use.lanes;
    const unsigned label = 9;  // "pass 12  "
    // One column for each bank if all fit beside the label, otherwise in two rows of half of them.
    const unsigned a_row = picture.banks + label <= canvas.columns() ? picture.banks : picture.banks / 2;
    constexpr unsigned most_rows = 16;
    for (unsigned first = 0; first < picture.banks; first += a_row) {
        text += padded("bank", label);
        for (unsigned bank = first; bank < first + a_row; ++bank)
            text += bank % 10 == 0 ? fmt::format("{}", bank / 10) : fmt::format("{}", bank % 10);
        text += "\n";
        for (unsigned pass = 0; pass < std::min(picture.passes, most_rows); ++pass) {
            text += padded(fmt::format("pass {}", pass + 1), label);
            for (unsigned bank = first; bank < first + a_row; ++bank) {
                const std::uint32_t lanes = served[pass][bank];
                const int count = std::popcount(lanes);
                const std::string mark = count == 0   ? (canvas.unicode ? "\u00B7" : ".")
                                         : count == 1 ? (canvas.unicode ? "\u25A0" : "#")
                                                      : (canvas.unicode ? "\u25A3" : "@");
                text += count == 0 ? mark : pass == 0 ? canvas.green(mark) : canvas.red(mark);
            }
            text += "\n";
        }
    }
    if (picture.passes > most_rows) text += fmt::format("... and {} more passes\n", picture.passes - most_rows);
    // The busiest bank, lane by lane.
    std::map<unsigned, std::map<unsigned, std::uint32_t>> waits;
    for (const BankPicture::Use& use : picture.uses) waits[use.bank][use.pass] |= use.lanes;
    const auto busiest = std::ranges::max_element(waits, {}, [](const auto& each) { return each.second.size(); });
    const std::string sharing = canvas.unicode ? "\u25A3" : "@";
    text += wrapped(fmt::format("{} lanes in {} pass{}, {} would be ideal; {} = several lanes at one word",
                                std::popcount(picture.active), picture.passes, picture.passes == 1 ? "" : "es",
                                picture.ideal_passes, sharing),
                    canvas);
    if (busiest->second.size() > 1) {
        std::string order;
        unsigned shown = 0;
        for (const auto& [pass, lanes] : busiest->second) {
            if (++shown > 8) break;
            order += fmt::format("{}{}", order.empty() ? "" : ", then ", ranges(lanes));
        }
        if (shown > 8) order += ", ...";
        text += wrapped(fmt::format("bank {} serves lane {}", busiest->first, order), canvas);
    }
    return text;
}

std::string draw(const SectorPicture& picture, const Canvas& canvas) {
    std::string text = fitted(picture.title, canvas.columns()) + "\n";
    if (picture.active == 0) return text + "no lane took part\n";
    constexpr std::size_t most_rows = 12;
    std::size_t shown = 0;
    const bool wide = canvas.columns() >= 60;
    for (const SectorPicture::Segment& segment : picture.segments) {
        if (shown++ == most_rows) break;
        std::string row = fmt::format("{:#014x} ", segment.address);
        std::uint32_t all = 0;
        for (const std::uint32_t lanes : segment.lanes) {
            all |= lanes;
            const std::string cell =
                canvas.bar(std::min(32.0, 1.0 * std::popcount(lanes) * picture.element_bytes), 32, 4);
            row += (canvas.unicode ? "\u2502" : "|") + (lanes ? canvas.cyan(cell) : cell);
        }
        row += canvas.unicode ? "\u2502" : "|";
        if (wide) row += fitted(" lanes " + ranges(all), canvas.columns() - 15 - 4 * 5 - 1);
        text += row + "\n";
    }
    if (picture.segments.size() > most_rows)
        text += fmt::format("... and {} more segments\n", picture.segments.size() - most_rows);
    return text + wrapped(fmt::format("{} lanes of {} bytes touch {} sectors of 32 bytes in {} segments of {}; {} "
                                      "sectors would be ideal; {} transactions",
                                      std::popcount(picture.active), picture.element_bytes, picture.sectors,
                                      picture.segments.size(), 128, picture.ideal_sectors, picture.transactions),
                          canvas);
}

}  // namespace cudash::view
