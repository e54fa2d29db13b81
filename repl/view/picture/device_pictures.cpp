// A whole device: blocks on a multiprocessor, partitions of memory, the L2 cache, streams.
#include <fmt/format.h>

#include <algorithm>

#include "repl/view/picture/canvas.h"
#include "repl/view/picture/pictures.h"

namespace cudash::view {

std::string draw(const ResidencyPicture& picture, const Canvas& canvas) {
    std::string text = fitted(picture.title, canvas.columns()) + "\n";
    if (picture.blocks == 0) text += "no block fits on a multiprocessor\n";
    // Each block as many boxes as it has warps; what stays free as dots.
    const unsigned room = canvas.columns() - 2;
    const unsigned warps = std::max(1u, picture.max_warps);
    const unsigned scale = (warps + room - 1) / room;  // warps in a column
    std::string row;
    unsigned columns = 0;
    for (unsigned block = 0; block < picture.blocks; ++block) {
        const unsigned begin = block * picture.warps_per_block / scale,
                       end = (block + 1) * picture.warps_per_block / scale;
        for (unsigned i = begin; i < end; ++i, ++columns) {
            const std::string mark = canvas.unicode ? (block % 2 ? "\u2592" : "\u2588") : block % 2 ? "+" : "#";
            row += block % 2 ? canvas.cyan(mark) : canvas.green(mark);
        }
    }
    for (; columns < warps / scale; ++columns) row += canvas.unicode ? "\u00B7" : ".";
    text += "[" + row + "]\n";
    text += wrapped(fmt::format("{} blocks of {} warps: {} of {} warps, {:.0f} %", picture.blocks,
                                picture.warps_per_block, picture.warps, picture.max_warps,
                                picture.max_warps ? 100.0 * picture.warps / picture.max_warps : 0.0),
                    canvas);
    const unsigned bars = canvas.columns() >= 72 ? 20 : 8;
    for (const ResidencyPicture::Resource& each : picture.resources) {
        const auto used = static_cast<double>(each.per_block * picture.blocks);
        const std::string bar = canvas.bar(used, static_cast<double>(each.available), bars);
        std::string line = padded(each.name, 14) + (each.limits ? canvas.red(bar) : canvas.cyan(bar)) + " ";
        line += fitted(fmt::format("{} of {}{}", each.per_block * picture.blocks, each.available,
                                   each.limits ? "  <- limits" : ""),
                       canvas.columns() - 15 - bars);
        text += line + "\n";
        if (canvas.columns() >= 72)
            text += fmt::format("{}{} a block: room for {}\n", std::string(14, ' '), each.per_block,
                                each.per_block == 0 ? "any number" : fmt::format("{}", each.blocks));
    }
    return picture.note.empty() ? text : text + wrapped(picture.note, canvas);
}

std::string draw(const PartitionPicture& picture, const Canvas& canvas) {
    std::string text = fitted(picture.title, canvas.columns()) + "\n";
    if (picture.slices.empty()) return text + "no block ran\n";
    const std::size_t partitions = picture.slices.front().size();
    // Time goes to the right; slices are joined if there are more than columns.
    const std::size_t room = canvas.columns() - 14;
    const std::size_t join = (picture.slices.size() + room - 1) / room;
    std::vector<std::vector<double>> columns;
    for (std::size_t i = 0; i < picture.slices.size(); i += join) {
        columns.emplace_back(partitions);
        for (std::size_t k = i; k < std::min(i + join, picture.slices.size()); ++k)
            for (std::size_t p = 0; p < partitions; ++p) columns.back()[p] += static_cast<double>(picture.slices[k][p]);
    }
    double most = 0, all = 0, busiest = 0;
    for (const auto& column : columns) {
        double sum = 0, top = 0;
        for (const double load : column) {
            sum += load;
            top = std::max(top, load);
        }
        most = std::max(most, top);
        all += sum;
        busiest += top;
    }
    if (all == 0) return text + "device memory was not accessed\n";
    for (std::size_t p = 0; p < partitions; ++p) {
        text += padded(fmt::format("partition {}", p), 14);
        for (const auto& column : columns) {
            const std::string mark = canvas.shade(column[p], most);
            text += column[p] > 0.75 * most ? canvas.red(mark) : mark;
        }
        text += "\n";
    }
    return text + wrapped(fmt::format("time goes to the right; at any time the busiest partition has {:.1f} times its "
                                      "share: 1 is spread evenly, {} is all on one",
                                      busiest * static_cast<double>(partitions) / all, partitions),
                          canvas);
}

std::string draw(const CachePicture& picture, const Canvas& canvas) {
    std::string text = fitted(fmt::format("L2: {}, {} set aside", bytes_as_text(static_cast<double>(picture.size)),
                                          bytes_as_text(static_cast<double>(picture.set_aside))),
                              canvas.columns()) +
                       "\n";
    if (picture.moments.empty()) return wrapped("no kernel has run since the profile began", canvas);
    if (picture.size == 0) return wrapped("this device has no L2 cache for global memory", canvas);
    const bool wide = canvas.columns() >= 72;
    const unsigned name = wide ? 18 : 10, bars = canvas.columns() - name - (wide ? 35 : 8);
    double most = 0;
    for (const auto& moment : picture.moments)
        most = std::max(most, static_cast<double>(moment.normal + moment.streaming + moment.persisting));
    // Small launches fill little of a big cache: the bar is of what was ever there.
    for (const auto& moment : picture.moments) {
        const double all = static_cast<double>(moment.normal + moment.streaming + moment.persisting);
        const auto cells = [&](std::uint64_t bytes) {
            return most > 0 ? static_cast<unsigned>(static_cast<double>(bytes) / most * bars + 0.5) : 0u;
        };
        std::string bar;
        unsigned used = 0;
        const auto part = [&](std::uint64_t bytes, const char* unicode, const char* plain, auto&& paint) {
            const unsigned count = std::min(cells(bytes), bars - used);
            std::string marks;
            for (unsigned i = 0; i < count; ++i) marks += canvas.unicode ? unicode : plain;
            used += count;
            bar += paint(marks);
        };
        part(moment.persisting, "\u2588", "P", [&](const std::string& s) { return canvas.green(s); });
        part(moment.normal, "\u2592", "n", [&](const std::string& s) { return canvas.cyan(s); });
        part(moment.streaming, "\u2591", "s", [&](const std::string& s) { return canvas.yellow(s); });
        bar.append(bars - used, ' ');
        text += padded(moment.kernel, name) + bar;
        text += wide ? fitted(fmt::format(" {:>8}, hits {:.0f} %{}", bytes_as_text(all), 100 * moment.hit_share,
                                          moment.window ? fmt::format(", window {:.0f} %",
                                                                      100.0 * static_cast<double>(moment.of_window) /
                                                                          static_cast<double>(moment.window))
                                                        : ""),
                              35)
                     : fmt::format(" {:>5.0f} %", 100 * moment.hit_share);
        text += "\n";
    }
    return text +
           wrapped(canvas.unicode
                       ? "\u2588 persisting, \u2592 normal, \u2591 streaming; hits: of the sectors that the kernel "
                         "asked L2 for; window: how much of it L2 holds"
                       : "P persisting, n normal, s streaming; hits: of the sectors that the kernel asked L2 for; "
                         "window: how much of it L2 holds",
                   canvas);
}

std::string draw(const TimelinePicture& picture, const Canvas& canvas) {
    if (picture.works.empty()) return "no work was done in streams\n";
    double first = picture.works.front().begin, last = 0;
    std::vector<std::string> streams;
    for (const auto& work : picture.works) {
        first = std::min(first, work.begin);
        last = std::max(last, work.end);
        if (std::ranges::find(streams, work.stream) == streams.end()) streams.push_back(work.stream);
    }
    const unsigned label = canvas.columns() >= 60 ? 16 : 10, room = canvas.columns() - label - 2;
    const double span = std::max(1.0, last - first);
    std::string text = fmt::format("{:.1f} us on the modeled clock\n", span / 1000);
    std::string letters;
    std::vector<std::string> names;
    const auto letter_of = [&](const std::string& what) {
        const auto known = std::ranges::find(names, what);
        if (known != names.end()) return static_cast<char>('A' + (known - names.begin()) % 26);
        names.push_back(what);
        return static_cast<char>('A' + (names.size() - 1) % 26);
    };
    for (const auto& work : picture.works) letter_of(work.what);
    for (const std::string& stream : streams) {
        std::string row(room, ' ');
        for (const auto& work : picture.works) {
            if (work.stream != stream) continue;
            const auto from = static_cast<std::size_t>((work.begin - first) / span * (room - 1));
            const auto to = std::max(from, static_cast<std::size_t>((work.end - first) / span * (room - 1)));
            for (std::size_t i = from; i <= to && i < room; ++i) row[i] = letter_of(work.what);
        }
        text += padded(stream, label) + "|" + canvas.cyan(row) + "|\n";
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 26); ++i)
        text += fitted(fmt::format("  {}  {}", static_cast<char>('A' + i % 26), names[i]), canvas.columns()) + "\n";
    if (names.size() > 26)
        text += fmt::format("  ... and {} more kinds of work, under the same letters\n", names.size() - 26);
    if (picture.left_out) text += fmt::format("{} earlier operations are not kept\n", picture.left_out);
    return text;
}

}  // namespace cudash::view
