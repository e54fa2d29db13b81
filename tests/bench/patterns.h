// The inputs and expected results of the twelve kernels of patterns.cu, for it and for its rivals: OpenCL and plain C++
// run the same kernels on the same data and print the same lines.
//
// A `Device` has upload, allocate<T>, download and clear, and one function for each kernel that launches it and waits.
#pragma once

#include <cmath>
#include <cstddef>

#include "workload.h"

#ifdef __CUDACC__
#define EVERYWHERE __host__ __device__
#else
#define EVERYWHERE
#endif

namespace patterns {

constexpr int body_count = 2048, body_tile = 128;
constexpr int image_size = 512, most_steps = 256;
constexpr int value_count = 1 << 20;
constexpr int grid_size = 1024, cube_size = 128;
constexpr int sort_block = 256;
constexpr int row_count = 1 << 16;
constexpr int bin_count = 256, histogram_blocks = 64;

EVERYWHERE inline unsigned hash_of(unsigned h) {
    for (int round = 0; round < 16; ++round) {
        h ^= h >> 16;
        h *= 0x7FEB352Du;
        h ^= h >> 15;
        h *= 0x846CA68Bu;
        h ^= h >> 16;
    }
    return h;
}

inline std::vector<unsigned> random_words(int count) {
    std::vector<unsigned> words(count);
    for (int i = 0; i < count; ++i) words[i] = hash_of(unsigned(i));
    return words;
}

inline bool is_near(double value, double expected, double scale) {
    return std::fabs(value - expected) <= 1e-4 * scale + 1e-4 * std::fabs(expected);
}

template <class Device>
class Patterns {
public:
    explicit Patterns(Device& device) : device_(device) {}

    /// True if every result is right.
    bool run() {
        n_body();
        mandelbrot();
        histograms();
        stencils();
        bitonic_sort();
        csr_product();
        integer_hash();
        black_scholes();
        gather();
        shuffle_sum();
        return good_;
    }

private:
    /// `right(i, value)` tells whether element i may be `value`.
    template <class Array, class Right>
    void report(const char* name, double ms, Array& array, std::size_t count, Right right) {
        const auto values = device_.download(array, count);
        int wrong = 0;
        for (std::size_t i = 0; i < count; ++i) wrong += !right(i, values[i]);
        good_ &= wrong == 0;
        workload::print_line(name, ms, wrong);
    }

    void n_body() {
        const int n = body_count;
        std::vector<float> x(n), y(n), mass(n);
        for (int i = 0; i < n; ++i) {
            x[i] = float(i * 37 % 1000) / 100;
            y[i] = float(i * 91 % 1000) / 100;
            mass[i] = float(i % 7 + 1) / 8;
        }
        auto dx = device_.upload(x), dy = device_.upload(y), dmass = device_.upload(mass);
        auto force = device_.template allocate<float>(n);
        const double ms = workload::median_ms([&] { device_.n_body(dx, dy, dmass, force, n); });
        report("n_body", ms, force, n, [&](std::size_t i, float value) {
            double sum = 0, size = 0;
            for (int j = 0; j < n; ++j) {
                const double along = x[j] - x[i], across = y[j] - y[i];
                const double part = mass[j] * along / std::pow(along * along + across * across + 0.01, 1.5);
                sum += part;
                size += std::fabs(part);
            }
            return is_near(value, sum, size);
        });
    }

    void mandelbrot() {
        const int n = image_size;
        auto steps = device_.template allocate<int>(n * n);
        const double ms = workload::median_ms([&] { device_.mandelbrot(steps, n); });
        // A rounding that differs shows near the border of the set alone.
        int different = 0;
        report("mandelbrot", ms, steps, n * n, [&](std::size_t i, int value) {
            const float cx = -2.0f + 3.0f * float(i % n) / n, cy = -1.5f + 3.0f * float(i / n) / n;
            float x = 0, y = 0;
            int step = 0;
            while (step < most_steps && x * x + y * y < 4.0f) {
                const float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                ++step;
            }
            return value == step || ++different < n * n / 50;
        });
    }

    void histograms() {
        const std::vector<unsigned> words = random_words(value_count);
        std::vector<unsigned> expected(bin_count);
        for (const unsigned word : words) ++expected[word >> 24];
        auto in = device_.upload(words);
        auto bins = device_.template allocate<unsigned>(bin_count);
        const auto right = [&](std::size_t i, unsigned value) { return value == expected[i]; };
        double ms = workload::median_ms([&] {
            device_.clear(bins, bin_count);
            device_.histogram_shared(in, bins, value_count);
        });
        report("histogram_shared", ms, bins, bin_count, right);
        ms = workload::median_ms([&] {
            device_.clear(bins, bin_count);
            device_.histogram_global(in, bins, value_count);
        });
        report("histogram_global", ms, bins, bin_count, right);
    }

