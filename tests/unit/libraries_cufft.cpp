// Transforms of cuFFT against sums as the definition has them, for random sizes and layouts; rows of memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <set>
#include <vector>

#include "runtime_wrappers/libraries/cufft/transform.h"

using namespace cudash::libraries::cufft;

namespace {

/// exp(+- 2 pi i j k / n), summed.
std::vector<Complex> by_definition(const std::vector<Complex>& numbers, std::size_t stride, std::size_t start,
                                   std::size_t length, bool inverse) {
    std::vector<Complex> sums(length);
    for (std::size_t k = 0; k < length; ++k)
        for (std::size_t j = 0; j < length; ++j) {
            const double turn = (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(j * k % length);
            sums[k] += numbers[start + j * stride] * std::polar(1.0, turn / static_cast<double>(length));
        }
    return sums;
}

/// All dimensions of a packed array, in place.
void transform_by_definition(std::vector<Complex>& numbers, const Sizes& sizes, bool inverse) {
    std::size_t stride = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        const auto length = static_cast<std::size_t>(sizes[i]);
        for (std::size_t start = 0; start < numbers.size(); ++start) {
            if (start / stride % length != 0) continue;
            const auto line = by_definition(numbers, stride, start, length, inverse);
            for (std::size_t k = 0; k < length; ++k) numbers[start + k * stride] = line[k];
        }
        stride *= length;
    }
}

template <class Visit>
void each_element(const Sizes& sizes, Visit visit) {
    for (std::int64_t x = 0; x < sizes[0]; ++x)
        for (std::int64_t y = 0; y < sizes[1]; ++y)
            for (std::int64_t z = 0; z < sizes[2]; ++z) visit(x, y, z);
}

class Case {
public:
    explicit Case(unsigned seed) : random_(seed) {}
    std::int64_t below(std::int64_t limit) {
        return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random_);
    }
    double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
    Sizes sizes() {
        const std::int64_t rank = 1 + below(3);
        if (rank == 1) return {1, 1, 1 + below(200)};
        if (rank == 2) return {1, 1 + below(20), 1 + below(20)};
        return {1 + below(8), 1 + below(8), 1 + below(8)};
    }
    /// Room for `sizes`, more or less tight.
    Layout layout(const Sizes& sizes) {
        Sizes storage = sizes;
        if (below(2) == 0)
            for (std::int64_t& size : storage) size += below(3);
        const std::int64_t stride = 1 + (below(2) == 0 ? below(4) : 0);
        return Layout::within(storage, stride, count_of(storage) * stride + (below(2) == 0 ? below(5) : 0));
    }

private:
    std::mt19937 random_;
};

std::int64_t place(const Layout& layout, std::int64_t batch, std::int64_t x, std::int64_t y, std::int64_t z) {
    return batch * layout.batch + x * layout.strides[0] + y * layout.strides[1] + z * layout.strides[2];
}

constexpr double untouched = 77;

/// The largest difference, relative to the size of the results; infinite where something else was written.
template <class Real>
double difference(unsigned seed) {
    Case random(seed);
    const Kind kind = static_cast<Kind>(random.below(3));
    const bool inverse = kind == Kind::complex_to_real || (kind == Kind::complex_to_complex && random.below(2) == 0);
    const Sizes sizes = random.sizes(), half = half_of(sizes);
    const std::int64_t batch = 1 + random.below(3);
    const Layout read = random.layout(sizes), written = random.layout(sizes);

    // Numbers in real or complex arrays of `layout`, as floats or doubles.
    const auto parts = [](bool real) { return std::size_t{real ? 1U : 2U}; };
    const bool reads_real = kind == Kind::real_to_complex, writes_real = kind == Kind::complex_to_real;
    std::vector<Real> from(static_cast<std::size_t>(read.batch * batch) * parts(reads_real));
    std::vector<Real> to(static_cast<std::size_t>(written.batch * batch) * parts(writes_real), Real(untouched));
    std::vector<Real> wanted = to;
    for (Real& value : from) value = static_cast<Real>(random.number());

    double largest = 1;
    for (std::int64_t i = 0; i < batch; ++i) {
        std::vector<Complex> numbers(static_cast<std::size_t>(count_of(sizes)));
        const auto number = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> Complex& {
            return numbers[static_cast<std::size_t>((x * sizes[1] + y) * sizes[2] + z)];
        };
        const auto value = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const auto at = static_cast<std::size_t>(place(read, i, x, y, z));
            return reads_real ? Complex(from[at]) : Complex(from[2 * at], from[2 * at + 1]);
        };
        if (kind == Kind::complex_to_real) {
            // A spectrum of real numbers: made of them, and stored as its half.
            for (Complex& each : numbers) each = random.number();
            transform_by_definition(numbers, sizes, false);
            each_element(half, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                const auto at = static_cast<std::size_t>(place(read, i, x, y, z));
                from[2 * at] = static_cast<Real>(number(x, y, z).real());
                from[2 * at + 1] = static_cast<Real>(number(x, y, z).imag());
            });
        } else {
            each_element(sizes,
                         [&](std::int64_t x, std::int64_t y, std::int64_t z) { number(x, y, z) = value(x, y, z); });
        }
        transform_by_definition(numbers, sizes, inverse);
        each_element(kind == Kind::real_to_complex ? half : sizes, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const auto at = static_cast<std::size_t>(place(written, i, x, y, z)) * parts(writes_real);
            wanted[at] = static_cast<Real>(number(x, y, z).real());
            if (!writes_real) wanted[at + 1] = static_cast<Real>(number(x, y, z).imag());
            largest = std::max(largest, std::abs(number(x, y, z)));
        });
    }
    Transform(kind, sizes).run<Real>(from.data(), read, to.data(), written, batch, inverse);
    double result = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (wanted[i] == Real(untouched) && to[i] != Real(untouched)) return INFINITY;
        result = std::max(result, static_cast<double>(std::abs(to[i] - wanted[i])) / largest);
    }
    return result;
}

}  // namespace

