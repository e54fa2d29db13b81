// An array as the views and files see it: its elements, its shape, and a way to its bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "repl/session/memory/query.h"
#include "repl/view/look.h"
#include "repl/view/style.h"

namespace cudash::view {

/// Copies bytes at an offset; false if they can't be read.
using ReadAt = std::function<bool(std::uint64_t offset, std::span<std::byte>)>;

struct Array {
    session::Element element;
    std::vector<std::uint64_t> extent, stride;  ///< outermost first; at least one dimension
    std::vector<std::uint64_t> first;           ///< the index of the first element in each dimension, for labels
    std::uint64_t begin = 0;                    ///< of the first element: an offset for `read`
    std::vector<std::uint64_t> step;            ///< from one index to the next, for labels; empty: 1
    ReadAt read;
    /// True if nothing has written these bytes, which were read. May be empty.
    std::function<bool(std::uint64_t offset, std::uint64_t bytes)> is_unwritten;

    std::uint64_t columns() const { return extent.back(); }
    /// All dimensions but the last, flattened.
    std::uint64_t rows() const;
    std::uint64_t count() const { return rows() * columns(); }
    /// Where an element's bytes are.
    std::uint64_t offset(std::uint64_t row, std::uint64_t column) const;
    /// The index of the element at `place` of a dimension.
    std::uint64_t index(std::size_t dimension, std::uint64_t place) const {
        return first[dimension] + place * (step.empty() ? 1 : step[dimension]);
    }
    /// "[2,0]": the index of an element as the program would write it.
    std::string label(std::uint64_t row, std::uint64_t column) const;
    /// The elements [from, from + count) of a row, without gaps.
    bool read_row(std::uint64_t row, std::uint64_t from, std::uint64_t count, std::vector<std::byte>& bytes) const;
};

/// A row as an array of one dimension.
Array row_of(const Array& array, std::uint64_t row);

/// What a view may use of the terminal.
struct Screen {
    Style style;
    unsigned width = 80;
    unsigned elements = Look{}.elements;  ///< of a long line, so many are printed
};

/// NaN for what is not a number.
double number(const session::Scalar& scalar, const std::byte* element);
std::string text(const session::Scalar& scalar, const std::byte* element);
/// "3", or "(1, 2, 3)" of several scalars.
std::string text(const session::Element& element, const std::byte* bytes);
/// Stores a number in a scalar, as a conversion in C++ would; false if it is of no kind that holds numbers.
bool store(const session::Scalar& scalar, double number, std::byte* element);

/// Numbers of an array's first scalar: how many, and what they are like.
struct Summary {
    std::uint64_t count = 0, nans = 0, infinite = 0, zeros = 0;
    double least = 0, most = 0, sum = 0, squares = 0;  ///< of the finite ones

    std::uint64_t finite() const { return count - nans - infinite; }
    double mean() const { return finite() ? sum / static_cast<double>(finite()) : 0; }
    double deviation() const;
};
/// False if memory can't be read.
bool summarise(const Array& array, Summary& summary);

/// Which of `levels` equal intervals between `least` and `most` holds the value, from 0.
std::size_t level(double value, double least, double most, std::size_t levels);
/// Adds to `counts` how many finite numbers lie in each of so many equal intervals; false if memory can't be read.
bool tally(const Array& array, double least, double most, std::vector<std::uint64_t>& counts);

/// The averages of the array's parts, `height` x `width` of them, row by row; NaN where a part holds no finite number.
bool reduce(const Array& array, std::size_t height, std::size_t width, std::vector<double>& cells,
            std::size_t scalar = 0);

/// The least and the largest of numbers, NaN left out; 0 and 0 of none.
std::pair<double, double> range_of(const std::vector<double>& cells);

/// Numbers as a few digits: "0.1", "1.5e+20".
std::string short_text(double value);

}  // namespace cudash::view
