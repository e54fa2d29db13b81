// Arrays that go into a submission and come out of it: made, compared and written on the grader's side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "repl/grade/keyed_hash.h"
#include "repl/view/array_files.h"
#include "runtime_wrappers/result.h"

namespace cudash::grade {

using Bytes = std::vector<std::byte>;

/// A type of elements, by its name in C++.
struct ElementType {
    std::string_view name;
    session::Scalar::Kind kind;
    std::uint32_t size;
    /// What results may be off by, unless the check says otherwise: of the expected value, and at all.
    double relative, absolute;

    session::Scalar scalar() const { return {kind, size, 0, {}}; }
    bool is_whole() const {
        return kind == session::Scalar::Kind::signed_integer || kind == session::Scalar::Kind::unsigned_integer;
    }
    double read(const std::byte* element) const { return view::number(scalar(), element); }
    void write(double value, std::byte* element) const { view::store(scalar(), value, element); }
    /// Why `value` can't be an element, as a sentence; empty: it can. Fractions may be rounded.
    std::string misfit(double value) const;
};

std::span<const ElementType> element_types();
/// By its name, with or without a leading `__`.
const ElementType* find_type(std::string_view name);

/// `count` elements between `low` and `high`, both included for whole numbers; the same for the same key everywhere.
Bytes random_values(const ElementType& type, std::size_t count, double low, double high, const Key& key);
/// 0, 1, 2, ... elements, each `step` more than the one before.
Bytes counted_values(const ElementType& type, std::size_t count, double first, double step);
Bytes listed_values(const ElementType& type, std::span<const double> values);
/// The elements of a file, as those of `type`; the error is about one of them.
Result<Bytes> loaded_values(const ElementType& type, const view::Loaded& loaded);

struct Comparison {
    std::size_t count = 0, wrong = 0;
    std::string reason;            ///< "3 of 64 elements of out are wrong; the first is out[2]"; empty if none is
    std::string expected, actual;  ///< the first wrong ones with those around them, as lines
};

struct Tolerance {
    double relative = 0, absolute = 0;
};

/// `columns` > 0: the array is shown as rows of so many elements.
Comparison compare_values(std::string_view name, const ElementType& type, std::span<const std::byte> expected,
                          std::span<const std::byte> actual, const Tolerance& tolerance, std::size_t columns);

/// Two texts, word by word: words that are numbers on both sides may differ by the tolerance.
Comparison compare_words(std::string_view expected, std::string_view actual, const Tolerance& tolerance);

}  // namespace cudash::grade