TEST_CASE("libraries: a line of any length is transformed as its definition says") {
    for (const std::size_t length : {1, 2, 3, 4, 5, 7, 8, 12, 61, 67, 97, 100, 127, 134, 251, 256, 360, 1009})
        for (const bool inverse : {false, true}) {
            CAPTURE(length);
            Case random(static_cast<unsigned>(length));
            std::vector<Complex> numbers(length * 3), to(length);
            for (Complex& number : numbers) number = {random.number(), random.number()};
            LineTransform(length, inverse)(numbers.data(), 3, to.data());
            const auto wanted = by_definition(numbers, 3, 0, length, inverse);
            double largest = 0;
            for (std::size_t i = 0; i < length; ++i) largest = std::max(largest, std::abs(to[i] - wanted[i]));
            CHECK(largest < 1e-12 * static_cast<double>(length));
        }
}

TEST_CASE("libraries: transforms of random sizes and layouts are those of the definition, and write nothing else") {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        CHECK(difference<float>(seed) < 1e-6);
        CHECK(difference<double>(seed) < 1e-13);
    }
}

TEST_CASE("libraries: a spectrum of real numbers takes the place of the numbers") {
    const Sizes sizes = {2, 3, 7}, half = half_of(sizes), rows = {2, 3, 2 * half[2]};
    std::vector<double> place(static_cast<std::size_t>(count_of(rows)));
    for (std::size_t i = 0; i < place.size(); ++i) place[i] = static_cast<double>(i * i % 17);
    const std::vector<double> before = place;
    const Layout real = Layout::packed(rows), complex = Layout::packed(half);
    Transform(Kind::real_to_complex, sizes).run<double>(place.data(), real, place.data(), complex, 1, false);
    Transform(Kind::complex_to_real, sizes).run<double>(place.data(), complex, place.data(), real, 1, true);
    for (std::size_t i = 0; i < place.size(); ++i)
        if (i % 8 < 7) CHECK(place[i] / 42 == doctest::Approx(before[i]));
}

TEST_CASE("libraries: what a transform uses of memory is told by rows, each element once") {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        Case random(seed);
        const Sizes sizes = random.sizes();
        const std::int64_t batch = 1 + random.below(4);
        Layout layout = random.layout(sizes);
        if (random.below(4) == 0) layout = {{sizes[1] * sizes[2] * batch, sizes[2] * batch, batch}, 1};  // interleaved
        std::multiset<std::int64_t> wanted, told;
        for (std::int64_t i = 0; i < batch; ++i)
            each_element(sizes, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                wanted.insert(place(layout, i, x, y, z));
            });
        const MemoryRows rows = rows_of(sizes, batch, layout);
        for (const std::int64_t start : rows.starts)
            each_element({rows.shape.depth, rows.shape.height, rows.shape.width},
                         [&](std::int64_t z, std::int64_t y, std::int64_t x) {
                             told.insert(start + z * rows.shape.slice + y * rows.shape.pitch + x);
                         });
        CHECK(told == wanted);
        CHECK(rows.extent == *wanted.rbegin() + 1);
    }
    CHECK(rows_of({1, 1, 8}, 5, {{40, 40, 5}, 1}).shape.width == 40);  // columns that fill a matrix
    const MemoryRows shared = rows_of({1, 1, 8}, 3, {{8, 8, 1}, 0});   // one array for all transforms
    CHECK(shared.extent == 8);
    CHECK(shared.shape.width == 8);
}