    void stencils() {
        const int n = grid_size, m = cube_size;
        std::vector<float> in(2 * n * n);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = float(hash_of(unsigned(i)) % 64);
        auto from = device_.upload(in);
        auto to = device_.template allocate<float>(in.size());
        device_.clear(to, in.size());
        double ms = workload::median_ms([&] { device_.stencil_5(from, to, n); });
        report("stencil_5", ms, to, n * n, [&](std::size_t i, float value) {
            const int x = i % n, y = i / n;
            if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return value == 0;
            return value == 0.25f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]) - in[i];
        });
        device_.clear(to, in.size());
        ms = workload::median_ms([&] { device_.stencil_3d(from, to, m); });
        report("stencil_3d", ms, to, std::size_t(m) * m * m, [&](std::size_t i, float value) {
            const int x = i % m, y = i / m % m, z = i / m / m, plane = m * m;
            if (x == 0 || y == 0 || z == 0 || x == m - 1 || y == m - 1 || z == m - 1) return value == 0;
            return value ==
                   in[i - 1] + in[i + 1] + in[i - m] + in[i + m] + in[i - plane] + in[i + plane] - 6.0f * in[i];
        });
    }

    void bitonic_sort() {
        const std::vector<unsigned> words = random_words(value_count / 4);
        std::vector<unsigned> expected = words;
        for (std::size_t first = 0; first < expected.size(); first += sort_block)
            std::sort(expected.begin() + long(first), expected.begin() + long(first + sort_block));
        auto in = device_.upload(words);
        auto out = device_.template allocate<unsigned>(words.size());
        const double ms = workload::median_ms([&] { device_.bitonic_sort(in, out, int(words.size())); });
        report("bitonic_sort", ms, out, words.size(),
               [&](std::size_t i, unsigned value) { return value == expected[i]; });
    }

    void csr_product() {
        std::vector<int> begins(row_count + 1), columns;
        std::vector<float> values, x(row_count);
        for (int row = 0; row < row_count; ++row) {
            const int length = int(hash_of(unsigned(row)) % 48);
            for (int k = 0; k < length; ++k) {
                columns.push_back(int(hash_of(unsigned(row * 64 + k)) % row_count));
                values.push_back(float(k % 5));
            }
            begins[row + 1] = int(columns.size());
            x[row] = float(row % 9);
        }
        auto dbegins = device_.upload(begins), dcolumns = device_.upload(columns);
        auto dvalues = device_.upload(values), dx = device_.upload(x);
        auto y = device_.template allocate<float>(row_count);
        const double ms =
            workload::median_ms([&] { device_.csr_product(dbegins, dcolumns, dvalues, dx, y, row_count); });
        report("csr_product", ms, y, row_count, [&](std::size_t row, float value) {
            float sum = 0;
            for (int k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * x[columns[k]];
            return value == sum;
        });
    }

    void integer_hash() {
        const std::vector<unsigned> words = random_words(value_count);
        auto in = device_.upload(words);
        auto out = device_.template allocate<unsigned>(words.size());
        const double ms = workload::median_ms([&] { device_.integer_hash(in, out, value_count); });
        report("integer_hash", ms, out, words.size(),
               [&](std::size_t i, unsigned value) { return value == hash_of(words[i]); });
    }

    void black_scholes() {
        const int n = value_count;
        std::vector<float> price(n), strike(n), years(n);
        for (int i = 0; i < n; ++i) {
            price[i] = 5.0f + float(hash_of(unsigned(i)) % 2500) / 100;
            strike[i] = 1.0f + float(hash_of(unsigned(i + n)) % 9900) / 100;
            years[i] = 0.25f + float(hash_of(unsigned(i + 2 * n)) % 975) / 100;
        }
        auto s = device_.upload(price), k = device_.upload(strike), t = device_.upload(years);
        auto call = device_.template allocate<float>(n);
        const double ms = workload::median_ms([&] { device_.black_scholes(s, k, t, call, n); });
        report("black_scholes", ms, call, n, [&](std::size_t i, float value) {
            const double rate = 0.02, volatility = 0.3, root = std::sqrt(double(years[i]));
            const double d1 =
                (std::log(double(price[i]) / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
                (volatility * root);
            const auto normal = [](double d) { return 0.5 * std::erfc(-d * std::sqrt(0.5)); };
            const double expected =
                price[i] * normal(d1) - strike[i] * std::exp(-rate * years[i]) * normal(d1 - volatility * root);
            return is_near(value, expected, price[i]);
        });
    }

    void gather() {
        const int n = value_count;
        std::vector<float> values(n);
        std::vector<int> places(n);
        for (int i = 0; i < n; ++i) {
            values[i] = float(i);
            places[i] = int(hash_of(unsigned(i)) % n);
        }
        auto from = device_.upload(values);
        auto index = device_.upload(places);
        auto out = device_.template allocate<float>(n);
        const double ms = workload::median_ms([&] { device_.gather(from, index, out, n); });
        report("gather", ms, out, n, [&](std::size_t i, float value) { return value == float(places[i]); });
    }

    void shuffle_sum() {
        const int n = 4 * value_count;
        std::vector<float> values(n);
        for (int i = 0; i < n; ++i) values[i] = float(i % 101);
        auto in = device_.upload(values);
        auto out = device_.template allocate<float>(n / 32);
        const double ms = workload::median_ms([&] { device_.shuffle_sum(in, out, n); });
        report("shuffle_sum", ms, out, n / 32, [&](std::size_t i, float value) {
            float sum = 0;
            for (int k = 0; k < 32; ++k) sum += values[32 * i + k];
            return value == sum;
        });
    }

    Device& device_;
    bool good_ = true;
};

}  // namespace patterns
