#include "repl/view/array_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace cudash::view {
namespace {

constexpr std::size_t shown_differences = 8;
constexpr std::uint64_t context = 1;  ///< elements before and after

/// The largest of the scalars' differences; 0 if they are equal, NaN where numbers say nothing.
double error_of(const session::Element& a, const session::Element& b, const std::byte* at_a, const std::byte* at_b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.scalars.size(); ++i) {
        const double x = number(a.scalars[i], at_a), y = number(b.scalars[i], at_b);
        if (std::isnan(x) && std::isnan(y)) {
            // Two NaNs are the same; of what is not a number the bytes count.
            const bool numbers = a.scalars[i].kind == session::Scalar::Kind::floating ||
                                 a.scalars[i].kind == session::Scalar::Kind::brain;
            const bool same = numbers || (a.scalars[i].bytes == b.scalars[i].bytes &&
                                          std::memcmp(at_a + a.scalars[i].offset, at_b + b.scalars[i].offset,
                                                      a.scalars[i].bytes) == 0);
            if (!same) largest = std::numeric_limits<double>::infinity();
            continue;
        }
        if (x == y) continue;
        const double error =
            std::isnan(x) || std::isnan(y) ? std::numeric_limits<double>::infinity() : std::fabs(x - y);
        largest = std::max(largest, error);
    }
    return largest;
}

}  // namespace

std::optional<Difference> compare(const Array& a, const Array& b, double tolerance) {
    Difference result;
    result.count = std::min(a.count(), b.count());
    result.tolerance = tolerance;
    std::uint64_t last_shown = 0, row_of_a = ~0ull, row_of_b = ~0ull, largest_at = 0;
    std::vector<std::byte> bytes_of_a, bytes_of_b;
    const auto at = [](const Array& array, std::uint64_t index, std::uint64_t& row, std::vector<std::byte>& bytes) {
        const std::uint64_t wanted = index / array.columns();
        if (wanted != row) {
            if (!array.read_row(wanted, 0, array.columns(), bytes)) return static_cast<const std::byte*>(nullptr);
            row = wanted;
        }
        return static_cast<const std::byte*>(bytes.data() + index % array.columns() * array.element.bytes);
    };
    const auto describe = [&](std::uint64_t index, const std::byte* x, const std::byte* y, double error) {
        result.rows.push_back({a.label(index / a.columns(), index % a.columns()), view::text(a.element, x),
                               view::text(b.element, y), error > tolerance ? short_text(error) : "",
                               error > tolerance});
        last_shown = index + 1;
    };
    const bool bytes_decide = a.element == b.element && tolerance == 0;
    for (std::uint64_t i = 0; i < result.count; ++i) {
        const std::byte* x = at(a, i, row_of_a, bytes_of_a);
        const std::byte* y = x ? at(b, i, row_of_b, bytes_of_b) : nullptr;
        if (!y) return std::nullopt;
        if (bytes_decide && std::memcmp(x, y, a.element.bytes) == 0) continue;
        const double error = error_of(a.element, b.element, x, y);
        if (error > result.largest) {
            result.largest = error;
            largest_at = i;
        }
        if (!(error > tolerance)) continue;
        ++result.differing;
        if (result.shown >= shown_differences) continue;
        ++result.shown;
        if (last_shown > 0 && i > last_shown + context) result.rows.push_back({"...", "", "", "", false});
        const std::uint64_t from = std::max(last_shown, i > context ? i - context : 0);
        for (std::uint64_t j = from; j < std::min(result.count, i + context + 1); ++j) {
            const std::byte* p = at(a, j, row_of_a, bytes_of_a);
            const std::byte* q = p ? at(b, j, row_of_b, bytes_of_b) : nullptr;
            if (!q) return std::nullopt;
            const double here = error_of(a.element, b.element, p, q);
            // A neighbour that differs too has its own turn.
            if (j > i && here > tolerance) break;
            describe(j, p, q, here);
        }
    }
    result.largest_at = a.label(largest_at / a.columns(), largest_at % a.columns());
    return result;
}

std::string Difference::sentence() const {
    std::string text;
    if (is_none()) {
        text = fmt::format("{} elements, no difference", count);
        if (tolerance > 0) text += fmt::format(" above {}", short_text(tolerance));
        if (largest > 0) text += fmt::format("; the largest is {} at {}", short_text(largest), largest_at);
        return text;
    }
    text = fmt::format("{} of {} elements differ", differing, count);
    if (tolerance > 0) text += fmt::format(" by more than {}", short_text(tolerance));
    return text + fmt::format("; the largest difference is {} at {}", short_text(largest), largest_at);
}

std::string print(const Difference& difference, const Screen& screen) {
    if (difference.is_none()) return difference.sentence() + "\n";
    std::size_t widths[3] = {0, 0, 0};
    for (const Difference::Row& row : difference.rows) {
        widths[0] = std::max(widths[0], row.index.size());
        widths[1] = std::max(widths[1], row.a.size());
        widths[2] = std::max(widths[2], row.b.size());
    }
    std::string text;
    for (const Difference::Row& row : difference.rows) {
        std::string line = fmt::format("{} {:<{}}  {:>{}}  {:>{}}", row.differs ? '>' : ' ', row.index, widths[0],
                                       row.a, widths[1], row.b, widths[2]);
        if (row.differs) line += "  differ by " + row.error;
        while (line.ends_with(' ')) line.pop_back();
        text += (row.differs ? screen.style.red(line) : line) + "\n";
    }
    if (difference.differing > difference.shown)
        text += fmt::format("... {} more\n", difference.differing - difference.shown);
    return text + difference.sentence() + "\n";
}

}  // namespace cudash::view
