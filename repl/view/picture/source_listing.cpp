// The source of a kernel with a bar for each line.
#include <fmt/format.h>

#include <algorithm>

#include "repl/view/picture/canvas.h"
#include "repl/view/picture/pictures.h"

namespace cudash::view {
namespace {

/// How many times what is ideal; 1 is as good as it gets.
double excess(double actual, double ideal) {
    return ideal > 0 ? actual / ideal : 0;
}

std::string times(double ratio) {
    return ratio > 0 ? fmt::format("{:.1f}x", ratio) : std::string();
}

}  // namespace

std::string left_out(const SourceListing& listing) {
    if (listing.elsewhere < 0.0005) return {};
    return fmt::format("{:.1f} % of the instructions are of other files, or of no line", 100 * listing.elsewhere);
}

std::string draw(const SourceListing& listing, const Canvas& canvas) {
    std::string text = fitted(listing.title, canvas.columns()) + "\n";
    if (listing.lines.empty()) return text + "no line of it was executed\n";
    double most = 0;
    unsigned last = 0;
    for (const SourceLine& line : listing.lines) {
        most = std::max(most, line.executed);
        last = std::max(last, line.number);
    }
    const auto digits = static_cast<unsigned>(fmt::format("{}", last).size());
    // A narrow terminal has the numbers and no lanes.
    const bool wide = canvas.columns() >= 72;
    const unsigned bars = wide ? 10 : 4;
    const unsigned numbers = wide ? 1 + 8 + 7 + 6 : 1 + 8 + 7;
    const unsigned room = canvas.columns() - digits - 1 - bars - numbers;
    text += canvas.bold(fitted(padded("", digits) + " " + padded("work", bars) + " " + padded("sectors", 8) +
                                   padded("waves", 7) + (wide ? padded("lanes", 6) : ""),
                               canvas.columns())) +
            "\n";
    for (const SourceLine& line : listing.lines) {
        const double global = excess(line.sectors, line.ideal_sectors);
        const double shared = excess(line.wavefronts, line.ideal_wavefronts);
        const auto judged = [&](double ratio, unsigned columns) {
            const std::string cell = padded(times(ratio), columns);
            return ratio >= 2 ? canvas.red(cell) : ratio > 1.05 ? canvas.yellow(cell) : cell;
        };
        std::string row = fmt::format("{:>{}} ", line.number, digits);
        row += canvas.cyan(canvas.bar(line.executed, most, bars)) + " " + judged(global, 8) + judged(shared, 7);
        if (wide) {
            const std::string lanes = padded(line.lanes > 0 ? fmt::format("{:.0f}", line.lanes) : std::string(), 6);
            row += line.lanes > 0 && line.lanes < 24 ? canvas.yellow(lanes) : lanes;
        }
        row += fitted(line.text, room);
        while (row.ends_with(' ')) row.pop_back();
        text += row + "\n";
    }
    const std::string missing = left_out(listing);
    if (!missing.empty()) text += wrapped(missing + ": :profile last has them", canvas);
    return text + wrapped(
                      "work: instructions of warps; sectors, waves: times what would be ideal"
                      " (32-byte sectors of global memory, wavefronts of shared memory)" +
                          std::string(wide ? "; lanes: active of 32" : ""),
                      canvas);
}

}  // namespace cudash::view
